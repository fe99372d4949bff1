// The passes of examples/convolution against the same passes in double precision, with poisoned outputs between guards.

#include "convolution/atrous.cuh"
#include "convolution/blur.cuh"
#include "convolution/dense.cuh"
#include "convolution/texture.hpp"
#include "schedule.hpp"

namespace {

using namespace convolution;
using namespace heddle_test;

struct extents {
  int width, height;
};

/// An image on the host, with four numbers per pixel.
struct numbers {
  int width, height;
  std::vector<double> of;

  double at(int x, int y, int channel) const {
    const int inside_x = std::min(std::max(x, 0), width - 1), inside_y = std::min(std::max(y, 0), height - 1);
    return of[4 * (static_cast<std::size_t>(inside_y) * static_cast<std::size_t>(width) +
                   static_cast<std::size_t>(inside_x)) +
              static_cast<std::size_t>(channel)];
  }
};

/// Returns the pixels in single precision.
std::vector<float4> pixels_of(const numbers& values) {
  std::vector<float4> pixels;
  for (std::size_t at = 0; at < values.of.size(); at += 4) {
    const double* const four = values.of.data() + at;
    pixels.push_back({static_cast<float>(four[0]), static_cast<float>(four[1]), static_cast<float>(four[2]),
                      static_cast<float>(four[3])});
  }
  return pixels;
}

/// An image on the device with a pitch, and with guards round it and at the end of each row.
template <class Pixel>
class guarded_image {
  static constexpr int guard = 64, extra = 3;

 public:
  guarded_image(int width, int height)
      : width_(width), height_(height), pixels_(static_cast<std::size_t>(pitch()) * rows() + 2 * guard, 0xa5) {}

  image<Pixel> view() { return {pixels_.data() + guard, width_, height_, pitch()}; }
  memory_source<Pixel> source() { return {{pixels_.data() + guard, width_, height_, pitch()}}; }
  int pitch() const { return width_ + extra; }

  void write(const numbers& values) {
    std::vector<Pixel> all = pixels_.read();
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        const auto channel = [&](int i) { return static_cast<float>(values.at(x, y, i)); };
        assign(all[place(x, y)], float4{channel(0), channel(1), channel(2), channel(3)});
      }
    }
    to_device(pixels_.data(), all.data(), sizeof(Pixel) * all.size());
  }

  /// Returns the pixels of the device. Numbers that a pixel can hold come back as they were written.
  numbers read() const {
    const std::vector<Pixel> all = pixels_.read();
    numbers result{width_, height_, {}};
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        const float4 pixel = to_float4(all[place(x, y)]);
        result.of.insert(result.of.end(), {pixel.x, pixel.y, pixel.z, pixel.w});
      }
    }
    return result;
  }

  bool guards_are_whole() const {
    std::vector<Pixel> all = pixels_.read();
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) std::memset(static_cast<void*>(&all[place(x, y)]), 0xa5, sizeof(Pixel));
    }
    const auto* const bytes = reinterpret_cast<const unsigned char*>(all.data());
    return std::all_of(bytes, bytes + sizeof(Pixel) * all.size(), [](unsigned char byte) { return byte == 0xa5; });
  }

 private:
  std::size_t rows() const { return static_cast<std::size_t>(height_); }
  std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(guard + static_cast<long long>(y) * pitch() + x);
  }

  int width_, height_;
  device_array<Pixel> pixels_;
};

numbers random_numbers(extents of, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> share(0, 1);
  numbers result{of.width, of.height, {}};
  for (int i = 0; i < 4 * of.width * of.height; ++i) result.of.push_back(share(random));
  return result;
}

/// Returns the largest difference, absolute, since the numbers are near one.
double difference(const numbers& found, const numbers& expected) {
  double most = 0;
  for (std::size_t i = 0; i < expected.of.size(); ++i) {
    const double apart = std::abs(found.of[i] - expected.of[i]);
    most = apart <= most ? most : apart;  // a NaN stays
  }
  return most;
}

template <class Pixel>
constexpr double tolerance = sizeof(Pixel) == 8 ? 2e-3 : 2e-5;

