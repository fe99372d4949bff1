#include <heddle/predict/traffic.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <heddle/order/column_major.hpp>
#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/dilated.hpp>
#include <heddle/order/hilbert.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/l1_traffic.hpp>

#include "../test.hpp"
#include "naive.hpp"
#include "stencil.hpp"

namespace {

using namespace heddle;
using namespace heddle::predict;
using namespace heddle_test;

constexpr long long mebibyte = 1 << 20;

// The headers replay with a log, bit maps and ranges; these replay with lists, sets and single pixels.

std::vector<wave_traffic> naive_replay(const gemm_problem& p, const std::vector<std::vector<coord>>& waves,
                                       long long cache_bytes) {
  naive_lru cache(cache_bytes);
  std::vector<wave_traffic> result;
  for (const auto& wave : waves) {
    wave_traffic bytes;
    naive_drift drift;
    for (const coord tile : wave) {
      drift.need({0, tile.row, 0}), drift.need({1, tile.col, 0});
      for (int row = tile.row * p.tile_m; row < std::min(p.m, (tile.row + 1) * p.tile_m); ++row)
        for (int col = tile.col * p.tile_n; col < std::min(p.n, (tile.col + 1) * p.tile_n); ++col)
          bytes.written_bytes += p.output_bytes;
    }
    for (int k = 0; k < p.k; k += p.tile_k) {
      const int depth = std::min(p.tile_k, p.k - k);
      std::set<key> seen;
      for (int operand = 0; operand < 2; ++operand) {
        for (const coord tile : wave) {
          const int stripe = operand == 0 ? tile.row : tile.col;
          const int size = operand == 0 ? p.m : p.n, thick = operand == 0 ? p.tile_m : p.tile_n;
          const long long slice = 1LL * std::min(thick, size - stripe * thick) * depth * p.element_bytes;
          bytes.requested_bytes += slice;
          if (!seen.insert({operand, stripe, k}).second) continue;
          const long long read = cache.touch({operand, stripe, k}, slice);
          bytes.dram_bytes += read, drift.read({operand, stripe, 0}, read);
        }
      }
    }
    if (p.blocks_per_tile == 1) bytes.dram_bytes += drift.again(bytes.dram_bytes, cache_bytes);
    result.push_back(bytes);
  }
  return result;
}

/// Returns the pixels of one direction that the taps of each tile read.
std::vector<std::set<int>> naive_footprints(int pixels, int tile, int radius, int step) {
  std::vector<std::set<int>> footprints;
  for (int begin = 0; begin < pixels; begin += tile) {
    footprints.emplace_back();
    for (int pixel = begin; pixel < std::min(pixels, begin + tile); ++pixel)
      for (int tap = -radius; tap <= radius; ++tap)
        footprints.back().insert(std::max(0, std::min(pixels - 1, pixel + tap * step)));
  }
  return footprints;
}

/// Returns the first pixel of each pixel's cell. Neighbours are in one cell if the same tiles read them.
std::vector<int> naive_cells(int pixels, const std::vector<std::set<int>>& footprints) {
  std::vector<int> cell(static_cast<unsigned>(pixels));
  for (int pixel = 1; pixel < pixels; ++pixel) {
    bool same = true;
    for (const auto& f : footprints) same = same && f.count(pixel) == f.count(pixel - 1);
    cell[static_cast<unsigned>(pixel)] = same ? cell[static_cast<unsigned>(pixel - 1)] : pixel;
  }
  return cell;
}

std::vector<wave_traffic> naive_replay(const stencil_problem& p, const std::vector<std::vector<coord>>& waves,
                                       long long cache_bytes) {
  const auto rows = naive_footprints(p.rows, p.tile_rows, p.rows_radius, p.step);
  const auto cols = naive_footprints(p.cols, p.tile_cols, p.cols_radius, p.step);
  const auto row_cells = naive_cells(p.rows, rows), col_cells = naive_cells(p.cols, cols);
  naive_lru cache(cache_bytes);
  std::vector<wave_traffic> result;
  for (const auto& wave : waves) {
    wave_traffic bytes;
    std::map<std::pair<int, int>, std::set<std::pair<int, int>>> pixels_of_cells;  // from the top to the bottom
    for (const coord tile : wave) {
      for (const int row : rows[static_cast<unsigned>(tile.row)]) {
        for (const int col : cols[static_cast<unsigned>(tile.col)]) {
          bytes.requested_bytes += p.bytes_per_pixel;
          const std::pair cell{row_cells[static_cast<unsigned>(row)], col_cells[static_cast<unsigned>(col)]};
          pixels_of_cells[cell].insert({row, col});
        }
      }
      for (int row = tile.row * p.tile_rows; row < std::min(p.rows, (tile.row + 1) * p.tile_rows); ++row)
        for (int col = tile.col * p.tile_cols; col < std::min(p.cols, (tile.col + 1) * p.tile_cols); ++col)
          bytes.written_bytes += p.written_bytes_per_pixel;
    }
    for (const auto& [cell, pixels] : pixels_of_cells)
      bytes.dram_bytes +=
          cache.touch({0, cell.first, cell.second}, static_cast<long long>(pixels.size()) * p.bytes_per_pixel);
    result.push_back(bytes);
  }
  return result;
}

template <class Problem>
void check_against_the_naive_replay(dice& roll, const Problem& p) {
  const int blocks = roll(0, 9) == 0 ? 1000 : roll(1, 9);
  long long cache = roll(0, static_cast<int>(std::min(2 * p.compulsory_bytes() + 1, 100'000'000LL)));
  if (roll(0, 9) == 0) cache = 0;
  if (roll(0, 9) == 0) cache = endless;
  const auto schedule = static_cast<recipe::schedule_kind>(roll(0, 3));

  with_some_order(roll, p.grid(), [&](const auto& order) {
    std::vector<coord> tiles;
    for (int i = 0; i < order.size(); ++i) tiles.push_back(order(i));
    const auto expected = naive_replay(p, naive_waves(tiles, blocks, schedule), cache);
    const traffic_report seen = traffic(order, p, blocks, cache, {.schedule = schedule});
    REQUIRE(seen.waves.size() == expected.size());
    wave_traffic total;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(i, blocks, cache, seen.waves[i].dram_bytes, expected[i].dram_bytes);
      REQUIRE(seen.waves[i] == expected[i]);
      total += expected[i];
    }
    REQUIRE(seen.total == total);

    REQUIRE(seen.total.dram_bytes >= seen.compulsory_bytes);
    REQUIRE(seen.total.dram_bytes <= seen.total.requested_bytes);
    REQUIRE(seen.total.reuse() >= 1);
    REQUIRE(seen.total.hit_rate() >= 0);
    REQUIRE(seen.total.hit_rate() <= 1);
    REQUIRE(traffic(order, p, blocks, endless, {.schedule = schedule}).total.dram_bytes == seen.compulsory_bytes);
  });
}

