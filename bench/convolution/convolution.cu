// The passes of examples/convolution over orders and schedules. All compositions of a row take turns in one process on
// the same images, and each must give the same bits as raster, one tile a block.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <heddle/heddle.hpp>

#include "convolution/atrous.cuh"
#include "convolution/blur.cuh"
#include "convolution/dense.cuh"

namespace {

using namespace convolution;
using namespace heddle;

constexpr const char* usage =
    "usage: bench_convolution [--pass atrous|filter|blur|dense|all] [--size WxH] [--step S] [--rounds R] [--json FILE]\n"
    "\n"
    "Times full-screen passes on this GPU over orders and schedules, beside raster by one_shot.\n"
    "\n"
    "  --pass P    atrous: a level of the denoiser, float4 and half4; filter: its levels of steps 1 to 16 one after\n"
    "              another; blur: along columns, radius 32; dense: 17 x 17 taps; all (default)\n"
    "  --size WxH  one extent alone (default 2560x1440, 3840x2160, 7680x4320, 16384x8192 and, for the blur, 65536x8192)\n"
    "  --step S    one step alone (default 1, 4, 16, 64)\n"
    "  --rounds R  launches of each; medians are shown (default 7)\n"
    "  --json FILE write the figures to FILE\n"
    "  --help      show this\n";

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "bench_convolution: %s\n\n%s", what.c_str(), usage);
  std::exit(2);
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bench_convolution: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

struct size {
  int width, height;
};

struct options {
  std::string pass = "all", json;
  std::vector<size> sizes{{2560, 1440}, {3840, 2160}, {7680, 4320}, {16384, 8192}};
  std::vector<int> steps{1, 4, 16, 64};
  int rounds = 7;
  bool all_sizes = true;
};

options parse(int count, char** arguments) {
  options chosen;
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    if (option == "--help") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    if (option != "--pass" && option != "--size" && option != "--step" && option != "--rounds" && option != "--json") {
      refuse("unknown option '" + option + "'");
    }
    if (++i == count) refuse(option + ": its value is missing");
    const std::string value = arguments[i];
    if (option == "--pass") {
      chosen.pass = value;
      const std::string known[] = {"atrous", "filter", "blur", "dense", "all"};
      if (std::find(std::begin(known), std::end(known), value) == std::end(known))
        refuse("--pass: '" + value + "' is not known");
    }
    if (option == "--size") {
      size own{};
      if (std::sscanf(value.c_str(), "%dx%d", &own.width, &own.height) != 2 || own.width < 1 || own.height < 1 ||
          own.width > 1 << 17 || own.height > 1 << 17) {
        refuse("--size: two numbers from 1 to 131072 with an x between are wanted, not '" + value + "'");
      }
      chosen.sizes = {own};
      chosen.all_sizes = false;
    }
    if (option == "--step") chosen.steps = {std::atoi(value.c_str())};
    if (option == "--rounds") chosen.rounds = std::atoi(value.c_str());
    if (option == "--json") chosen.json = value;
  }
  if (chosen.steps[0] < 1 || chosen.steps[0] > 4096) refuse("--step: a number from 1 to 4096 is wanted");
  if (chosen.rounds < 1) refuse("--rounds: at least 1 is wanted");
  return chosen;
}

template <class Value>
class device_array {
 public:
  explicit device_array(std::size_t count) : count_(count) { check(cudaMalloc(&data_, sizeof(Value) * (count + 1))); }
  device_array(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }
  Value* data() const { return data_; }
  std::size_t bytes() const { return sizeof(Value) * count_; }

 private:
  std::size_t count_;
  Value* data_ = nullptr;
};

/// Noise on slopes: neighbours are alike, but not the same.
template <class Pixel>
__global__ void fill(image<Pixel> out, unsigned seed) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  if (x >= out.width) return;
  const auto noise = [&](unsigned channel) {
    unsigned word =
        (static_cast<unsigned>(x) * 0x9e3779b1u) ^ (static_cast<unsigned>(y) * 0x85ebca77u) ^ (seed + channel);
    word = (word ^ word >> 16) * 0x7feb352du;
    word = (word ^ word >> 15) * 0x846ca68bu;
    return static_cast<float>((word ^ word >> 16) >> 8) * 0x1p-24f;
  };
  const float slope = 0.5f * static_cast<float>(x) / static_cast<float>(out.width);
  assign(out(x, y), float4{slope + 0.5f * noise(1), slope + 0.5f * noise(2), slope + 0.5f * noise(3), noise(4)});
}

