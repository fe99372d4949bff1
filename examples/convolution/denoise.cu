// Denoises a picture by five levels of an à-trous filter, or blurs it, over any order and any schedule.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <heddle/predict/advise.hpp>

#include "../common/command_line.hpp"
#include "../common/measure.hpp"
#include "../common/tracing.hpp"
#include "passes.hpp"
#include "scene.hpp"
#include "texture.hpp"

namespace {

using namespace convolution;
using heddle::predict::order_choice;
using heddle::predict::order_kind;

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

/// The input: a colour, a normal and a depth of each pixel.
struct input {
  picture color;
  std::vector<float> surface;
};

input input_of(const options& chosen) {
  if (chosen.input.empty()) {
    rendered scene = render(chosen.width, chosen.height, chosen.rays);
    return {std::move(scene.color), std::move(scene.surface)};
  }
  input result{read_picture(chosen.input), {}};
  for (std::size_t i = 0; i < result.color.rgb.size() / 3; ++i) {
    result.surface.insert(result.surface.end(), {0, 0, 1, 0});  // a picture has no surface: take a wall
  }
  return result;
}

std::vector<int> steps_of(const options& chosen) {
  return chosen.pass == "level" ? std::vector{chosen.step} : std::vector{1, 2, 4, 8, 16};
}

/// Differences in colour count more from level to level, as the noise gets less.
template <class Source>
atrous_inputs<Source> inputs_of(const options& chosen, std::size_t level, Source color, Source surface) {
  return {color, surface, steps_of(chosen)[level], chosen.color * static_cast<float>(1 << 2 * level), 64, 4};
}

/// Returns the order and the schedule of a pass. Those of `dilated` and of an advice depend on the step of the level.
composition composition_of(const options& chosen, const heddle::predict::stencil_problem& pass) {
  composition result;
  const int bands = chosen.bands > 0 ? chosen.bands : chosen.order == "dilated" ? 2 : 16;
  if (chosen.order == "thread_group_tiling") result.order = {order_kind::thread_group_tiling, bands};
  if (chosen.order == "cta_swizzle") result.order = {order_kind::cta_swizzle, bands};
  if (chosen.order == "hilbert") result.order = {order_kind::hilbert};
  if (chosen.order == "dilated") {
    const heddle::extent apart{std::max(1, pass.step / pass.tile_rows), std::max(1, pass.step / pass.tile_cols)};
    result.order = {order_kind::dilated, bands, heddle::axis::x, apart};
    result.run = 16 * bands;
  }
  if (chosen.schedule == "strided") result.schedule = schedule_kind::strided;
  if (chosen.schedule == "ticket") result.schedule = schedule_kind::ticket;
  if (chosen.schedule == "sm_affine") result.schedule = schedule_kind::sm_affine;
  if (chosen.order == "advised") {
    const heddle::predict::advice advice = heddle::predict::advise(pass, heddle::predict::h200(), 8);
    result = {advice, advice.schedule, advice.run};
    std::printf("  step %d: %s\n", pass.step, to_string(advice).c_str());
  }
  return result;
}

/// An image on the device.
template <class Pixel>
class buffer {
 public:
  buffer(int width, int height)
      : width_(width), height_(height), pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  buffer(int width, int height, const std::vector<float4>& values)
      : width_(width), height_(height), pixels_(converted(values)) {}

  image<Pixel> view() const { return {pixels_.data(), width_, height_, width_}; }
  memory_source<Pixel> source() const { return {{pixels_.data(), width_, height_, width_}}; }

  std::vector<float4> read() const {
    std::vector<float4> values;
    for (const Pixel& pixel : pixels_.read()) values.push_back(to_float4(pixel));
    return values;
  }

 private:
  static std::vector<Pixel> converted(const std::vector<float4>& values) {
    std::vector<Pixel> pixels(values.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) assign(pixels[i], values[i]);
    return pixels;
  }