// Steps of 32 KiB a stripe, by blocks that stay in step.
const gemm_problem source_text{.m = 8192, .n = 8192, .k = 8192, .tile_k = 128, .blocks_per_tile = 2};
constexpr long long source_cache = 50'000'000;

const stencil_problem level = a_trous(64);

double a_trous_gigabytes(int width) {
  const thread_group_tiling order{level.grid(), width};
  return 1e-9 * static_cast<double>(traffic(order, level, 132 * 8, 60 * mebibyte).total.dram_bytes);
}

bool is_within(double share, double value, double target) {
  return std::abs(value - target) <= share * target;
}

}  // namespace

TEST_CASE("the source text's first raster wave reads 3 stripes of A and 64 of B, and so does every other",
          "[predict]") {
  const traffic_report seen = traffic(row_major{source_text.grid()}, source_text, 132, source_cache);
  REQUIRE(seen.waves.size() == 32);  // 4096 tiles
  CHECK(seen.waves[0].dram_bytes == (3 + 64) * 2 * mebibyte);
  CHECK(seen.waves[1].dram_bytes >= 64 * 2 * mebibyte);  // all of B again
  CHECK(seen.waves[0].dram_bytes / source_text.k_steps() == 67 * 32 * 1024);
  CHECK(seen.waves[0].requested_bytes == 132 * 4 * mebibyte);
}