__global__ void add_up(const unsigned long long* words, std::size_t count, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    mine += words[i] * (2 * i + 1);
  }
  atomicAdd(sum, mine);
}

struct contestant {
  std::string order, schedule;
  extent tile;
  std::function<void()> run;
  std::vector<float> times{};
};

/// What compositions need beside the pass, for as long as they are timed.
class compositions {
 public:
  explicit compositions(extent tile) : tile_(tile) { check(cudaMemset(state_.data(), 0, state_.bytes())); }

  /// `enqueue(scheduler)` with each order and schedule that there is reason to try.
  template <class Enqueue>
  void add_all(std::vector<contestant>& all, extent grid, int step, Enqueue enqueue) {
    const auto add = [&](const std::string& order, const std::string& schedule, const auto& scheduler) {
      all.push_back({order, schedule, tile_, [=] { check(enqueue(scheduler)); }});
    };
    const auto affine = [&](const std::string& name, const auto& order, int run) {
      add(name, "sm_affine, run " + std::to_string(run), sm_affine{order, state_.data(), run});
    };
    add("row_major", "one_shot", one_shot{row_major{grid}});
    add("row_major", "strided", strided{row_major{grid}});
    for (const int width : {8, 16, 32, 64, 128}) {
      if (width >= grid.cols) continue;
      add("thread_group_tiling, width " + std::to_string(width), "one_shot",
          one_shot{thread_group_tiling{grid, width, axis::x}});
    }
    add("morton", "one_shot", one_shot{morton{grid}});
    for (const int width : {2, 8}) {
      affine("thread_group_tiling, width " + std::to_string(width), thread_group_tiling{grid, width, axis::x},
             16 * width);
    }
    const extent apart{std::max(1, step / tile_.rows), std::max(1, step / tile_.cols)};
    if (apart.rows == 1 && apart.cols == 1) return;
    const std::string name =
        "dilated, step " + std::to_string(apart.rows) + "x" + std::to_string(apart.cols) + ", width ";
    for (const int width : {1, 2, 4, 16}) {
      const dilated order{grid, apart, width};
      add(name + std::to_string(width), "one_shot", one_shot{order});
      for (const int lines : {8, 32}) {
        if (width < 16) affine(name + std::to_string(width), order, lines * width);
      }
    }
  }

 private:
  extent tile_;
  device_array<char> state_{sm_affine<>::state_bytes()};
};

class figures {
 public:
  explicit figures(const options& chosen) : chosen_(chosen) {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  figures(const figures&) = delete;
  ~figures() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  /// Times them in turns. The first is what the others are compared with, and whose bits they must have.
  template <class Pixel>
  void measure(const std::string& row, std::vector<contestant>& all, const device_array<Pixel>& out) {
    unsigned long long expected = 0;
    for (contestant& each : all) {
      check(cudaMemset(out.data(), 0xff, out.bytes()));
      check(cudaMemset(sum_.data(), 0, sum_.bytes()));
      each.run();
      add_up<<<1056, 256>>>(reinterpret_cast<const unsigned long long*>(out.data()), out.bytes() / 8, sum_.data());
      unsigned long long found = 0;
      check(cudaMemcpy(&found, sum_.data(), sizeof found, cudaMemcpyDeviceToHost));
      if (&each == &all[0]) expected = found;
      if (found == expected) continue;
      std::fprintf(stderr, "bench_convolution: %s: %s by %s is not the same\n", row.c_str(), each.order.c_str(),
                   each.schedule.c_str());
      std::exit(1);
    }
    for (int round = 0; round < chosen_.rounds; ++round) {
      for (contestant& each : all) {
        check(cudaEventRecord(begin_));
        each.run();
        check(cudaEventRecord(end_));
        check(cudaEventSynchronize(end_));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin_, end_));
        each.times.push_back(milliseconds);
      }
    }
    for (contestant& each : all) std::sort(each.times.begin(), each.times.end());
    const auto median = [](const contestant& of) { return of.times[of.times.size() / 2]; };
    const float raster = median(all[0]);
    std::printf("%s\n", row.c_str());
    for (const contestant& each : all) {
      std::printf("  %-36s %-22s %dx%-3d %9.4f ms  %6.3f\n", each.order.c_str(), each.schedule.c_str(), each.tile.rows,
                  each.tile.cols, median(each), raster / median(each));
      char line[512];
      std::snprintf(line, sizeof line,
                    "%s  {\"row\": \"%s\", \"order\": \"%s\", \"schedule\": \"%s\", \"tile\": \"%dx%d\", \"ms\": %.5f}",
                    json_.empty() ? "" : ",\n", row.c_str(), each.order.c_str(), each.schedule.c_str(), each.tile.rows,
                    each.tile.cols, median(each));
      json_ += line;
    }
    std::fflush(stdout);
  }

  void write() const {
    if (chosen_.json.empty()) return;
    std::FILE* const file = std::fopen(chosen_.json.c_str(), "w");
    if (file == nullptr) refuse("--json: '" + chosen_.json + "' cannot be written");
    std::fprintf(file, "[\n%s\n]\n", json_.c_str());
    std::fclose(file);
  }

 private:
  const options& chosen_;
  cudaEvent_t begin_, end_;
  device_array<unsigned long long> sum_{1};
  std::string json_;
};