  int width_, height_;
  device_array<Pixel> pixels_;
};

std::vector<float> gaussian(int radius) {
  std::vector<float> weights;
  float sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    const float place = 2.5f * static_cast<float>(i) / static_cast<float>(std::max(1, radius));
    weights.push_back(std::exp(-place * place / 2));
    sum += weights.back();
  }
  for (float& weight : weights) weight /= sum;
  return weights;
}

/// Traces each level, and prints what that costs and what the trace says in numbers.
template <class Pixel>
void trace_levels(const options& chosen, int width, int height, const buffer<Pixel>& color,
                  const buffer<Pixel>& surface, const buffer<Pixel>& result) {
  heddle::trace::chrome_trace file;
  heddle::trace::report report;
  std::string name;
  const std::vector<int> steps = steps_of(chosen);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto pass = atrous_problem<Pixel>(width, height, atrous_tile, steps[i]);
    const composition by = composition_of(chosen, pass);
    const placed place(by, pass.grid());
    check(place.error());
    const auto in = inputs_of(chosen, i, color.source(), surface.source());
    const bool is_each = by.schedule == schedule_kind::one_shot;  // a tile per block, of any number of blocks
    const trace_memory memory(
        {.blocks = is_each ? pass.grid().size() : 8192, .tiles = is_each ? 2 : 1024, .launches = 2});
    const auto plain = [&] { return enqueue_atrous(place, in, result.view(), nullptr); };
    const auto traced = [&] {
      return place.with([&](const auto& scheduler) {
        return launch_atrous<atrous_tile>(heddle::traced{scheduler, memory.buffer()}, in, result.view(), nullptr);
      });
    };
    print_cost_of_trace(101, plain, traced);
    report = memory.read();
    name = "step " + std::to_string(steps[i]) + " under " + heddle::predict::name_of(by.schedule);
    heddle::predict::with_order(by.order, pass.grid(), [&](const auto& order) {
      const int last = static_cast<int>(report.launches.size()) - 1;
      const auto numbers = heddle::trace::summarize(report, last, order, {by.schedule, by.run});
      std::printf("%s\n%s", name.c_str(), numbers.text().c_str());
      file.add(name, report, order);
      return 0;
    });
  }
  write_trace(chosen.trace, file, report, name);
}

template <class Pixel>
std::vector<float4> run_on_device(const options& chosen, int width, int height, const std::vector<float4>& color,
                                  const std::vector<float4>& surface, float& milliseconds) {
  const buffer<Pixel> first(width, height, color), around(width, height, surface);
  const buffer<Pixel> other(width, height), result(width, height);
  std::vector<std::unique_ptr<placed>> places;
  const auto place = [&](const heddle::predict::stencil_problem& pass) -> const placed& {
    places.push_back(std::make_unique<placed>(composition_of(chosen, pass), pass.grid()));
    check(places.back()->error());
    return *places.back();
  };

  std::function<void()> run;
  std::unique_ptr<texture> textures[2];
  std::unique_ptr<device_array<float>> dense_on_device;
  if (chosen.pass == "blur") {
    blur_weights weights{};
    weights.radius = chosen.radius;
    const std::vector<float> all = gaussian(chosen.radius);
    std::copy(all.begin(), all.end(), &weights(0));
    const placed& along_rows = place(blur_rows_problem<Pixel>(width, height, chosen.radius));
    const placed& along_columns = place(blur_columns_problem<Pixel>(width, height, chosen.radius));
    run = [&, weights] {
      check(enqueue_blur_rows(along_rows, weights, first.source(), other.view(), nullptr));
      check(enqueue_blur_columns(along_columns, weights, other.source(), result.view(), nullptr));
    };
  } else if (chosen.pass == "dense") {
    const std::vector<float> line = gaussian(chosen.radius);
    std::vector<float> square;
    for (const float row : line) {
      for (const float col : line) square.push_back(row * col);
    }
    dense_on_device = std::make_unique<device_array<float>>(square);
    const placed& by = place(dense_problem<Pixel>(width, height, chosen.radius));
    run = [&] {
      check(enqueue_dense(by, dense_weights{chosen.radius, dense_on_device->data()}, first.source(), result.view(),
                          nullptr));
    };
  } else {
    const std::vector<int> steps = steps_of(chosen);
    for (const int step : steps) (void)place(atrous_problem<Pixel>(width, height, atrous_tile, step));
    if constexpr (std::is_same_v<Pixel, float4>) {
      if (chosen.pixels == "texture") {
        for (auto& each : textures) {
          each = std::make_unique<texture>(width, height);
          check(each->error());
        }
        check(textures[1]->take(around.source().from));
      }
    }
    run = [&, steps] {
      const buffer<Pixel>* from = &first;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const buffer<Pixel>& to = (steps.size() - i) % 2 == 1 ? result : other;  // in turns, the last to `result`
        const auto enqueue = [&](auto color_source, auto surface_source) {
          check(enqueue_atrous(*places[i], inputs_of(chosen, i, color_source, surface_source), to.view(), nullptr));
        };
        bool by_textures = false;
        if constexpr (std::is_same_v<Pixel, float4>) {
          by_textures = textures[0] != nullptr;
          if (by_textures) {
            check(textures[0]->take(from->source().from));
            enqueue(textures[0]->source(), textures[1]->source());
          }
        }
        if (!by_textures) enqueue(from->source(), around.source());
        from = &to;
      }
    };
  }
  run();  // warm
  milliseconds = median_time(9, [&] {
    run();
    return cudaGetLastError();
  });
  const std::vector<float4> denoised = result.read();
  if (!chosen.trace.empty()) trace_levels(chosen, width, height, first, around, other);
  return denoised;
}

