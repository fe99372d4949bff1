#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include <heddle/predict/advise.hpp>

#include "../common/command_line.hpp"
#include "passes.hpp"

// What the program `denoise` is told.

namespace {

using namespace convolution;
using heddle::recipe;

constexpr const char* usage =
    "usage: denoise [PICTURE] [options]\n"
    "\n"
    "Denoises a picture (PPM, PFM, or PNG with libpng), or a scene of its own, and writes before and after side by\n"
    "side.\n"
    "\n"
    "  --out FILE       where to (default denoised.ppm)\n"
    "  --size WxH       of the scene (default 960x540)\n"
    "  --rays R         of the scene, to the light of each pixel: few are noisy (default 2)\n"
    "  --pass PASS      filter: five levels of the denoiser, steps 1 to 16 (default); level: one of them, of --step;\n"
    "                   blur: along rows and columns; dense: with all taps of a square\n"
    "  --step S         of a level, 1 to 1024 (default 1)\n"
    "  --radius R       of the blur, up to 64, or of the dense pass, up to 16 (default 8)\n"
    "  --color C        how much a difference in colour counts (default 4; more for a picture without noise)\n"
    "  --order ORDER    row_major (default), thread_group_tiling, cta_swizzle, hilbert, dilated, or advised (for an H200)\n"
    "  --width W        of bands or strips, in tiles (default 16; 2 for dilated)\n"
    "  --schedule S     one_shot (default), strided, ticket or sm_affine; advised picks its own\n"
    "  --pixels P       float4 (default), half4, or texture: float4 by texture objects, for the denoiser\n"
    "  --trace FILE     of the denoiser: which block did which tile when, for ui.perfetto.dev, and what the trace costs\n"
    "  --help           show this\n";

constexpr command_line self{"denoise", usage};

struct options {
  std::string input, out = "denoised.ppm", pass = "filter", order = "row_major", schedule, pixels = "float4", trace;
  int width = 960, height = 540, rays = 2, step = 1, radius = 8, bands = 0;
  float color = 4;
};

options parse(int count, char** arguments) {
  options chosen;
  const command_line::names with_value{"--out",   "--size",  "--rays",  "--pass",     "--step",   "--radius",
                                       "--color", "--order", "--width", "--schedule", "--pixels", "--trace"};
  for (const auto& option : self.options(count, arguments, with_value)) {
    if (option.name.empty()) {
      if (!chosen.input.empty()) {
        self.refuse("one picture is wanted, not '" + chosen.input + "' and '" + option.value + "'");
      }
      chosen.input = option.value;
    }
    if (option.name == "--out") chosen.out = option.value;
    if (option.name == "--size") std::tie(chosen.width, chosen.height) = self.size(option, 16384);
    if (option.name == "--rays") chosen.rays = self.number(option, 1024);
    if (option.name == "--pass") chosen.pass = self.one_of(option, {"filter", "level", "blur", "dense"});
    if (option.name == "--step") chosen.step = self.number(option, 1024);
    if (option.name == "--radius") chosen.radius = self.number(option, most_radius);
    if (option.name == "--color") chosen.color = static_cast<float>(self.number(option, 1'000'000));
    if (option.name == "--order") {
      chosen.order =
          self.one_of(option, {"row_major", "thread_group_tiling", "cta_swizzle", "hilbert", "dilated", "advised"});
    }
    if (option.name == "--width") chosen.bands = self.number(option, 1 << 20);
    if (option.name == "--schedule") {
      chosen.schedule = self.one_of(option, {"one_shot", "strided", "ticket", "sm_affine"});
    }
    if (option.name == "--trace") chosen.trace = option.value;
    if (option.name == "--pixels") chosen.pixels = self.one_of(option, {"float4", "half4", "texture"});
  }
  if (chosen.pass == "dense" && chosen.radius > most_dense_radius) {
    self.refuse("--radius: the dense pass has up to " + std::to_string(most_dense_radius) + ", not " +
                std::to_string(chosen.radius));
  }
  if (chosen.order == "advised" && !chosen.schedule.empty()) self.refuse("--schedule: advised picks its own");
  const bool denoises = chosen.pass == "filter" || chosen.pass == "level";
  if (chosen.pixels == "texture" && !denoises) self.refuse("--pixels: texture is for the denoiser");
  if (!chosen.trace.empty() && (!denoises || chosen.pixels == "texture")) {
    self.refuse("--trace: a trace is of the denoiser, without textures");
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
  if (by.width > 0 && chosen.bands > 0) by.width = chosen.bands;
  if (by.schedule == recipe::sm_affine) by.run = by.order == recipe::dilated ? 16 * by.width : 64;
  return by;
}

}  // namespace