std::string name_of(const char* pass, const char* pixels, size of) {
  return std::string(pass) + ", " + pixels + ", " + std::to_string(of.width) + "x" + std::to_string(of.height);
}

template <class Pixel>
struct images {
  size of;
  device_array<Pixel> memory[4]{device_array<Pixel>(count()), device_array<Pixel>(count()),
                                device_array<Pixel>(count()), device_array<Pixel>(count())};

  std::size_t count() const { return static_cast<std::size_t>(of.width) * static_cast<std::size_t>(of.height); }
  image<Pixel> view(int which) const { return {memory[which].data(), of.width, of.height, of.width}; }
  memory_source<Pixel> source(int which) const { return {{memory[which].data(), of.width, of.height, of.width}}; }

  explicit images(size of_) : of(of_) {
    for (int which = 0; which < 2; ++which) {
      const dim3 blocks(static_cast<unsigned>((of.width + 255) / 256), static_cast<unsigned>(of.height));
      fill<<<blocks, 256>>>(view(which), static_cast<unsigned>(which) * 77);
    }
    check(cudaDeviceSynchronize());
  }
};

/// A launch of one level, by any scheduler.
template <int Rows, int Cols, class Pixel, class Scheduler>
cudaError_t enqueue_level(const Scheduler& scheduler, const atrous_inputs<memory_source<Pixel>>& in, image<Pixel> out) {
  const auto kernel = atrous<Rows, Cols, Scheduler, memory_source<Pixel>, Pixel>;
  return launch(scheduler.grid(kernel, dim3(Cols, Rows)), nullptr, kernel, scheduler, in, out);
}

template <int Rows, int Cols, class Pixel>
void add_levels(std::vector<contestant>& all, compositions& by, const images<Pixel>& on,
                const std::vector<int>& steps) {
  const extent grid = ceil_div(extent{on.of.height, on.of.width}, extent{Rows, Cols});
  by.add_all(all, grid, steps.back(), [=, &on](const auto& scheduler) {
    cudaError_t error = cudaSuccess;
    for (std::size_t level = 0; level < steps.size(); ++level) {
      const int from = level == 0                        ? 0
                       : (steps.size() - level) % 2 == 1 ? 3
                                                         : 2,
                to = (steps.size() - level) % 2 == 1 ? 2 : 3;
      const atrous_inputs<memory_source<Pixel>> in{on.source(from), on.source(1), steps[level], 4, 2, 4};
      if (error == cudaSuccess) error = enqueue_level<Rows, Cols>(scheduler, in, on.view(to));
    }
    return error;
  });
}