TEST_CASE("the source text's waves 12 tiles wide read 12 + 11 stripes, and then 11 a wave", "[predict]") {
  const auto check = [](const auto& order) {
    const traffic_report seen = traffic(order, source_text, 132, source_cache);
    CHECK(seen.waves[0].dram_bytes == (12 + 11) * 2 * mebibyte);
    CHECK(seen.waves[0].dram_bytes / source_text.k_steps() == 23 * 32 * 1024);  // not 1.056 MB: a slip of the text
    for (int wave = 1; wave < 5; ++wave) CHECK(seen.waves[static_cast<unsigned>(wave)].dram_bytes == 11 * 2 * mebibyte);
  };
  check(cta_swizzle{source_text.grid(), 12});
  check(thread_group_tiling{source_text.grid(), 12});

  // 46 MiB lie between two reads of a stripe: a smaller cache has dropped it by then.
  const traffic_report small = traffic(cta_swizzle{source_text.grid(), 12}, source_text, 132, 45 * mebibyte);
  CHECK(small.waves[1].dram_bytes == (12 + 11) * 2 * mebibyte);
}

TEST_CASE("the à-trous pass reads what the H200's counters said, within 5 %", "[predict]") {
  CHECK(is_within(0.05, a_trous_gigabytes(level.grid().cols), 21.3));  // row_major
  CHECK(is_within(0.05, a_trous_gigabytes(16), 8.5));
  CHECK(is_within(0.05, a_trous_gigabytes(64), 5.3));
}

TEST_CASE("products in tiles of 128 x 256 read what the H200's counters said, within 5 %", "[predict]") {
  const gemm_problem by_blocks{.m = 8192, .n = 8192, .k = 8192, .tile_n = 256};
  const gemm_problem by_pairs{.m = 8192, .n = 8192, .k = 8192, .tile_m = 256, .tile_n = 256, .blocks_per_tile = 2};
  const auto check = [](const gemm_problem& p, int multiprocessors, const auto& order, double counted) {
    device chip = h200();
    chip.multiprocessors = multiprocessors;
    CHECK(is_within(0.05, 1e-9 * static_cast<double>(traffic(order, p, chip).total.dram_bytes), counted));
  };
  for (const auto& [width, axis, counted] : {std::tuple{8, axis::x, 1.17},
                                             {16, axis::x, 1.46},
                                             {24, axis::x, 1.73},
                                             {8, axis::y, 1.38},
                                             {16, axis::y, 1.20},
                                             {24, axis::y, 1.25},
                                             {32, axis::y, 1.47}}) {
    check(by_blocks, 132, cta_swizzle{by_blocks.grid(), width, axis}, counted);
  }
  for (const auto& [width, axis, counted] : {std::tuple{8, axis::x, 1.20},
                                             {16, axis::x, 1.49},
                                             {8, axis::y, 1.20},
                                             {16, axis::y, 1.47},
                                             {24, axis::y, 1.70}}) {
    check(by_pairs, 66, cta_swizzle{by_pairs.grid(), width, axis}, counted);  // clusters of two blocks
  }
  check(by_blocks, 132, hilbert{by_blocks.grid()}, 1.39);
  check(by_pairs, 66, hilbert{by_pairs.grid()}, 1.31);
}

TEST_CASE("on a chip a product's waves have one block per multiprocessor, and a stencil's all resident blocks",
          "[predict]") {
  const device chip = h200();
  const gemm_problem p{.m = 4096, .n = 4096, .k = 1024};
  const hilbert order{p.grid()};
  CHECK(traffic(order, p, chip, 2, {.schedule = recipe::chunked}).waves ==
        traffic(order, p, 132, 30 * mebibyte, {.schedule = recipe::chunked}).waves);
  const stencil_problem s{.rows = 2048, .cols = 2048, .bytes_per_pixel = 4, .rows_radius = 9};
  CHECK(traffic(row_major{s.grid()}, s, chip, 8).waves ==
        traffic(row_major{s.grid()}, s, 132 * 8, 60 * mebibyte).waves);
}

TEST_CASE("dilated reads an à-trous pass's images once, within 1 %", "[predict]") {
  const auto seen = traffic(dilated{level.grid(), {4, 4}, 16}, level, 132 * 8, 60 * mebibyte);
  CHECK(is_within(0.01, static_cast<double>(seen.total.dram_bytes), static_cast<double>(seen.compulsory_bytes)));
}

