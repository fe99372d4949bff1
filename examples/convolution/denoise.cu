// Denoises a picture by five levels of an à-trous filter, or blurs it, over any order and any schedule.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../common/measure.hpp"
#include "../common/tracing.hpp"
#include "denoise_options.hpp"
#include "passes.hpp"
#include "scene.hpp"
#include "texture.hpp"

namespace {

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

/// Differences in colour count more from level to level, as the noise gets less.
template <class Source>
atrous_inputs<Source> inputs_of(const options& chosen, std::size_t level, Source color, Source surface) {
  return {
      color, surface, steps_of(chosen)[level], static_cast<float>(chosen.color) * static_cast<float>(1 << 2 * level),
      64,    4};
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
    const recipe by = recipe_of(chosen, pass);
    const placed place(by, pass.grid());
    check(place.error());
    const auto in = inputs_of(chosen, i, color.source(), surface.source());
    const bool is_each = by.schedule == recipe::one_shot;  // a tile per block, of any number of blocks
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
    name = "step " + std::to_string(steps[i]) + " under " + to_string(by.schedule);
    const heddle::tile_table::entries entries = make_tile_table(by, pass.grid());
    const heddle::any_order order{by, pass.grid(), entries.data()};
    const int last = static_cast<int>(report.launches.size()) - 1;
    const auto numbers = heddle::trace::summarize(report, last, order, by);
    std::printf("%s\n%s", name.c_str(), numbers.text().c_str());
    file.add(name, report, order);
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
    places.push_back(std::make_unique<placed>(recipe_of(chosen, pass), pass.grid()));
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