template <class Pixel>
void denoise(const options& chosen, figures& all, const char* pixels) {
  for (const size of : chosen.sizes) {
    const images<Pixel> on(of);
    compositions square({16, 16}), flat({8, 16});
    if (chosen.pass == "atrous" || chosen.pass == "all") {
      for (const int step : chosen.steps) {
        std::vector<contestant> contestants;
        add_levels<16, 16>(contestants, square, on, {step});
        add_levels<8, 16>(contestants, flat, on, {step});
        all.measure(name_of("atrous", pixels, of) + ", step " + std::to_string(step), contestants, on.memory[2]);
      }
    }
    if (chosen.pass == "filter" || chosen.pass == "all") {
      std::vector<contestant> contestants;
      add_levels<16, 16>(contestants, square, on, {1, 2, 4, 8, 16});
      add_levels<8, 16>(contestants, flat, on, {1, 2, 4, 8, 16});
      all.measure(name_of("filter of 5 levels", pixels, of), contestants, on.memory[2]);
    }
  }
}

template <int Rows>
void add_columns(std::vector<contestant>& all, compositions& by, const images<float4>& on,
                 const blur_weights& weights) {
  const extent grid = ceil_div(extent{on.of.height, on.of.width}, extent{Rows, tile_cols_of_columns});
  by.add_all(all, grid, 1, [=, &on]<class Scheduler>(const Scheduler& scheduler) {
    const auto kernel = blur_columns<Rows, Scheduler, memory_source<float4>, float4>;
    return launch(scheduler.grid(kernel, tile_cols_of_columns), nullptr, kernel, scheduler, weights, on.source(0),
                  on.view(2));
  });
}

void blur(const options& chosen, figures& all) {
  std::vector<size> sizes = chosen.sizes;
  if (chosen.all_sizes) sizes.push_back({65536, 8192});
  blur_weights weights{};
  weights.radius = 32;
  for (int tap = -32; tap <= 32; ++tap) weights.of[tap + most_radius + most_rows_of_thread] = 1 / 65.0f;
  for (const size of : sizes) {
    const images<float4> on(of);
    compositions four({4, 128}), eight({8, 128}), sixteen({16, 128}), many({32, 128});
    std::vector<contestant> contestants;
    add_columns<16>(contestants, sixteen, on, weights);
    std::vector<contestant> others;
    add_columns<4>(others, four, on, weights);
    add_columns<8>(others, eight, on, weights);
    add_columns<32>(others, many, on, weights);
    for (contestant& each : others) {
      if (each.order == "row_major") contestants.push_back(std::move(each));  // the best of any height, for comparison
    }
    all.measure(name_of("blur along columns", "float4", of) + ", radius 32", contestants, on.memory[2]);
  }
}

void dense_pass(const options& chosen, figures& all) {
  constexpr int radius = 8, taps = (2 * radius + 1) * (2 * radius + 1);
  const std::vector<float> weights(taps, 1.0f / taps);
  const device_array<float> on_device(taps);
  check(cudaMemcpy(on_device.data(), weights.data(), on_device.bytes(), cudaMemcpyHostToDevice));
  for (const size of : chosen.sizes) {
    const images<float4> on(of);
    compositions by({dense_tile_rows, dense_tile_cols});
    const extent grid = ceil_div(extent{of.height, of.width}, extent{dense_tile_rows, dense_tile_cols});
    std::vector<contestant> contestants;
    by.add_all(contestants, grid, 1, [&]<class Scheduler>(const Scheduler& scheduler) {
      const auto kernel = dense<Scheduler, memory_source<float4>, float4>;
      const dim3 threads(dense_tile_cols, dense_threads_y);
      return launch(scheduler.grid(kernel, threads, dense_smem_bytes(radius)), nullptr, kernel, scheduler,
                    dense_weights{radius, on_device.data()}, on.source(0), on.view(2));
    });
    all.measure(name_of("dense 17x17", "float4", of), contestants, on.memory[2]);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const options chosen = parse(count, arguments);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("bench_convolution: no CUDA device: skipped\n");
    return 77;
  }
  figures all(chosen);
  if (chosen.pass == "atrous" || chosen.pass == "filter" || chosen.pass == "all") {
    denoise<float4>(chosen, all, "float4");
    denoise<half4>(chosen, all, "half4");
  }
  if (chosen.pass == "blur" || chosen.pass == "all") blur(chosen, all);
  if (chosen.pass == "dense" || chosen.pass == "all") dense_pass(chosen, all);
  all.write();
  return 0;
}
