// Times the passes of examples/convolution over orders and schedules. All compositions of a row take turns in one
// process on the same images, and each must give the same bits as raster with one tile per block.

#include <heddle/predict/advise.hpp>

#include "common/bench.hpp"
#include "convolution/passes.hpp"
#include "convolution/texture.hpp"

namespace {

using namespace convolution;
using namespace heddle;
using namespace heddle_bench;

constexpr const char* about =
    R"(Times full-screen passes on this GPU over orders and schedules, against raster by one_shot.

  atrous   a level of the denoiser, float4 and half4
  filter   its levels of steps 1 to 16 one after another
  texture  a level by texture objects
  blur     along columns and rows, radius 32
  dense    17 x 17
)";

struct size {
  int width, height;
};

struct options {
  std::string pass = "all", only, json;
  std::vector<size> sizes{{2560, 1440}, {3840, 2160}, {7680, 4320}, {16384, 8192}};
  std::vector<int> steps{1, 2, 4, 8, 16, 32, 64};
  int rounds = 7, rest = 0;
  bool all_sizes = true;

  bool has(const std::string& name) const { return pass == name || pass == "all"; }
};

options parse(int count, char** arguments) {
  options chosen;
  std::optional<int> step;
  const reader one_size{"two numbers from 1 to 131072 with an x between them", "", [&](const std::string& value) {
                          const std::vector<int> own = numbers_of(value, 'x', 1, 1 << 17);
                          if (own.size() != 2) return false;
                          chosen.sizes = {{own[0], own[1]}};
                          chosen.all_sizes = false;
                          return true;
                        }};
  parse_options(
      count, arguments, about,
      {{"--pass", "PASS", "this pass alone",
        one_of(chosen.pass, {"atrous", "filter", "texture", "blur", "dense", "all"})},
       {"--size", "WxH",
        "this extent alone; without it 2560x1440, 3840x2160, 7680x4320, 16384x8192 and, for the blur, 65536x8192",
        one_size},
       {"--step", "S", "this step alone; without it 1, 2, 4 … 64", number(step, 1, 4096)},
       {"--only", "TEXT",
        "raster, and what has TEXT in its order, schedule and tile, as in \"width 2 sm_affine, run 64 8x16\"; "
        "\"advised\" is what advise picks",
        text(chosen.only)},
       {"--rounds", "R", "launches of each; medians are shown", number(chosen.rounds, 1, 100'000)},
       {"--rest", "MS", "before each launch: bursts instead of a chip at its power limit",
        number(chosen.rest, 0, 1000)},
       {"--json", "FILE", "write the figures to FILE", file(chosen.json)}});
  if (step) chosen.steps = {*step};
  return chosen;
}

/// Fills an image with noise on a slope: neighbours are alike, but not the same.
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
  recipe by{};
  bool is_advised = false;
  std::vector<float> times{};

  float median() const { return heddle_bench::median(times); }
};

/// Adds the orders and schedules that are worth timing for a pass, which `enqueue(scheduler)` launches. The first is
/// raster without a table.
template <class Enqueue>
void add_all(std::vector<contestant>& all, const predict::stencil_problem& pass, int blocks, Enqueue enqueue) {
  const extent grid = pass.grid(), tile{pass.tile_rows, pass.tile_cols};
  const std::size_t first = all.size();
  all.push_back({"row_major", "one_shot", tile, [=] { check(enqueue(one_shot{row_major{grid}})); }});
  const auto add_placed = [&](const std::string& order, const recipe& by, const std::shared_ptr<placed>& where) {
    check(where->error());
    std::string schedule = to_string(by.schedule);
    if (by.schedule == recipe::sm_affine) schedule.append(", run ").append(std::to_string(by.run));
    const auto run = [=] { check(where->with([&](const auto& scheduler) { return enqueue(scheduler); })); };
    all.push_back({order, schedule, tile, run, by});
  };
  const auto add = [&](const recipe& by) {
    add_placed(to_string(by.order_alone()), by, std::make_shared<placed>(by, grid));
  };
  const tile_table::entries raster = make_tile_table(row_major{grid});
  for (const auto schedule : {recipe::one_shot, recipe::strided}) {
    const recipe by{.order = recipe::own, .schedule = schedule};
    add_placed("row_major by table", by, std::make_shared<placed>(by, grid, raster));
  }
  for (const int width : {8, 16, 32, 64, 128}) {
    if (width < grid.cols) add({recipe::thread_group_tiling, width});
  }
  add({recipe::morton});
  add({recipe::hilbert});
  const auto of_axis = [&](int radius, int of_tile) { return radius > 0 ? std::max(1, pass.step / of_tile) : 1; };
  const extent apart{of_axis(pass.rows_radius, tile.rows), of_axis(pass.cols_radius, tile.cols)};
  for (const int width : {1, 2, 4}) {
    recipe by{recipe::thread_group_tiling, width};
    if (apart.size() > 1) {
      by = {recipe::dilated, width, axis::x, apart};
      add(by);
    }
    by.schedule = recipe::sm_affine;
    for (const int lines : {8, 32, 128}) {
      by.run = lines * width;
      add(by);
    }
  }

  const recipe advised = advise(pass, predict::h200(), blocks);
  const auto is_advised = [&](const contestant& each) { return each.by == advised; };
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  if (std::none_of(begin, all.end(), is_advised)) add(advised);
  std::find_if(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(), is_advised)->is_advised = true;
}

class figures {
 public:
  explicit figures(const options& chosen)
      : chosen_(chosen), json_(chosen.json, context_json().add("rounds", chosen.rounds)) {
    json_.begin_list("rows");
  }

  void finish() { json_.finish(); }

  /// Times all contestants in turns and returns the fastest. The others are compared with the first, and must have its
  /// bits.
  template <class Pixel>
  const contestant& measure(const std::string& row, std::vector<contestant>& all, const device_array<Pixel>& out) {
    const auto is_out = [&](const contestant& each) {
      const std::string name = each.order + " " + each.schedule + " " + extents_of(each.tile);
      return name.find(chosen_.only) == std::string::npos && !(chosen_.only == "advised" && each.is_advised);
    };
    all.erase(std::remove_if(all.begin() + 1, all.end(), is_out), all.end());
    unsigned long long expected = 0;
    for (contestant& each : all) {
      out.set_bytes(0xff);
      sum_.set_bytes(0);
      each.run();
      add_up<<<1056, 256>>>(reinterpret_cast<const unsigned long long*>(out.data()), out.bytes() / 8, sum_.data());
      const unsigned long long found = sum_.first();
      if (&each == &all[0]) expected = found;
      if (found == expected) continue;
      std::fprintf(stderr, "bench_convolution: %s: %s by %s is not the same\n", row.c_str(), each.order.c_str(),
                   each.schedule.c_str());
      std::exit(1);
    }
    for (int round = 0; round < chosen_.rounds; ++round) {
      for (contestant& each : all) {
        std::this_thread::sleep_for(std::chrono::milliseconds(chosen_.rest));
        each.times.push_back(time_.milliseconds(each.run));
      }
    }
    std::printf("%s\n", row.c_str());
    for (const contestant& each : all) {
      std::printf("  %-40s %-19s %dx%-3d %9.4f ms  %6.3f%s\n", each.order.c_str(), each.schedule.c_str(),
                  each.tile.rows, each.tile.cols, each.median(), all[0].median() / each.median(),
                  each.is_advised ? "  advised" : "");
      json_object line;
      line.add("row", row).add("order", each.order).add("schedule", each.schedule).add("tile", extents_of(each.tile));
      line.add("ms", each.median(), 5);
      if (each.is_advised) line.add("advised", true);
      json_.add(line);
    }
    std::fflush(stdout);
    return *std::min_element(all.begin(), all.end(),
                             [](const auto& one, const auto& other) { return one.median() < other.median(); });
  }

 private:
  static std::string extents_of(extent tile) { return std::to_string(tile.rows) + "x" + std::to_string(tile.cols); }

  const options& chosen_;
  json_file json_;
  event_timer time_;
  device_array<unsigned long long> sum_{1};
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

/// Returns a function that launches a level of the denoiser by any scheduler.
template <extent Tile, class Source, class Pixel>
auto level(Source color, Source surface, int step, image<Pixel> out) {
  return [=](const auto& scheduler) {
    const atrous_inputs<Source> in{color, surface, step, 4, 2, 4};
    return launch_atrous<Tile>(scheduler, in, out, nullptr);
  };
}

constexpr extent square{16, 16}, flat{8, 16};

template <class Source, class Pixel>
std::vector<contestant> levels(Source color, Source surface, int step, image<Pixel> out) {
  std::vector<contestant> all;
  add_all(all, atrous_problem<Pixel, Source>(out.width, out.height, square, step), 4,
          level<square>(color, surface, step, out));
  add_all(all, atrous_problem<Pixel, Source>(out.width, out.height, flat, step), 8,
          level<flat>(color, surface, step, out));
  return all;
}

/// Times the levels one after another: by raster, by the best of each level, and by the advice for tiles of 8 x 16.
template <class Pixel>
void filter(figures& all, const std::string& row, const images<Pixel>& on) {
  std::vector<std::function<void()>> by_raster, by_best, by_advice;
  for (int i = 0; i < 5; ++i) {
    std::vector<contestant> one = levels(on.source(i == 0 ? 0 : 3 - i % 2), on.source(1), 1 << i, on.view(2 + i % 2));
    by_best.push_back(all.measure(row + ", step " + std::to_string(1 << i), one, on.memory[2 + i % 2]).run);
    const auto best_of = [&](auto is_one) {
      const contestant* best = nullptr;
      for (const contestant& each : one) {
        if (is_one(each) && (best == nullptr || each.median() < best->median())) best = &each;
      }
      return best->run;
    };
    by_raster.push_back(
        best_of([](const contestant& each) { return each.order == "row_major" && each.schedule == "one_shot"; }));
    by_advice.push_back(best_of([](const contestant& each) { return each.is_advised && each.tile == flat; }));
  }
  const auto in_turn = [](const std::vector<std::function<void()>>& levels) {
    return [=] {
      for (const auto& level : levels) level();
    };
  };
  std::vector<contestant> three{{"row_major", "one_shot", {0, 0}, in_turn(by_raster)},
                                {"the best of each level", "", {0, 0}, in_turn(by_best)},
                                {"the advised of each level", "", flat, in_turn(by_advice)}};
  all.measure(row + ", five levels", three, on.memory[2]);
}

template <class Pixel>
void denoise(const options& chosen, figures& all, const char* pixels) {
  for (const size of : chosen.sizes) {
    const images<Pixel> on(of);
    if (chosen.has("atrous")) {
      for (const int step : chosen.steps) {
        std::vector<contestant> contestants = levels(on.source(0), on.source(1), step, on.view(2));
        all.measure(name_of("atrous", pixels, of) + ", step " + std::to_string(step), contestants, on.memory[2]);
      }
    }
    if (chosen.has("filter")) filter(all, name_of("filter", pixels, of), on);
  }
}

void denoise_textures(const options& chosen, figures& all) {
  for (const size of : chosen.sizes) {
    const images<float4> on(of);
    const texture color(of.width, of.height), surface(of.width, of.height);
    check(color.error());
    check(surface.error());
    check(color.take(on.source(0).from));
    check(surface.take(on.source(1).from));
    for (const int step : chosen.steps) {
      std::vector<contestant> contestants = levels(color.source(), surface.source(), step, on.view(2));
      all.measure(name_of("atrous", "textures of float4", of) + ", step " + std::to_string(step), contestants,
                  on.memory[2]);
    }
  }
}

/// Adds the blur along columns with `Rows` rows per thread: all orders for 16 rows, raster alone for others.
template <int Rows>
void add_columns(std::vector<contestant>& all, const images<float4>& on, const blur_weights& weights) {
  const auto enqueue = [=, &on](const auto& scheduler) {
    return launch_blur_columns<Rows>(scheduler, weights, on.source(0), on.view(2), nullptr);
  };
  const extent tile{Rows, tile_cols_of_columns}, grid = tiles_of(on.of.width, on.of.height, tile);
  if constexpr (Rows == columns_tile.rows) {
    add_all(all, blur_columns_problem<float4>(on.of.width, on.of.height, weights.radius), 5, enqueue);
  } else {
    all.push_back({"row_major", "one_shot", tile, [=] { check(enqueue(one_shot{row_major{grid}})); }});
  }
}

void blur(const options& chosen, figures& all) {
  std::vector<size> sizes = chosen.sizes;
  if (chosen.all_sizes) sizes.push_back({65536, 8192});
  blur_weights weights{};
  weights.radius = 32;
  for (int tap = 0; tap < 65; ++tap) weights(tap) = 1 / 65.0f;
  for (const size of : sizes) {
    const images<float4> on(of);
    std::vector<contestant> contestants;
    add_columns<16>(contestants, on, weights);
    add_columns<8>(contestants, on, weights);
    add_columns<32>(contestants, on, weights);
    all.measure(name_of("blur along columns", "float4", of) + ", radius 32", contestants, on.memory[2]);
    contestants.clear();
    add_all(contestants, blur_rows_problem<float4>(of.width, of.height, weights.radius), 8, [&](const auto& scheduler) {
      return launch_blur_rows(scheduler, weights, on.source(0), on.view(2), nullptr);
    });
    all.measure(name_of("blur along rows", "float4", of) + ", radius 32", contestants, on.memory[2]);
  }
}

void dense_pass(const options& chosen, figures& all) {
  constexpr int radius = 8, taps = (2 * radius + 1) * (2 * radius + 1);
  const std::vector<float> weights(taps, 1.0f / taps);
  const device_array<float> on_device(taps);
  on_device.copy_from(weights.data(), weights.size());
  for (const size of : chosen.sizes) {
    const images<float4> on(of);
    std::vector<contestant> contestants;
    add_all(contestants, dense_problem<float4>(of.width, of.height, radius), 2, [&](const auto& scheduler) {
      return launch_dense(scheduler, dense_weights{radius, on_device.data()}, on.source(0), on.view(2), nullptr);
    });
    all.measure(name_of("dense 17x17", "float4", of), contestants, on.memory[2]);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const options chosen = parse(count, arguments);
  if (!has_gpu(program_invocation_short_name)) return skipped;
  figures all(chosen);
  if (chosen.has("atrous") || chosen.has("filter")) {
    denoise<float4>(chosen, all, "float4");
    denoise<half4>(chosen, all, "half4");
  }
  if (chosen.has("texture")) denoise_textures(chosen, all);
  if (chosen.has("blur")) blur(chosen, all);
  if (chosen.has("dense")) dense_pass(chosen, all);
  all.finish();
}
