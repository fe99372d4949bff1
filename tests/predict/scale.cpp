// Advice for problems of many tiles, of which some waves are replayed: it is near a full replay, and takes little time
// and memory.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <heddle/order/batched.hpp>
#include <heddle/order/grouped.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/predict/advise.hpp>
#include <heddle/predict/advise_space.hpp>

#include "../../examples/01_order/attention.hpp"
#include "../test.hpp"
#include "held_bytes.hpp"
#include "naive.hpp"
#include "sanitized.hpp"

namespace {

using namespace heddle;
using namespace heddle::predict;
using namespace heddle_test;

constexpr int most_tiles_of_all = 0x7fffffff;

/// Checks the time and the memory of an advice, with room for slow machines.
template <class Problem>
void check_cost(const char* name, const Problem& problem, int blocks) {
  const std::size_t before = begin_of_held();
  const auto start = std::chrono::steady_clock::now();
  const auto advised = advise(problem, h200(), blocks);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  CAPTURE(name, seconds, to_string(advised), advised.reason);
  CHECK(advised.predicted_bytes > 0);
  CHECK(advised.bytes_error >= 0);
  CHECK((advised.reason.find("standard error") != std::string::npos) == (advised.bytes_error > 0));
#if defined(__OPTIMIZE__) && !defined(SANITIZED)
  CHECK(seconds < 2);
  CHECK(most_held() - before < 64 << 20);
#endif
}

/// Returns what all waves of an order move, by the problem's exact replay.
template <class Problem>
double moved_by(const advice& order, const Problem& problem, const device& chip, int blocks) {
  const schedule_choice schedule{order.schedule == schedule_kind::sm_affine ? order.schedule : schedule_kind::one_shot,
                                 order.run};
  const wave_traffic total = with_order(
      order, problem.grid(), [&](const auto& tiles) { return traffic(tiles, problem, chip, blocks, schedule).total; });
  return static_cast<double>(total.dram_bytes + total.written_bytes);
}

/// Checks the bytes of an advice against a full replay. Returns whether it was a sample.
template <class Problem>
bool check_bytes(const Problem& problem, const device& chip, int blocks) {
  const advice advised = advise(problem, chip, blocks);
  const double moved = moved_by(advised, problem, chip, blocks);
  CAPTURE(to_string(advised), advised.reason, advised.predicted_bytes, moved, advised.bytes_error);
  CHECK(std::abs(static_cast<double>(advised.predicted_bytes) - moved) <= 0.02 * moved);
  return advised.bytes_error > 0;
}

/// A chip without L1: `advise` names an order alone.
device without_l1() {
  device chip = h200();
  chip.l1_bytes = 0;
  return chip;
}

}  // namespace

