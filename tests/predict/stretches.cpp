// Advice from stretches is as good as from whole replays, and the pieces that it is made of are right.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <heddle/predict/advise.hpp>
#include <heddle/predict/batched_problem.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/predict/traffic.hpp>

#include "../test.hpp"
#include "by_table.hpp"
#include "moved_by.hpp"
#include "naive.hpp"
#include "stencil.hpp"

namespace {

using namespace heddle;
using namespace heddle::predict;
using namespace heddle_test;

/// A chip without L1: `advise` names an order alone.
device without_l1() {
  device chip = h200();
  chip.l1_bytes = 0;
  return chip;
}

/// Checks that no launch that competes moves so few bytes by whole replays that the advised one is behind.
template <class Problem>
void check_choice(const Problem& problem, const device& chip, int blocks) {
  const advice advised = advise(problem, chip, blocks);
  const auto moved = [&](const recipe& by) {
    const wave_traffic total = moved_by(by, problem, chip, blocks).total;
    return static_cast<double>(total.dram_bytes + total.written_bytes);
  };
  CAPTURE(to_string(advised), advised.reason, advised.replayed);
  const double mine = moved(advised.order_alone());
  CHECK(std::abs(static_cast<double>(advised.predicted_bytes) - mine) < 0.05 * mine);
  for (const recipe& other : detail::question_of(problem, chip, blocks).rules.launches) {
    CAPTURE(to_string(other));
    CHECK(mine < 1.1 * moved(other));
  }
}

}  // namespace

TEST_CASE("The stretches choose as whole replays of all orders do", "[predict]") {
  const device slow = [] {  // bytes decide
    device chip = without_l1();
    chip.dram_bytes_per_second /= 64;
    return chip;
  }();
  for (const auto& [pass, blocks] :
       {std::pair{stencil{.image = {2130, 26'676}, .tile = {16, 32}, .bytes = 16, .radius = {18, 0}, .step = 52}, 2},
        {stencil{.image = {20'551, 5543}, .tile = {32, 16}, .bytes = 28, .radius = {3, 2}, .step = 127}, 16}}) {
    stencil_problem known = pass;
    known.instructions_per_pixel = 1;
    check_choice(known, slow, blocks);
  }
  check_choice(gemm_problem{.m = 60'000, .n = 40'000, .k = 1024, .tile_n = 256}, slow, 1);
  check_choice(batched_problem{.plane = {.m = 16384, .n = 16384, .k = 1024}, .count = 4}, slow, 1);
  // B just fits, so that row_major reads every byte once.
  const gemm_problem fits{.m = 279'179, .n = 20'315, .k = 756};
  CHECK(moved_by({}, fits, h200(), 1).again == 0);
  CHECK(moved_by({}, fits, h200(), 1, 1 << 19).again == 0);
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

TEST_CASE("A short launch is replayed whole, and stretches are never less than what is read once", "[predict]") {
  CHECK(advise(gemm_problem{.m = 8192, .n = 8192, .k = 8192}, h200()).replayed == 1);
  CHECK(advise(batched_problem{.plane = {.m = 512, .n = 4096, .k = 4096}, .count = 64}, h200()).replayed == 1);
  const stencil_problem near{
      .rows = 900, .cols = 1700, .bytes_per_pixel = 16, .rows_radius = 2, .cols_radius = 1, .step = 5};
  // Few tiles, though taps reach so far that a long row of tiles would have too many ranges.
  const stencil_problem far = stencil{.image = {8, 1700}, .tile = {8, 1}, .bytes = 16, .radius = {0, 100}, .step = 17};
  for (const stencil_problem& pass : {near, far}) {
    for (const recipe& by : detail::orders_over<extent>::usual(pass.grid())) {
      const detail::moved_bytes whole = moved_by(by, pass, h200(), 8), some = moved_by(by, pass, h200(), 8, 1000);
      CHECK(whole.replayed == 1);
      CHECK(whole.total ==
            by_table(by, pass.grid(), [&](const auto& order) { return traffic(order, pass, h200(), 8).total; }));
      CHECK((some.replayed > 0 && some.replayed <= 1));
      CHECK(some.total.dram_bytes >= pass.compulsory_bytes());
    }
  }
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