constexpr double of_color = 3, of_normal = 2, of_depth = 5;

numbers atrous_on_host(const numbers& color, const numbers& surface, int step) {
  constexpr double taps[] = {1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0};
  numbers result{color.width, color.height, {}};
  for (int y = 0; y < color.height; ++y) {
    for (int x = 0; x < color.width; ++x) {
      double sums[3] = {}, all = 0;
      for (int row = 0; row < 5; ++row) {
        for (int col = 0; col < 5; ++col) {
          const int there_x = x + (col - 2) * step, there_y = y + (row - 2) * step;
          double apart = 0, alike = 0;
          for (int i = 0; i < 3; ++i) {
            apart += std::pow(color.at(there_x, there_y, i) - color.at(x, y, i), 2);
            alike += surface.at(there_x, there_y, i) * surface.at(x, y, i);
          }
          const double deeper = std::abs(surface.at(there_x, there_y, 3) - surface.at(x, y, 3));
          const double weight =
              taps[row] * taps[col] *
              std::exp(-std::log(2.0) * (of_color * apart + of_normal * (1 - alike) + of_depth * deeper));
          for (int i = 0; i < 3; ++i) sums[i] += weight * color.at(there_x, there_y, i);
          all += weight;
        }
      }
      result.of.insert(result.of.end(), {sums[0] / all, sums[1] / all, sums[2] / all, color.at(x, y, 3)});
    }
  }
  return result;
}

/// A pixel to the right and below, and its weight in a sum.
struct tap {
  int x, y;
  double weight;
};

numbers sum_on_host(const numbers& from, const std::vector<tap>& taps) {
  numbers result{from.width, from.height, {}};
  for (int y = 0; y < from.height; ++y) {
    for (int x = 0; x < from.width; ++x) {
      for (int i = 0; i < 4; ++i) {
        double sum = 0;
        for (const tap& each : taps) sum += each.weight * from.at(x + each.x, y + each.y, i);
        result.of.push_back(sum);
      }
    }
  }
  return result;
}

/// Returns weights that sum to one and differ between left and right.
std::vector<double> some_weights(int count) {
  std::vector<double> weights;
  for (int i = 0; i < count; ++i) weights.push_back((1 + i % 7) + 0.1 * i);
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
  return weights;
}

blur_weights blur_of(const std::vector<double>& weights) {
  blur_weights result{};
  result.radius = static_cast<int>(weights.size()) / 2;
  for (int i = 0; i < static_cast<int>(weights.size()); ++i) {
    result(i) = static_cast<float>(weights[static_cast<std::size_t>(i)]);
  }
  return result;
}

/// Calls `launch_on(scheduler)`, which enqueues a pass, for schedulers over some orders of its tiles.
template <class Schedules, class LaunchOn>
void with_orders(extent grid, const LaunchOn& launch_on, int count) {
  for_each_scheduler(Schedules{}, [&](const auto& over) {
    for (int i = 0; i < count; ++i) {
      CAPTURE(to_string(recipes[i]));
      order_on_device placed(recipes[i], grid);
      over(placed.order(), launch_on);
    }
  });
}

using plain = recipe::schedules<recipe::one_shot>;

/// Runs a pass and compares what it writes.
template <class Pixel, class Kernel, class Scheduler, class... Args>
void writes(const numbers& expected, const launch_config& grid, Kernel kernel, const Scheduler& scheduler,
            const Args&... args) {
  guarded_image<Pixel> out(expected.width, expected.height);
  check(launch(grid, nullptr, kernel, scheduler, args..., out.view()));
  check(cudaDeviceSynchronize());
  CHECK(difference(out.read(), expected) <= tolerance<Pixel>);
  CHECK(out.guards_are_whole());
}