TEST_CASE("Advice for up to 2^31 - 1 tiles takes little time and memory", "[predict]") {
  check_cost("100 000 x 100 000 pixels",
             stencil_problem{.rows = 100'000,
                             .cols = 100'000,
                             .tile_rows = 8,
                             .tile_cols = 8,
                             .bytes_per_pixel = 32,
                             .rows_radius = 2,
                             .cols_radius = 2,
                             .step = 16,
                             .written_bytes_per_pixel = 16},
             8);
  check_cost("370 720 x 370 720 pixels",
             stencil_problem{.rows = 370'720,
                             .cols = 370'720,
                             .tile_rows = 8,
                             .tile_cols = 8,
                             .bytes_per_pixel = 32,
                             .rows_radius = 2,
                             .cols_radius = 2,
                             .step = 1},
             8);
  check_cost("one row of pixels",
             stencil_problem{.rows = 1,
                             .cols = most_tiles_of_all,
                             .tile_rows = 1,
                             .tile_cols = 1,
                             .bytes_per_pixel = 4,
                             .cols_radius = 3,
                             .step = 5},
             8);
  check_cost("one column of pixels",
             stencil_problem{.rows = most_tiles_of_all,
                             .cols = 1,
                             .tile_rows = 1,
                             .tile_cols = 1,
                             .bytes_per_pixel = 4,
                             .rows_radius = 3,
                             .step = 5},
             8);
  check_cost("200 000³", gemm_problem{.m = 200'000, .n = 200'000, .k = 200'000}, 1);
  check_cost("one row of tiles", gemm_problem{.m = 1, .n = most_tiles_of_all, .k = 4096, .tile_m = 1, .tile_n = 1}, 1);
  check_cost("one column of tiles", gemm_problem{.m = most_tiles_of_all, .n = 1, .k = 64, .tile_m = 1, .tile_n = 1}, 1);
  check_cost("46 340 x 46 340 tiles", gemm_problem{.m = 46'340 * 128, .n = 46'340 * 128, .k = 8192}, 1);
  check_cost("46 340 x 46 340 tiles, short",
             gemm_problem{.m = 46'340 * 128, .n = 46'340 * 128, .k = 64, .output_bytes = 0}, 1);
  check_cost("attention", attention{.queries = 128 << 14, .keys = 16384, .heads = 1 << 16, .key_heads = 1 << 13}, 1);

  check_cost("2^20 planes",
             batched_problem{.plane = {.m = 256, .n = 256, .k = 512}, .count = 1 << 20, .planes_per_b = 1 << 20}, 1);
  check_cost("2^31 - 1 planes",
             batched_problem{.plane = {.m = 128, .n = 128, .k = 512}, .count = most_tiles_of_all, .planes_per_b = 64},
             1);
  check_cost("30 large planes",
             batched_problem{.plane = {.m = 8000 * 128, .n = 8000 * 128, .k = 8192}, .count = 30, .planes_per_a = 30},
             1);
  grouped_problem groups{.rows = {}, .n = 32'768, .k = 4096, .step_rows = 16};
  for (int group = 0; group < 1 << 14; ++group) groups.rows.push_back(group * 7919 % 130'000);
  check_cost("2^14 groups", groups, 1);
  check_cost("one group", grouped_problem{.rows = {most_tiles_of_all}, .n = 1, .k = 64, .tile_m = 1, .tile_n = 1}, 1);
  check_cost("64 long heads", causal_problem{.queries = 1 << 23, .keys = 1 << 23, .heads = 64, .key_heads = 8}, 2);
  check_cost("2^31 - 1 heads", causal_problem{.queries = 128, .keys = 8192, .heads = most_tiles_of_all, .width = 16},
             1);
}

TEST_CASE("The bytes of an advice from a sample are within 2 % of a full replay", "[predict]") {
  dice roll;
  int samples = 0;
  for (int i = 0; i < 16; ++i) {
    const gemm_problem product{.m = roll(20'000, 60'000),
                               .n = roll(20'000, 60'000),
                               .k = 64 << roll(0, 6),
                               .tile_n = 128 * roll(1, 2),
                               .output_bytes = 2 * roll(0, 1)};
    CAPTURE(i, product.m, product.n, product.k, product.tile_n, product.output_bytes);
    samples += check_bytes(product, h200(), 1);
  }
  for (int i = 0; i < 16; ++i) {
    const stencil_problem pass{.rows = roll(8000, 24'000),
                               .cols = roll(8000, 24'000),
                               .tile_rows = 8 * roll(1, 2),
                               .tile_cols = 16 * roll(1, 2),
                               .bytes_per_pixel = 4 * roll(1, 8),
                               .rows_radius = roll(0, 2),
                               .cols_radius = roll(0, 2),
                               .step = 1 << roll(0, 6),
                               .written_bytes_per_pixel = 16 * roll(0, 1)};
    CAPTURE(i, pass.rows, pass.cols, pass.tile_rows, pass.tile_cols, pass.bytes_per_pixel, pass.rows_radius,
            pass.cols_radius, pass.step);
    samples += check_bytes(pass, without_l1(), 8);
  }
  const attention heads{.queries = 1 << 17, .keys = 16384, .heads = 64, .key_heads = 16};
  samples += check_bytes(heads, h200(), 1);
  WARN(samples << " of 33 were samples");
  CHECK(samples > 10);
}

TEST_CASE("The bytes of a space's advice from a sample are within 2 % of a full replay", "[predict]") {
  const auto moved = [](const auto& order, const auto& problem) {
    const wave_traffic total = traffic(order, problem, h200()).total;
    return static_cast<double>(total.dram_bytes + total.written_bytes);
  };
  const auto near = [](const space_advice& advised, double target) {
    CAPTURE(to_string(advised), advised.predicted_bytes, target, advised.bytes_error);
    CHECK(std::abs(static_cast<double>(advised.predicted_bytes) - target) <= 0.02 * target);
  };
  const batched_problem layers{.plane = {.m = 128 * 1024, .n = 128 * 1024, .k = 4096, .tile_k = 4096}, .count = 2};
  const space_advice of_layers = advise(layers, h200());
  near(of_layers, with_order(of_layers, layers.plane.grid(), [&](const auto& order) {
         return moved(batched{order, layers.count, of_layers.interleave}, layers);
       }));

  CHECK(of_layers.bytes_error > 0);
  const causal_problem pass{.queries = 1 << 22, .keys = 1 << 22, .heads = 128, .key_heads = 32, .tile_keys = 1 << 22};
  const space_advice of_pass = advise(pass, h200());
  const thread_group_tiling sections{pass.grid(), of_pass.width};
  near(of_pass, of_pass.is_reversed ? moved(reversed{sections}, pass) : moved(sections, pass));

  grouped_problem groups{.rows = {}, .n = 16'384, .k = 4096, .tile_k = 4096};
  for (int group = 0; group < 1024; ++group) groups.rows.push_back(group * 7919 % 4001);
  const space_advice of_groups = advise(groups, h200());
  std::vector<std::max_align_t> state(grouped::state_bytes(groups.shape()) / sizeof(std::max_align_t) + 1);
  const std::vector<int> ends = groups.ends();
  near(of_groups,
       moved(grouped{groups.shape(), state.data(), of_groups.width, of_groups.axis, of_groups.sequence}.on_host(
                 ends.data()),
             groups));
  CHECK(of_groups.bytes_error > 0);
}

TEST_CASE("A short problem is replayed whole", "[predict]") {
  CHECK(advise(gemm_problem{.m = 8192, .n = 8192, .k = 8192}, h200()).bytes_error == 0);
  CHECK(advise(batched_problem{.plane = {.m = 512, .n = 4096, .k = 4096}, .count = 64}, h200()).bytes_error == 0);
}

TEST_CASE("Values of a sparse array are those of a map", "[predict]") {
  dice roll;
  detail::sparse<int> values;
  detail::sparse<int>::place near;
  std::map<long long, int> expected;
  for (int i = 0; i < 200'000; ++i) {
    const long long number = roll(0, 3) == 0 ? (1LL << roll(0, 61)) + roll(0, 40) : roll(0, 1 << 19);
    int& value = roll(0, 1) == 0 ? values[number] : values.at(number, near);
    REQUIRE(value == expected[number]);
    value = expected[number] = i;
  }
}

TEST_CASE("A long direction of a stencil has the cells of a short one", "[predict]") {
  dice roll;
  for (int i = 0; i < 300; ++i) {
    const int tile = roll(1, 9), radius = roll(0, 3), step = roll(1, 20), pixels = tile * roll(60, 200) + roll(0, 8);
    CAPTURE(i, tile, radius, step, pixels);
    const detail::tap_cells cells(pixels, tile, radius, step);
    int first = 0;
    std::vector<int> begins;
    for (int cell = 0; cell < cells.size(); ++cell) {
      begins.push_back(first);
      first += cells.pixels(cell);
    }
    begins.push_back(first);
    REQUIRE(first == pixels);
    for (int at = 0; at * tile < pixels; ++at) {
      std::vector<bool> read(static_cast<std::size_t>(pixels)), touched = read;
      for (int pixel = at * tile; pixel < std::min(pixels, (at + 1) * tile); ++pixel)
        for (int tap = -radius; tap <= radius; ++tap)
          read[static_cast<std::size_t>(std::clamp(pixel + tap * step, 0, pixels - 1))] = true;
      if (cells.taps() == 1) {  // the gaps between taps are narrower than the tile
        const auto begin = std::find(read.begin(), read.end(), true),
                   last = std::find(read.rbegin(), read.rend(), true).base();
        std::fill(begin, last, true);
      }
      for (int tap = 0; tap < cells.taps(); ++tap)
        for (int cell = cells.cells_of(at, tap).begin; cell < cells.cells_of(at, tap).end; ++cell)
          for (int pixel = begins[static_cast<std::size_t>(cell)]; pixel < begins[static_cast<std::size_t>(cell) + 1];
               ++pixel)
            touched[static_cast<std::size_t>(pixel)] = true;
      REQUIRE(touched == read);
      REQUIRE(cells.pixels_touched(at) == std::count(read.begin(), read.end(), true));
    }
  }
}
