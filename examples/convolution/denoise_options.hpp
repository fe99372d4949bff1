#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <heddle/predict/advise.hpp>

#include "../common/command_line.hpp"
#include "passes.hpp"

// What the program `denoise` is told.

namespace {

using namespace convolution;
using heddle::recipe;

struct options {
  std::string input, out = "denoised.ppm", pass = "filter", order = "row_major", schedule, pixels = "float4", trace;
  int width = 960, height = 540, rays = 2, step = 1, radius = 8, color = 4;
  std::optional<int> bands;
};

options parse(int count, char** arguments) {
  using namespace command_line;
  options chosen;
  const reader one_picture{"one picture: PPM, PFM, or PNG with libpng", "", [&](const std::string& name) {
                             const bool is_first = chosen.input.empty();
                             chosen.input = name;
                             return is_first && !name.empty();
                           }};
  parse_options(
      count, arguments, "Denoises a picture, or a scene of its own, and writes before and after side by side.\n",
      {{"", "PICTURE", "what is denoised", one_picture},
       {"--out", "FILE", "where to", file(chosen.out)},
       {"--size", "WxH", "of the scene", size(chosen.width, chosen.height, 16384)},
       {"--rays", "R", "of the scene, to the light of each pixel: few are noisy", number(chosen.rays, 1, 1024)},
       {"--pass", "PASS",
        "filter: five levels of the denoiser, steps 1 to 16; level: one of them, of --step; blur: along rows and "
        "columns; dense: with all taps of a square",
        one_of(chosen.pass, {"filter", "level", "blur", "dense"})},
       {"--step", "S", "of a level", number(chosen.step, 1, 1024)},
       {"--radius", "R", "of the blur, or of the dense pass, up to 16", number(chosen.radius, 1, most_radius)},
       {"--color", "C", "how much a difference in colour counts: more for a picture without noise",
        number(chosen.color, 1, 1'000'000)},
       {"--order", "ORDER", "advised: for an H200",
        one_of(chosen.order, {"row_major", "thread_group_tiling", "cta_swizzle", "hilbert", "dilated", "advised"})},
       {"--width", "W", "of bands or strips, in tiles; without it 16; 2 for dilated", number(chosen.bands, 1, 1 << 20)},
       {"--schedule", "S", "without it one_shot; advised picks its own",
        one_of(chosen.schedule, {"one_shot", "strided", "ticket", "sm_affine"})},
       {"--pixels", "P", "texture: float4 by texture objects, for the denoiser",
        one_of(chosen.pixels, {"float4", "half4", "texture"})},
       {"--trace", "FILE",
        "of the denoiser: which block did which tile when, for ui.perfetto.dev, and what the trace costs",
        file(chosen.trace)}});
  if (chosen.pass == "dense" && chosen.radius > most_dense_radius) {
    refuse("--radius: the dense pass has up to " + std::to_string(most_dense_radius) + ", not " +
           std::to_string(chosen.radius));
  }
  if (chosen.order == "advised" && !chosen.schedule.empty()) refuse("--schedule: advised picks its own");
  const bool denoises = chosen.pass == "filter" || chosen.pass == "level";
  if (chosen.pixels == "texture" && !denoises) refuse("--pixels: texture is for the denoiser");
  if (!chosen.trace.empty() && (!denoises || chosen.pixels == "texture")) {
    refuse("--trace: a trace is of the denoiser, without textures");
  }
  return chosen;
}

/// Returns the steps of the levels.
std::vector<int> steps_of(const options& chosen) {
  return chosen.pass == "level" ? std::vector{chosen.step} : std::vector{1, 2, 4, 8, 16};
}

/// Returns the recipe of a pass. Those of `dilated` and of an advice depend on the step of the level.
recipe recipe_of(const options& chosen, const heddle::predict::stencil_problem& pass) {
  if (chosen.order == "advised") {
    const heddle::predict::advice advice = heddle::predict::advise(pass, heddle::predict::h200(), 8);
    std::printf("  step %d: %s\n", pass.step, to_string(advice).c_str());
    return advice;
  }
  recipe by = heddle::from_string(chosen.order + (chosen.schedule.empty() ? "" : ", " + chosen.schedule));
  if (by.order == recipe::thread_group_tiling || by.order == recipe::cta_swizzle) by.width = 16;
  if (by.order == recipe::dilated) {
    by.width = 2;
    by.step = {std::max(1, pass.step / pass.tile_rows), std::max(1, pass.step / pass.tile_cols)};
  }
  if (by.width > 0) by.width = chosen.bands.value_or(by.width);
  if (by.schedule == recipe::sm_affine) by.run = by.order == recipe::dilated ? 16 * by.width : 64;
  return by;
}

}  // namespace