TEST_CASE("a vertical blur of a wide image reads it five times in row_major and once in bands", "[predict]") {
  const stencil_problem blur{.rows = 8192, .cols = 65536, .tile_cols = 32, .bytes_per_pixel = 16, .rows_radius = 32};
  const auto reads = [&](int width) {
    return static_cast<double>(
        traffic(thread_group_tiling{blur.grid(), width}, blur, 132 * 8, 60 * mebibyte).total.dram_bytes);
  };
  CHECK(reads(64) == static_cast<double>(blur.compulsory_bytes()));
  CHECK(reads(blur.grid().cols) > 4.5 * static_cast<double>(blur.compulsory_bytes()));
}

TEST_CASE("matrix products read what a list and a map say, slice by slice", "[predict]") {
  dice roll;
  for (int i = 0; i < 400; ++i) {
    const gemm_problem p{.m = roll(1, 60),
                         .n = roll(1, 60),
                         .k = roll(0, 40),
                         .tile_m = roll(1, 16),
                         .tile_n = roll(4, 16),
                         .tile_k = roll(1, 16),
                         .element_bytes = roll(1, 4),
                         .output_bytes = roll(0, 4),
                         .blocks_per_tile = roll(1, 2)};
    CAPTURE(i, p.m, p.n, p.k, p.tile_m, p.tile_n, p.tile_k);
    check_against_the_naive_replay(roll, p);
  }
}

TEST_CASE("stencils read what single pixels, a list and a map say", "[predict]") {
  dice roll;
  for (int i = 0; i < 400; ++i) {
    const stencil_problem p = stencil{.image = {roll(0, 7) == 0 ? 1 : roll(1, 45), roll(0, 7) == 0 ? 1 : roll(1, 45)},
                                      .tile = {roll(1, 9), roll(2, 9)},
                                      .bytes = roll(1, 8),
                                      .radius = {roll(0, 3), roll(0, 3)},
                                      .step = roll(0, 1) == 0 ? roll(1, 3) : roll(1, 20),
                                      .written = roll(0, 8)};
    CAPTURE(i, p.rows, p.cols, p.tile_rows, p.tile_cols, p.rows_radius, p.cols_radius, p.step);
    check_against_the_naive_replay(roll, p);
  }
}

TEST_CASE("a long replay, whose log is compacted many times, reads what a list and a map say", "[predict]") {
  const gemm_problem p{.m = 12 * 16, .n = 40 * 16, .k = 1024, .tile_m = 16, .tile_n = 16, .tile_k = 16};
  for (const long long cache : {100'000LL, 400'000LL, 1'000'000LL, endless}) {
    const cta_swizzle order{p.grid(), 4};
    std::vector<coord> tiles;
    for (int i = 0; i < order.size(); ++i) tiles.push_back(order(i));
    CHECK(traffic(order, p, 8, cache).waves == naive_replay(p, naive_waves(tiles, 8, recipe::one_shot), cache));
  }
}

TEST_CASE("a larger cache never reads more, where all slices are alike", "[predict]") {
  const gemm_problem p{.m = 1024, .n = 2048, .k = 512, .tile_m = 64, .tile_n = 64};
  long long before = endless;
  for (long long cache = 0; cache <= 2 * p.compulsory_bytes(); cache += p.compulsory_bytes() / 16) {
    const long long reads = traffic(cta_swizzle{p.grid(), 5}, p, 24, cache).total.dram_bytes;
    CHECK(reads <= before);
    before = reads;
  }
  CHECK(before == p.compulsory_bytes());
}

TEST_CASE("static and dynamic schedules of single tiles make the waves of one_shot and chunked does not", "[predict]") {
  const gemm_problem p{.m = 2048, .n = 2048, .k = 512};
  const auto reads = [&](recipe::schedule_kind schedule) {
    return traffic(row_major{p.grid()}, p, 20, mebibyte, {.schedule = schedule}).waves;
  };
  CHECK(reads(recipe::strided) == reads(recipe::one_shot));
  CHECK(reads(recipe::ticket) == reads(recipe::one_shot));
  CHECK(reads(recipe::chunked) != reads(recipe::one_shot));
}

TEST_CASE("nothing to do is no traffic, with a reuse and a hit rate of 1", "[predict]") {
  const auto check = [](const auto& p, long long written) {
    const traffic_report seen = traffic(row_major{p.grid()}, p, 132, 1000);
    CHECK(seen.total == wave_traffic{.written_bytes = written});
    CHECK(seen.compulsory_bytes == 0);
    CHECK(seen.total.reuse() == 1);
    CHECK(seen.total.hit_rate() == 1);
  };
  check(gemm_problem{.m = 0, .n = 64, .k = 64}, 0);
  check(gemm_problem{.m = 64, .n = 0, .k = 64}, 0);
  check(gemm_problem{.m = 64, .n = 64, .k = 0}, 64 * 64 * 2);  // C is written all the same
  check(stencil_problem{.rows = 0, .cols = 9, .bytes_per_pixel = 4, .rows_radius = 1}, 0);
  check(stencil_problem{.rows = 9, .cols = 0, .bytes_per_pixel = 4, .rows_radius = 1}, 0);
}