/// Runs the denoiser without a GPU.
std::vector<float4> run_on_host(const options& chosen, int width, int height, std::vector<float4> color,
                                const std::vector<float4>& surface) {
  const std::vector<int> steps = steps_of(chosen);
  for (std::size_t level = 0; level < steps.size(); ++level) {
    std::vector<float4> next(color.size());
    const auto source = [&](const std::vector<float4>& of) {
      return memory_source<float4>{{of.data(), width, height, width}};
    };
    const auto in = inputs_of(chosen, level, source(color), source(surface));
    const image<float4> out{next.data(), width, height, width};
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) out(x, y) = atrous_pixel(in, x, y);
    }
    color = std::move(next);
  }
  return color;
}

int run(const options& chosen) {
  check_name(chosen.out);
  const input in = input_of(chosen);
  const int width = in.color.width, height = in.color.height;
  std::vector<float4> color, surface;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float* const rgb = in.color.at(x, y);
      const float* const four = in.surface.data() + 4 * color.size();
      color.push_back({rgb[0], rgb[1], rgb[2], 1});
      surface.push_back({four[0], four[1], four[2], four[3]});
    }
  }

  const bool on_gpu = has_gpu("denoise");
  std::vector<float4> after;
  if (on_gpu) {
    std::printf("%d x %d, %s, %s, %s%s\n", width, height, chosen.pass.c_str(), chosen.pixels.c_str(),
                chosen.order.c_str(), chosen.schedule.empty() ? "" : (", " + chosen.schedule).c_str());
    float milliseconds = 0;
    after = chosen.pixels == "half4" ? run_on_device<half4>(chosen, width, height, color, surface, milliseconds)
                                     : run_on_device<float4>(chosen, width, height, color, surface, milliseconds);
    std::printf("  %.3f ms\n", milliseconds);
  } else if (chosen.pass == "filter" || chosen.pass == "level") {
    after = run_on_host(chosen, width, height, color, surface);
  } else {
    return skipped;
  }

  picture both(2 * width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float4 pixel =
          after[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
      std::copy_n(in.color.at(x, y), 3, both.at(x, y));
      float* const right = both.at(width + x, y);
      right[0] = pixel.x, right[1] = pixel.y, right[2] = pixel.z;
    }
  }
  write_picture(chosen.out, both);
  std::printf("Before and after: %s\n", chosen.out.c_str());
  if (on_gpu) return 0;
  std::printf("denoise: the host did it\n");
  return skipped;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(parse(count, arguments));
  } catch (const std::exception& error) {
    return failed("denoise", error);
  }
}