template <class Pixel, class Schedules = plain>
void atrous_agrees(extents of, int step, int kinds = 1) {
  CAPTURE(of.width, of.height, step, sizeof(Pixel));
  guarded_image<Pixel> color(of.width, of.height), surface(of.width, of.height);
  color.write(random_numbers(of, 1));
  surface.write(random_numbers(of, 2));
  const numbers expected = atrous_on_host(color.read(), surface.read(), step);
  const atrous_inputs<memory_source<Pixel>> in{color.source(),
                                               surface.source(),
                                               step,
                                               static_cast<float>(of_color),
                                               static_cast<float>(of_normal),
                                               static_cast<float>(of_depth)};
  with_orders<Schedules>(
      ceil_div(extent{of.height, of.width}, extent{8, 16}),
      [&](const auto& scheduler) {
        using used = std::remove_cvref_t<decltype(scheduler)>;
        const auto kernel = atrous<8, 16, used, memory_source<Pixel>, Pixel>;
        writes<Pixel>(expected, scheduler.grid(kernel, dim3(16, 8)), kernel, scheduler, in);
      },
      kinds);
}

template <class Pixel, class Schedules = plain>
void blur_agrees(extents of, int radius, int kinds = 1) {
  CAPTURE(of.width, of.height, radius, sizeof(Pixel));
  guarded_image<Pixel> from(of.width, of.height);
  from.write(random_numbers(of, 3));
  const std::vector<double> weights = some_weights(2 * radius + 1);
  std::vector<tap> along_rows, along_columns;
  for (int i = -radius; i <= radius; ++i) {
    along_rows.push_back({i, 0, weights[static_cast<std::size_t>(i + radius)]});
    along_columns.push_back({0, i, weights[static_cast<std::size_t>(i + radius)]});
  }
  const numbers by_rows = sum_on_host(from.read(), along_rows), by_columns = sum_on_host(from.read(), along_columns);
  const auto pass = [&](auto kernel, const auto& scheduler, int threads, const numbers& expected) {
    writes<Pixel>(expected, scheduler.grid(kernel, threads), kernel, scheduler, blur_of(weights), from.source());
  };
  with_orders<Schedules>(
      ceil_div(extent{of.height, of.width}, extent{1, tile_cols_of_rows}),
      [&](const auto& scheduler) {
        pass(blur_rows<std::remove_cvref_t<decltype(scheduler)>, memory_source<Pixel>, Pixel>, scheduler,
             tile_cols_of_rows, by_rows);
      },
      kinds);
  with_orders<Schedules>(
      ceil_div(extent{of.height, of.width}, extent{16, tile_cols_of_columns}),
      [&](const auto& scheduler) {
        pass(blur_columns<16, std::remove_cvref_t<decltype(scheduler)>, memory_source<Pixel>, Pixel>, scheduler,
             tile_cols_of_columns, by_columns);
      },
      kinds);
}

template <class Pixel, class Schedules = plain>
void dense_agrees(extents of, int radius, int kinds = 1) {
  CAPTURE(of.width, of.height, radius, sizeof(Pixel));
  guarded_image<Pixel> from(of.width, of.height);
  from.write(random_numbers(of, 4));
  const int across = 2 * radius + 1;
  const std::vector<double> weights = some_weights(across * across);
  std::vector<tap> taps;
  std::vector<float> as_floats;
  for (int i = 0; i < across * across; ++i) {
    taps.push_back({i % across - radius, i / across - radius, weights[static_cast<std::size_t>(i)]});
    as_floats.push_back(static_cast<float>(weights[static_cast<std::size_t>(i)]));
  }
  device_array on_device(as_floats);
  const numbers expected = sum_on_host(from.read(), taps);
  with_orders<Schedules>(
      ceil_div(extent{of.height, of.width}, extent{dense_tile_rows, dense_tile_cols}),
      [&](const auto& scheduler) {
        const auto kernel = dense<std::remove_cvref_t<decltype(scheduler)>, memory_source<Pixel>, Pixel>;
        const launch_config grid =
            scheduler.grid(kernel, dim3(dense_tile_cols, dense_threads_y), dense_smem_bytes(radius));
        writes<Pixel>(expected, grid, kernel, scheduler, dense_weights{radius, on_device.data()}, from.source());
      },
      kinds);
}