TEST_CASE("a wave that finds everything in the cache has an infinite reuse and hits always", "[predict]") {
  const gemm_problem p{.m = 256, .n = 256, .k = 64};
  const wave_traffic last = traffic(row_major{p.grid()}, p, 1, endless).waves[3];
  CHECK(last.requested_bytes == 2 * 128 * 64 * 2);
  CHECK(last.dram_bytes == 0);
  CHECK(last.reuse() == std::numeric_limits<double>::infinity());
  CHECK(last.hit_rate() == 1);
}

TEST_CASE("products and images of more than 2^31 elements are counted", "[predict]") {
  const gemm_problem p{
      .m = 1 << 17, .n = 1 << 17, .k = 1 << 16, .tile_m = 1 << 13, .tile_n = 1 << 13, .tile_k = 1 << 12};
  const traffic_report seen = traffic(row_major{p.grid()}, p, 132, endless);
  CHECK(seen.total.dram_bytes == (1LL << 35));
  CHECK(seen.total.written_bytes == (1LL << 35));
  CHECK(seen.total.requested_bytes == (1LL << 39));

  const stencil_problem s{
      .rows = 1 << 17, .cols = 1 << 17, .tile_rows = 1 << 12, .tile_cols = 1 << 12, .bytes_per_pixel = 16};
  CHECK(traffic(row_major{s.grid()}, s, 132, 0).total.dram_bytes == (1LL << 38));
}

TEST_CASE("traffic refuses what cannot be right, with the value and the limit", "[predict]") {
  const gemm_problem p{.m = 256, .n = 512, .k = 64};
  const stencil_problem s{.rows = 64, .cols = 64, .bytes_per_pixel = 4};
  REQUIRE_THROWS_WITH(traffic(row_major{{3, 4}}, p, 132, 0),
                      "heddle::predict::traffic: order.space().rows is 3; it must be exactly 2");
  REQUIRE_THROWS_WITH(traffic(row_major{{2, 5}}, p, 132, 0),
                      "heddle::predict::traffic: order.space().cols is 5; it must be exactly 4");
  REQUIRE_THROWS_WITH(traffic(row_major{p.grid()}, p, 0, 0),
                      "heddle::predict::traffic: concurrent_blocks is 0; it must be at least 1");
  REQUIRE_THROWS_WITH(traffic(row_major{p.grid()}, p, h200(), 0),
                      "heddle::predict::traffic: blocks_per_multiprocessor is 0; it must be at least 1");
  REQUIRE_THROWS_WITH(traffic(row_major{s.grid()}, s, 1, -5),
                      "heddle::predict::traffic: cache_bytes is -5; it must be at least 0");

  REQUIRE_THROWS_WITH((gemm_problem{.m = -1, .n = 1, .k = 1}).grid(),
                      "heddle::predict::gemm_problem: m is -1; it must be at least 0");
  REQUIRE_THROWS_WITH((gemm_problem{.m = 1, .n = 1, .k = 1, .tile_n = 0}).grid(),
                      "heddle::predict::gemm_problem: tile_n is 0; it must be at least 1");
  REQUIRE_THROWS_WITH((gemm_problem{.m = 1, .n = 1, .k = 1, .tile_k = 0}).k_steps(),
                      "heddle::predict::gemm_problem: tile_k is 0; it must be at least 1");
  REQUIRE_THROWS_WITH((gemm_problem{.m = 1, .n = 1, .k = 1, .element_bytes = 65}).check(),
                      "heddle::predict::gemm_problem: element_bytes is 65; it must be at most 64");
  REQUIRE_THROWS_WITH((gemm_problem{.m = 1 << 30, .n = 1 << 30, .k = 1 << 30}).check(),
                      "heddle::predict::gemm_problem: exabytes requested is 38685626; it must be at most 4");

  REQUIRE_THROWS_WITH((stencil_problem{.rows = 1, .cols = -1, .bytes_per_pixel = 4}).grid(),
                      "heddle::predict::stencil_problem: cols is -1; it must be at least 0");
  REQUIRE_THROWS_WITH((stencil_problem{.rows = 1, .cols = 1, .bytes_per_pixel = 0}).check(),
                      "heddle::predict::stencil_problem: bytes_per_pixel is 0; it must be at least 1");
  REQUIRE_THROWS_WITH((stencil_problem{.rows = 1, .cols = 1, .bytes_per_pixel = 4, .rows_radius = -1}).check(),
                      "heddle::predict::stencil_problem: rows_radius is -1; it must be at least 0");
  REQUIRE_THROWS_WITH((stencil_problem{.rows = 1, .cols = 1, .bytes_per_pixel = 4, .step = 0}).check(),
                      "heddle::predict::stencil_problem: step is 0; it must be at least 1");

  const stencil_problem wide{.rows = 10, .cols = 100, .tile_rows = 1, .tile_cols = 1, .bytes_per_pixel = 4};
  REQUIRE_THROWS_WITH(l1_traffic(row_major{{100, 10}}, wide, h200(), 1),
                      "heddle::predict::l1_traffic: order.space().rows is 100; it must be exactly 10");
}

