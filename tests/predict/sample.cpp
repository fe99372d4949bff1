// Advice from a sample of waves is near a full replay, and so are the pieces that it is made of.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <heddle/order/batched.hpp>
#include <heddle/order/grouped.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/predict/advise.hpp>
#include <heddle/predict/batched_problem.hpp>
#include <heddle/predict/causal_problem.hpp>
#include <heddle/predict/grouped_problem.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/predict/traffic.hpp>

#include "../../examples/01_order/attention.hpp"
#include "../test.hpp"
#include "by_table.hpp"
#include "naive.hpp"
#include "stencil.hpp"

namespace {

using namespace heddle;
using namespace heddle::predict;
using namespace heddle_test;

/// Returns what all waves of an order move, by the problem's exact replay.
template <class Problem>
double moved_by(const advice& order, const Problem& problem, const device& chip, int blocks) {
  const recipe by = order.schedule == recipe::sm_affine ? static_cast<const recipe&>(order) : recipe{};
  const wave_traffic total = by_table(
      order, problem.grid(), [&](const auto& tiles) { return traffic(tiles, problem, chip, blocks, by).total; });
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

TEST_CASE("The bytes of an advice from a sample are within 2 % of a full replay", "[predict]") {
  dice roll;
  int samples = 0;
  for (int i = 0; i < 10; ++i) {
    const gemm_problem product{.m = roll(20'000, 60'000),
                               .n = roll(20'000, 60'000),
                               .k = 64 << roll(0, 6),
                               .tile_n = 128 * roll(1, 2),
                               .output_bytes = 2 * roll(0, 1)};
    CAPTURE(i, product.m, product.n, product.k, product.tile_n, product.output_bytes);
    samples += check_bytes(product, h200(), 1);
  }
  for (int i = 0; i < 10; ++i) {
    const stencil_problem pass = stencil{.image = {roll(12'000, 32'000), roll(12'000, 32'000)},
                                         .tile = {8 * roll(1, 2), 16 * roll(1, 2)},
                                         .bytes = 4 * roll(1, 8),
                                         .radius = {roll(0, 2), roll(0, 2)},
                                         .step = 1 << roll(0, 6),
                                         .written = 16 * roll(0, 1),
                                         .instructions = 100};
    CAPTURE(i, pass.rows, pass.cols, pass.tile_rows, pass.tile_cols, pass.bytes_per_pixel, pass.rows_radius,
            pass.cols_radius, pass.step);
    samples += check_bytes(pass, without_l1(), 8);
  }
  const attention heads{.queries = 1 << 17, .keys = 16384, .heads = 64, .key_heads = 16};
  samples += check_bytes(heads, h200(), 1);
  WARN(samples << " of 21 were samples");
  CHECK(samples > 5);
}

TEST_CASE("A sample chooses among orders as whole replays of all of them do", "[predict]") {
  const stencil_problem wide = stencil{
      .image = {2130, 26'676}, .tile = {16, 32}, .bytes = 16, .radius = {18, 0}, .step = 52, .instructions = 226};
  const stencil_problem high = stencil{
      .image = {20'551, 5543}, .tile = {32, 16}, .bytes = 28, .radius = {3, 2}, .step = 127, .instructions = 100};
  for (const auto& [pass, blocks] : {std::pair{wide, 2}, std::pair{high, 16}}) {
    const advice advised = advise(pass, without_l1(), blocks);
    double least = moved_by(advised, pass, without_l1(), blocks);
    for (const recipe& bands : detail::orders_over<extent>::usual(pass.grid())) {
      advice other;
      static_cast<recipe&>(other) = bands;
      least = std::min(least, moved_by(other, pass, without_l1(), blocks));
    }
    CAPTURE(pass.rows, pass.cols, to_string(advised), least);
    const auto that_count = static_cast<double>(pass.rules(without_l1(), blocks).bytes_that_count);
    CHECK(static_cast<double>(advised.predicted_bytes) <= least + that_count);
  }
  // B just fits, so that row_major reads every byte once: windows must not be mistaken for more.
  const gemm_problem fits{.m = 279'179, .n = 20'315, .k = 756};
  const advice of_fits = advise(fits, h200());
  CHECK(of_fits.order == recipe::row_major);
  const double once = moved_by({}, fits, h200(), 1);
  CHECK(std::abs(static_cast<double>(of_fits.predicted_bytes) - once) < 0.001 * once);
}

TEST_CASE("A column of tiles moves what the same tiles move as a row", "[predict]") {
  dice roll;
  for (int i = 0; i < 50; ++i) {
    const stencil_problem column = stencil{.image = {roll(1, 9000), roll(1, 3)},
                                           .tile = {roll(1, 9), 3},
                                           .bytes = 4,
                                           .radius = {roll(0, 4), 0},
                                           .step = roll(1, 40),
                                           .written = 2};
    const stencil_problem row = stencil{.image = {column.cols, column.rows},
                                        .tile = {column.tile_cols, column.tile_rows},
                                        .bytes = 4,
                                        .radius = {0, column.rows_radius},
                                        .step = column.step,
                                        .written = 2};
    const long long cache = roll(0, 4000);
    const wave_traffic of_column = traffic(row_major{column.grid()}, column, 13, cache).total,
                       of_row = traffic(row_major{row.grid()}, row, 13, cache).total;
    CAPTURE(i, column.rows, column.cols, column.tile_rows, column.rows_radius, column.step, cache);
    CHECK(of_column.requested_bytes == of_row.requested_bytes);
    CHECK(of_column.dram_bytes == of_row.dram_bytes);
    CHECK(of_column.written_bytes == of_row.written_bytes);
  }
}

TEST_CASE("The bytes of a space's advice from a sample are within 2 % of a full replay", "[predict]") {
  const auto moved = [](const auto& order, const auto& problem) {
    const wave_traffic total = traffic(order, problem, h200()).total;
    return static_cast<double>(total.dram_bytes + total.written_bytes);
  };
  const auto near = [](const advice& advised, double target) {
    CAPTURE(to_string(advised), advised.predicted_bytes, target, advised.bytes_error);
    CHECK(std::abs(static_cast<double>(advised.predicted_bytes) - target) <= 0.02 * target);
  };
  const batched_problem layers{.plane = {.m = 128 * 1024, .n = 128 * 1024, .k = 4096, .tile_k = 4096}, .count = 2};
  const advice of_layers = advise(layers, h200());
  near(of_layers, by_table(of_layers, layers.plane.grid(), [&](const auto& order) {
         return moved(batched{order, layers.count, of_layers.interleave}, layers);
       }));

  CHECK(of_layers.bytes_error > 0);
  const causal_problem pass{.queries = 1 << 22, .keys = 1 << 22, .heads = 128, .key_heads = 32, .tile_keys = 1 << 22};
  const advice of_pass = advise(pass, h200());
  const thread_group_tiling sections{pass.grid(), of_pass.width};
  near(of_pass, of_pass.reversed ? moved(reversed{sections}, pass) : moved(sections, pass));

  grouped_problem groups{.rows = {}, .n = 16'384, .k = 4096, .tile_k = 4096};
  for (int group = 0; group < 1024; ++group) groups.rows.push_back(group * 7919 % 4001);
  const advice of_groups = advise(groups, h200());
  std::vector<std::max_align_t> state(grouped::state_bytes(groups.shape()) / sizeof(std::max_align_t) + 1);
  const std::vector<int> ends = groups.ends();
  near(of_groups,
       moved(grouped{groups.shape(), state.data(), of_groups.width, of_groups.axis, of_groups.sequence}.on_host(
                 ends.data()),
             groups));
  CHECK(of_groups.bytes_error > 0);
}

TEST_CASE("The traffic of a sample is near that of all waves, and that of a short problem the same", "[predict]") {
  const gemm_problem large{.m = 200'000, .n = 200'000, .k = 1024};
  const recipe bands{recipe::cta_swizzle, 8};
  const traffic_sample of_bands = sampled_traffic({bands}, large, h200(), 1);
  const wave_traffic all = traffic(cta_swizzle{large.grid(), 8}, large, h200()).total;
  CHECK(std::abs(static_cast<double>(of_bands.total.dram_bytes - all.dram_bytes)) <
        0.02 * static_cast<double>(all.dram_bytes));
  CHECK(of_bands.bytes_error > 0);

  const stencil_problem near{
      .rows = 900, .cols = 1700, .bytes_per_pixel = 16, .rows_radius = 2, .cols_radius = 1, .step = 5};
  // Few tiles, though taps reach so far that a long row of tiles would have too many ranges.
  const stencil_problem far = stencil{.image = {8, 1700}, .tile = {8, 1}, .bytes = 16, .radius = {0, 100}, .step = 17};
  for (const stencil_problem& pass : {near, far}) {
    for (const recipe& by : detail::orders_over<extent>::usual(pass.grid())) {
      const traffic_sample whole = sampled_traffic(by, pass, h200(), 8);
      CHECK(whole.bytes_error == 0);
      CHECK(whole.total ==
            by_table(by, pass.grid(), [&](const auto& order) { return traffic(order, pass, h200(), 8).total; }));
    }
  }
}

TEST_CASE("Tiles of few bytes are taken together if they are more than 2^24", "[predict]") {
  const auto is_rough = [](int cols) {
    const stencil_problem pixels =
        stencil{.image = {4096, cols}, .tile = {1, 1}, .bytes = 4, .radius = {1, 1}, .step = 3};
    return pixels.coarse_replay(h200().l2_bytes).is_rough();
  };
  CHECK((!is_rough(1025) && !is_rough(4096) && is_rough(4097)));
}

TEST_CASE("What a sample misses is within twice its error", "[predict]") {
  const auto check = [](const recipe& by, const stencil_problem& pass, const device& chip, int blocks) {
    const traffic_sample sample = sampled_traffic(by, pass, chip, blocks);
    const wave_traffic all =
        by_table(by, pass.grid(), [&](const auto& order) { return traffic(order, pass, chip, blocks).total; });
    CAPTURE(to_string(by), sample.total.dram_bytes, all.dram_bytes, sample.bytes_error);
    CHECK(sample.bytes_error > 0);
    CHECK(std::abs(static_cast<double>(sample.total.dram_bytes - all.dram_bytes)) <=
          2 * sample.bytes_error * static_cast<double>(sample.total.dram_bytes));
  };
  // Tiles of a pixel, which are taken together.
  const stencil_problem pixels =
      stencil{.image = {4200, 4200}, .tile = {1, 1}, .bytes = 16, .radius = {1, 1}, .step = 40};
  check({}, pixels, h200(), 8);
  check({recipe::thread_group_tiling, 16}, pixels, h200(), 8);
  // Of taps that are too many, what is read again is a guess.
  const stencil_problem far =
      stencil{.image = {8701, 23'671}, .tile = {1, 4}, .bytes = 36, .radius = {21, 18}, .step = 86};
  const traffic_sample guess = sampled_traffic({recipe::thread_group_tiling, 16}, far, h200(), 4);
  const auto read = static_cast<double>(guess.total.dram_bytes);
  CHECK(guess.bytes_error * read >= 0.49 * (read - static_cast<double>(far.compulsory_bytes())));
  // Taps that reach beyond the border in a seventh of the rows.
  const stencil_problem low =
      stencil{.image = {1376, 26'622}, .tile = {1, 16}, .bytes = 44, .radius = {2, 3}, .step = 47};
  check({}, low, rtx_4090(), 2);
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
    if (i % 60'000 != 0) continue;
    for (const auto& [used, other] : expected) values[used] = 0;
    values.shrink();
    near = {};
    expected.clear();
  }
}

TEST_CASE("A cache of lines keeps what one of cells keeps", "[predict]") {
  dice roll;
  for (int i = 0; i < 200; ++i) {
    const long long capacity = roll(0, 3) == 0 ? roll(0, 30) : roll(30, 3000);
    const bool is_long = i % 50 == 0;  // so that the log is compacted, and has forgotten lines by then
    const int words = roll(1, 6), lines = is_long ? 2000 : roll(1, 12), touches = is_long ? 15'000 : 300;
    const auto bytes_of_cell = [&](int line, int cell) { return 1LL + (line * 7 + cell * 3) % 11; };
    const auto bytes_of = [&](int line, int word, std::uint64_t cells) {
      long long bytes = 0;
      for (int bit = 0; bit < 64; ++bit)
        if (cells >> bit & 1) bytes += bytes_of_cell(line, word * 64 + bit);
      return bytes;
    };
    detail::line_lru by_words(capacity, 64 * words);
    std::vector<std::pair<int, int>> kept;  // line and cell: the least recently used first
    std::set<std::pair<int, int>> seen;
    long long held = 0, expected_again = 0;
    for (int touch = 0; touch < touches; ++touch) {
      const int line = roll(0, lines - 1), word = roll(0, words - 1), first = roll(0, 63), last = roll(first, 63);
      std::uint64_t cells = 0;
      long long expected = 0;
      for (int bit = first; bit <= last; bit += roll(1, 3)) {
        cells |= 1ULL << bit;
        const std::pair<int, int> cell{line, word * 64 + bit};
        const long long bytes = bytes_of_cell(cell.first, cell.second);
        const auto at = std::find(kept.begin(), kept.end(), cell);
        if (at != kept.end()) {
          kept.erase(at);
        } else {
          held += bytes;
          expected += bytes;
          if (!seen.insert(cell).second) expected_again += bytes;
        }
        kept.push_back(cell);
        for (; held > capacity; kept.erase(kept.begin())) held -= bytes_of_cell(kept[0].first, kept[0].second);
      }
      CAPTURE(i, touch, capacity, words, lines);
      REQUIRE(by_words.touch(line, word, cells, bytes_of) == expected);
      REQUIRE(by_words.bytes_again() == expected_again);
    }
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