std::vector<extents> ragged_extents() {
  if (!kernels_overlap()) return {{1, 1}, {37, 23}};
  return {{1, 1}, {1, 300}, {300, 1}, {3, 2}, {37, 53}, {131, 97}, {256, 64}, {700, 211}};
}

}  // namespace

GPU_TEST("The passes of the convolution agree with double precision over every order with every scheduler",
         "[convolution]") {
  using five = recipe::schedules<recipe::one_shot, recipe::strided, recipe::chunked, recipe::ticket, recipe::sm_affine>;
  const extents of = kernels_overlap() ? extents{331, 173} : extents{70, 40};
  constexpr int all = static_cast<int>(std::size(recipes));
  atrous_agrees<float4, five>(of, 16, all);
  blur_agrees<float4, five>(of, 5, all);
  dense_agrees<float4, five>(of, 3, all);
}

GPU_TEST("The denoiser agrees with double precision in every extent and step", "[convolution]") {
  for (const extents of : ragged_extents()) {
    for (const int step : {1, 2, 4, 8, 16, 32, 64}) {
      atrous_agrees<float4>(of, step);
      atrous_agrees<half4>(of, step);
    }
  }
}

GPU_TEST("The blur agrees with double precision in every extent and radius", "[convolution]") {
  for (const extents of : ragged_extents()) {
    for (const int radius : {0, 1, 2, 17, 63, 64}) {
      blur_agrees<float4>(of, radius);
      blur_agrees<half4>(of, radius);
    }
  }
}

GPU_TEST("The dense convolution agrees with double precision in every extent and radius", "[convolution]") {
  for (const extents of : ragged_extents()) {
    for (const int radius : {0, 1, 2, 7, 16}) {
      dense_agrees<float4>(of, radius);
      dense_agrees<half4>(of, radius);
    }
  }
}

GPU_TEST("The denoiser by texture objects agrees with the one by addresses", "[convolution]") {
  for (const extents of : ragged_extents()) {
    const numbers values[] = {random_numbers(of, 1), random_numbers(of, 2)};
    const texture textures[2] = {{of.width, of.height}, {of.width, of.height}};
    const std::vector<float4> pixels[] = {pixels_of(values[0]), pixels_of(values[1])};
    for (int i = 0; i < 2; ++i) {
      check(textures[i].error());
      check(textures[i].take({pixels[i].data(), of.width, of.height, of.width}));
    }
    const atrous_inputs<texture_source> in{
        textures[0].source(),         textures[1].source(),          4,
        static_cast<float>(of_color), static_cast<float>(of_normal), static_cast<float>(of_depth)};
    const one_shot scheduler{row_major{ceil_div(extent{of.height, of.width}, extent{16, 16})}};
    const auto kernel = atrous<16, 16, one_shot<row_major>, texture_source, float4>;
    writes<float4>(atrous_on_host(values[0], values[1], 4), scheduler.grid(kernel, dim3(16, 16)), kernel, scheduler,
                   in);
  }
}

TEST_CASE("A pixel of the denoiser is the same to single precision on the host", "[convolution]") {
  const extents of{23, 17};
  const numbers color = random_numbers(of, 1), surface = random_numbers(of, 2);
  const std::vector<float4> pixels[] = {pixels_of(color), pixels_of(surface)};
  const auto source = [&](int which) {
    return memory_source<float4>{{pixels[which].data(), of.width, of.height, of.width}};
  };
  for (const int step : {1, 2, 8, 64}) {
    const atrous_inputs<memory_source<float4>> in{source(0),
                                                  source(1),
                                                  step,
                                                  static_cast<float>(of_color),
                                                  static_cast<float>(of_normal),
                                                  static_cast<float>(of_depth)};
    numbers found{of.width, of.height, {}};
    for (int y = 0; y < of.height; ++y) {
      for (int x = 0; x < of.width; ++x) {
        const float4 pixel = atrous_pixel(in, x, y);
        found.of.insert(found.of.end(), {pixel.x, pixel.y, pixel.z, pixel.w});
      }
    }
    CHECK(difference(found, atrous_on_host(color, surface, step)) <= tolerance<float4>);
  }
}