TEST_CASE("by sm_affine each tile is taken once, whatever the run", "[predict]") {
  dice roll;
  for (int i = 0; i < 200; ++i) {
    const stencil_problem p = stencil{.image = {roll(0, 200), roll(0, 200)},
                                      .tile = {roll(1, 20), roll(1, 20)},
                                      .bytes = 4,
                                      .radius = {roll(0, 3), roll(0, 3)},
                                      .step = roll(1, 9),
                                      .written = 1};
    const device chip{.name = "some", .multiprocessors = roll(1, 9), .l2_bytes = endless / 2};
    const recipe by{.schedule = recipe::sm_affine, .run = roll(1, 50)};
    const traffic_report seen = traffic(row_major{p.grid()}, p, chip, roll(1, 5), by);
    CAPTURE(p.rows, p.cols, chip.multiprocessors, by.run);
    REQUIRE(seen.total.written_bytes == 1LL * p.rows * p.cols);
    REQUIRE(seen.total.dram_bytes == p.compulsory_bytes());
    REQUIRE(seen.total.requested_bytes == traffic(row_major{p.grid()}, p, 1, 0).total.requested_bytes);
  }
}

namespace {

/// Replays one block per multiprocessor: its tiles one after another, line by line of cells.
l1_traffic_report naive_l1(const stencil_problem& p, const std::vector<coord>& tiles, long long cache_bytes) {
  const auto rows = naive_footprints(p.rows, p.tile_rows, p.rows_radius, p.step);
  const auto cols = naive_footprints(p.cols, p.tile_cols, p.cols_radius, p.step);
  const auto row_cells = naive_cells(p.rows, rows), col_cells = naive_cells(p.cols, cols);
  naive_lru cache(cache_bytes);
  l1_traffic_report seen;
  for (const coord tile : tiles) {
    std::map<std::pair<int, int>, long long> pixels;
    for (const int row : rows[static_cast<unsigned>(tile.row)]) {
      for (const int col : cols[static_cast<unsigned>(tile.col)]) {
        ++pixels[{row_cells[static_cast<unsigned>(row)], col_cells[static_cast<unsigned>(col)]}];
      }
    }
    for (const auto& [cell, count] : pixels) {
      seen.requested_bytes += count * p.bytes_per_pixel;
      seen.l2_bytes += cache.touch({0, cell.first, cell.second}, count * p.bytes_per_pixel);
    }
  }
  return seen;
}

}  // namespace

TEST_CASE("what one block reads from L1, and L1 from L2, is what a naive replay says", "[predict]") {
  dice roll;
  for (int i = 0; i < 100; ++i) {
    // So few tiles that the replay counts them all, in one column.
    const stencil_problem p =
        stencil{.image = {roll(1, 60), 4}, .tile = {8, 4}, .bytes = 4, .radius = {roll(0, 2), 0}, .step = 1};
    const device chip{.name = "one", .multiprocessors = 1, .l2_bytes = 0, .l1_bytes = roll(0, 1000)};
    std::vector<coord> tiles;
    for (int row = 0; row < p.grid().rows; ++row) tiles.push_back({row, 0});
    const l1_traffic_report seen = l1_traffic(row_major{p.grid()}, p, chip, 1);
    const l1_traffic_report expected = naive_l1(p, tiles, chip.l1_bytes);
    CAPTURE(p.rows, p.rows_radius, chip.l1_bytes);
    REQUIRE(seen.requested_bytes == expected.requested_bytes);
    REQUIRE(seen.l2_bytes == expected.l2_bytes);
  }
}

TEST_CASE("whole tiles without taps read every pixel from L1 once, however few waves are replayed", "[predict]") {
  const stencil_problem p{.rows = 1024, .cols = 2048, .bytes_per_pixel = 4};  // 8192 tiles
  for (const int blocks : {1, 4, 9}) {
    for (const recipe by : {recipe{}, recipe{.schedule = recipe::sm_affine, .run = 16}}) {
      device chip = h200();
      chip.multiprocessors = 16;  // more waves than the replay looks at
      const long long requested = l1_traffic(row_major{p.grid()}, p, chip, blocks, by).requested_bytes;
      CHECK(std::abs(requested - p.compulsory_bytes()) <= 1);  // scaled up from some waves
    }
  }
}

TEST_CASE("an L1 of no bytes reads everything from L2, and a larger L1 never reads more", "[predict]") {
  stencil_problem p = level;
  p.tile_rows = 8;
  const dilated order{p.grid(), {8, 4}, 2};
  long long before = endless;
  for (const long long kibibytes : {0LL, 16LL, 64LL, 128LL, 192LL, 1LL << 20}) {
    device chip = h200();
    chip.l1_bytes = kibibytes << 10;
    const l1_traffic_report seen = l1_traffic(order, p, chip, 8, {.schedule = recipe::sm_affine, .run = 64});
    if (kibibytes == 0) CHECK(seen.l2_bytes == seen.requested_bytes);
    CHECK(seen.l2_bytes <= before);
    before = seen.l2_bytes;
  }
  CHECK(before >= p.compulsory_bytes() / 2);
}

TEST_CASE("the à-trous pass reads from L2 what the H200's counters said, within a third", "[predict]") {
  const l1_traffic_report raster = l1_traffic(row_major{level.grid()}, level, h200(), 4);
  CHECK(is_within(0.33, static_cast<double>(raster.l2_bytes), 3.748e9 * 32));
  CHECK(raster.hit_rate() < 0.05);
  stencil_problem flat = level;
  flat.tile_rows = 8;
  const l1_traffic_report near =
      l1_traffic(dilated{flat.grid(), {8, 4}, 2}, flat, h200(), 9, {.schedule = recipe::sm_affine, .run = 64});
  CHECK(is_within(0.33, static_cast<double>(near.l2_bytes), 0.569e9 * 32));
  CHECK(near.hit_rate() > 0.8);
}

TEST_CASE("Bands along either axis move the bytes that docs/start.md gives for two products", "[predict]") {
  const gemm_problem cube{.m = 8192, .n = 8192, .k = 8192};
  const gemm_problem first{.m = 512, .n = 524288, .k = 512, .tile_m = 8, .tile_n = 512, .element_bytes = 4};
  const auto megabytes = [](const gemm_problem& p, const auto& order, int resident) {
    const wave_traffic total = traffic(order, p, h200(), resident).total;
    return (total.dram_bytes + total.written_bytes) / 1'000'000;
  };
  CHECK(megabytes(cube, row_major{cube.grid()}, 1) / 10 == 577);
  CHECK(megabytes(cube, cta_swizzle{cube.grid(), 8}, 1) / 10 == 180);
  CHECK(megabytes(cube, cta_swizzle{cube.grid(), 8, axis::y}, 1) / 10 == 180);
  for (const int resident : {1, 4, 16}) {  // blocks of examples/00_start/product.cu per multiprocessor
    CAPTURE(resident);
    CHECK(megabytes(first, row_major{first.grid()}, resident) / 100 == 698);
    CHECK(megabytes(first, cta_swizzle{first.grid(), 8}, resident) / 10 == 214);
    CHECK(megabytes(first, cta_swizzle{first.grid(), 128, axis::y}, resident) / 10 == 214);
    CHECK(megabytes(first, cta_swizzle{first.grid(), 8, axis::y}, resident) / 10 == 950);
  }
}
