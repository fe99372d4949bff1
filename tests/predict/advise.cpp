#include <heddle/predict/advise.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/predict/traffic.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <heddle/order/row_major.hpp>
#include <heddle/order/tile_table.hpp>

#include "../test.hpp"
#include "by_table.hpp"
#include "moved_by.hpp"
#include "refusal.hpp"
#include "sanitized.hpp"
#include "stencil.hpp"

namespace {

using namespace heddle;
using heddle_test::refusal;
using namespace heddle::predict;
using heddle_test::a_trous;
using heddle_test::by_table;
using heddle_test::moved_by;
using heddle_test::stencil;

const gemm_problem square{.m = 8192, .n = 8192, .k = 8192};

/// A chip without rates: bytes alone decide.
constexpr device without_rates{.name = "without rates", .multiprocessors = 132, .l2_bytes = 60 << 20, .l2_copies = 2};

/// 16 rows per block, as it was measured.
constexpr stencil_problem vertical_blur(int rows, int cols, int radius) {
  return stencil{.image = {rows, cols}, .tile = {16, 32}, .bytes = 16, .radius = {radius, 0}, .written = 16};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <class Problem>
long long bytes_of(const recipe& choice, const Problem& p, const device& device, int blocks_per_multiprocessor) {
  const wave_traffic total = by_table(
      choice, p.grid(), [&](const auto& order) { return traffic(order, p, device, blocks_per_multiprocessor).total; });
  return total.dram_bytes + total.written_bytes;
}

/// Checks the advice against a full replay of every order.
template <class Problem>
void check_that_nothing_is_better(const Problem& p, const device& device, int blocks, double tolerance) {
  const advice a = advise(p, device, blocks);
  CAPTURE(to_string(a), a.reason);
  const auto is_near = [&](long long bytes, long long target) {
    return std::abs(static_cast<double>(bytes - target)) <= tolerance * static_cast<double>(target);
  };
  CHECK(is_near(a.plain_bytes, bytes_of({}, p, device, blocks)));
  CHECK(is_near(a.predicted_bytes, bytes_of(a, p, device, blocks)));

  std::vector<recipe> all{{.order = recipe::hilbert},
                          {.order = recipe::thread_group_tiling, .width = p.grid().rows, .axis = axis::y}};
  for (const int width : {2, 4, 8, 12, 16, 24, 32, 64})
    for (const axis axis : {axis::x, axis::y})
      for (const recipe::order_kind kind : {recipe::thread_group_tiling, recipe::cta_swizzle})
        all.push_back({.order = kind, .width = width, .axis = axis});
  const long long advised = bytes_of(a, p, device, blocks);
  for (const recipe& other : all) {
    CAPTURE(to_string(other));
    CHECK(static_cast<double>(bytes_of(other, p, device, blocks)) > 0.96 * static_cast<double>(advised));
  }
}

}  // namespace

TEST_CASE("advise agrees with a full replay of every order, k-step by k-step", "[predict]") {
  check_that_nothing_is_better(square, without_rates, 1, 0.01);
  check_that_nothing_is_better(gemm_problem{.m = 4096, .n = 8192, .k = 16384}, without_rates, 1, 0.01);
  check_that_nothing_is_better(gemm_problem{.m = 8192, .n = 2048, .k = 16384, .tile_n = 256}, without_rates, 2, 0.01);
  check_that_nothing_is_better(gemm_problem{.m = 1000, .n = 30000, .k = 5000}, without_rates, 1, 0.02);
  check_that_nothing_is_better(gemm_problem{.m = 128, .n = 65536, .k = 8192}, without_rates, 1, 0.01);
}

TEST_CASE("advise agrees with a full replay of every order of a stencil", "[predict]") {
  const device small{.name = "small", .multiprocessors = 10, .l2_bytes = 1 << 20};
  check_that_nothing_is_better(stencil_problem{.rows = 500, .cols = 3000, .bytes_per_pixel = 16, .rows_radius = 20},
                               small, 8, 0);
  check_that_nothing_is_better(
      stencil_problem{.rows = 900, .cols = 1500, .bytes_per_pixel = 16, .rows_radius = 2, .cols_radius = 2, .step = 40},
      small, 8, 0);
}

TEST_CASE("advise takes less than 0.25 s for 8192³", "[predict][clock]") {
  double best = 1e9;
  for (int i = 0; i < 20 && (i < 5 || best >= 250); ++i) {  // the processor's time, on a machine that may be busy
    const std::clock_t start = std::clock();
    REQUIRE(advise(square, h200()).matters);
    best = std::min(best, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  WARN("advise for 8192³: " << best << " ms");
#if defined(__OPTIMIZE__) && !defined(SANITIZED)
  CHECK(best < 250);
#endif
}

TEST_CASE("8192³ is advised bands of 8 rows, static and persistent", "[predict]") {
  const advice a = advise(square, h200());
  CHECK(to_string(a) == "cta_swizzle, width 8, axis y, strided");
  CHECK(a.matters);
  CHECK(2 * a.predicted_bytes < a.plain_bytes);
  CHECK(!a.dram_is_top_unit);  // L2 is, as the source text's counters said
  CHECK(a.low_hit_rate);
  CHECK(a.footprints_overlap);
  CHECK(
      a.reason ==
      "cta_swizzle, width 8, axis y, strided takes 1.41 ms and moves 1.81 GB to and from DRAM; row_major takes 1.89 ms "
      "and moves 5.78 GB. In the plain order 67 % of what blocks read hits L2, and alone at the device's rates DRAM "
      "needs 1.38 ms, L2 1.49 ms, arithmetic 1.41 ms: L2 takes longest.");
}

TEST_CASE("a product is advised bands of 1024 rows unless others take 2 % less by the model", "[predict]") {
  const auto advised = [](gemm_problem p, const device& device) { return to_string(advise(p, device).order_alone()); };
  gemm_problem p = square;
  for (const auto& [tile, width] : {std::pair{64, "16"}, {128, "8"}, {256, "4"}, {512, "2"}}) {
    p.tile_m = tile;
    CHECK(advised(p, h200()) == std::string("cta_swizzle, width ") + width + ", axis y");
  }
  device slow = h200();
  slow.dram_bytes_per_second = 2.5e11;
  const gemm_problem large{.m = 16384, .n = 8192, .k = 8192};
  CHECK(advised(large, slow) == advised(large, without_rates));
  CHECK(advised(large, slow) == "cta_swizzle, width 12, axis x");
  CHECK(advised(square, without_rates) == "cta_swizzle, width 12, axis x");

  const gemm_problem of_33_rows{.m = 4104, .n = 16392, .k = 5128};  // 8 + 8 + 8 + 8 + 1
  CHECK(advised(of_33_rows, h200()) == "cta_swizzle, width 9, axis y");
  gemm_problem in_step = of_33_rows;
  in_step.whole_lines = true;
  CHECK(advised(in_step, h200()) == "cta_swizzle, width 12, axis x");  // bytes count

  const gemm_problem narrow{.m = 65536, .n = 1024, .k = 8192};  // row_major is such a band itself
  CHECK(advised(narrow, h200()) == "row_major");
}

TEST_CASE("a product is advised a static schedule where multiplying hides the requests of a step", "[predict]") {
  const auto schedule = [](int k, int tile_m, int tile_n) {
    return advise(gemm_problem{.m = 8192, .n = 8192, .k = k, .tile_m = tile_m, .tile_n = tile_n}, h200()).schedule;
  };
  CHECK(schedule(8192, 128, 128) == recipe::strided);
  CHECK(schedule(8200, 128, 256) == recipe::one_shot);  // rows begin within a line
  CHECK(schedule(8200, 256, 128) == recipe::one_shot);
  CHECK(schedule(8200, 256, 256) == recipe::strided);
  CHECK(schedule(8200, 255, 256) == recipe::one_shot);
}

TEST_CASE("Clusters have wider bands across the shorter side of a tile, draw tiles where steps wait, and hide more",
          "[predict]") {
  device of_clusters = h200();
  of_clusters.multiprocessors /= 2;
  const auto advised = [&](int k, int tile_m, int tile_n, int blocks) {
    return advise(
        gemm_problem{.m = 8192, .n = 8192, .k = k, .tile_m = tile_m, .tile_n = tile_n, .blocks_per_tile = blocks},
        of_clusters);
  };
  CHECK(to_string(advised(8192, 128, 512, 2)) == "cta_swizzle, width 16, axis y, strided");
  CHECK(to_string(advised(8192, 256, 256, 2)) == "cta_swizzle, width 8, axis x, strided");
  CHECK(to_string(advised(8200, 256, 128, 2)) == "cta_swizzle, width 16, axis x, ticket");
  CHECK(to_string(advised(8200, 256, 128, 1)) == "cta_swizzle, width 4, axis y");
  const gemm_problem narrow{.m = 65536, .n = 2048, .k = 8192, .tile_m = 256, .tile_n = 256, .blocks_per_tile = 2};
  CHECK(to_string(advise(narrow, of_clusters)) == "row_major, strided");  // which is such a band itself
  CHECK(advised(8192, 256, 256, 2).plain_seconds < advised(8192, 256, 256, 1).plain_seconds);
}

TEST_CASE("the à-trous pass at step 64 is advised residue classes, and told that DRAM is not its limit", "[predict]") {
  stencil_problem far = a_trous(64);
  far.instructions_per_pixel = 736;
  const advice a = advise(far, h200(), 8);
  CHECK(a.order == recipe::dilated);
  CHECK(a.step == extent{4, 4});
  CHECK(to_string(a) == "dilated, step 4x4, width 2, sm_affine, run 256");
  CHECK(a.predicted_bytes < 7'500'000'000);  // images of 4.29 GB, and 2.15 GB written
  CHECK(a.plain_bytes > 22'000'000'000);
  CHECK(!a.dram_is_top_unit);  // measured: tiling cut the bytes by four and gained nothing
  CHECK(a.footprints_overlap);
  CHECK(contains(a.reason, "L2 takes longest"));
  CHECK(contains(a.reason, "GB from L2; row_major takes"));
  CHECK(a.predicted_seconds < 0.7 * a.plain_seconds);

  device without_l1 = h200();
  without_l1.l1_bytes = 0;
  CHECK(!advise(far, without_l1, 8).matters);
}

TEST_CASE("sm_affine is advised where blocks wait for L2 and not where they have other work", "[predict]") {
  const auto schedule = [](int step, int instructions, device chip = h200()) {
    stencil_problem p = a_trous(step);
    p.tile_rows = 8, p.instructions_per_pixel = instructions;
    return advise(p, chip, 8).schedule;
  };
  CHECK(schedule(1, 736) == recipe::one_shot);
  for (const int step : {2, 4, 8, 16, 64}) CHECK(schedule(step, 736) == recipe::sm_affine);
  CHECK(advise(a_trous(64, 8, 736), h200(), 8).step == extent{8, 4});  // in tiles of 8 x 16
  CHECK(schedule(64, 20'000) == recipe::one_shot);
  device fast = h200();
  fast.l2_bytes_per_second *= 64;
  CHECK(schedule(64, 736, fast) == recipe::one_shot);
  stencil_problem one_wave = a_trous(64);
  one_wave.instructions_per_pixel = 736, one_wave.rows = 512, one_wave.cols = 512;
  CHECK(advise(one_wave, h200(), 8).schedule == recipe::one_shot);
  CHECK(schedule(12, 736) == recipe::one_shot);  // no whole number of tiles of 8 x 16
}

TEST_CASE("Bytes of sm_affine are those of its runs, and decide on it", "[predict]") {
  const stencil_problem pass = stencil{.image = {393, 4582},
                                       .tile = {8, 128},
                                       .bytes = 36,
                                       .radius = {5, 1},
                                       .step = 4,
                                       .written = 12,
                                       .instructions = 528};
  const advice a = advise(pass, h200(), 7);
  REQUIRE(a.schedule == recipe::sm_affine);
  const wave_traffic moved =
      by_table(a, pass.grid(), [&](const auto& order) { return traffic(order, pass, h200(), 7, a).total; });
  CHECK(a.predicted_bytes == moved.dram_bytes + moved.written_bytes);
  CHECK(a.predicted_bytes > a.plain_bytes);  // in all L2 has less to do

  // Runs would read seven times what bands read.
  const stencil_problem wide = stencil{.image = {1859, 17050},
                                       .tile = {32, 64},
                                       .bytes = 32,
                                       .radius = {2, 3},
                                       .step = 32,
                                       .written = 4,
                                       .instructions = 309};
  CHECK(advise(wide, h100(), 2).schedule == recipe::one_shot);
}

TEST_CASE("Where DRAM is the limit no usual order takes less time than the advised one", "[predict]") {
  const gemm_problem products[] = {
      {.m = 5682, .n = 49427, .k = 941, .tile_m = 128, .tile_n = 64, .tile_k = 32, .element_bytes = 4},
      {.m = 23150, .n = 2043, .k = 25422, .tile_m = 64, .tile_n = 64, .tile_k = 32, .element_bytes = 1}};
  for (const gemm_problem& product : products) {
    const advice a = advise(product, h100());
    CAPTURE(to_string(a), a.reason);
    CHECK(a.matters);
    const auto fourth_power = [](double seconds) { return std::pow(seconds, 4); };
    const auto seconds = [&](long long bytes) {
      const double work = product.cost({0, 0}) * product.grid().size();
      const double rate = product.rules(h100(), 1).matrix_operations_per_second;  // of steps that wait for requests
      return std::sqrt(std::sqrt(fourth_power(work / (rate > 0 ? rate : h100().matrix_operations_per_second)) +
                                 fourth_power(static_cast<double>(bytes) / h100().dram_bytes_per_second)));
    };
    for (const recipe& by : detail::orders_over<extent>::usual(product.grid())) {
      const wave_traffic moved = moved_by(by, product, h100(), 1).total;
      CAPTURE(to_string(by));
      // Bands of 1024 rows were measured to take 0.98 or 0.95 of this.
      CHECK(seconds(moved.dram_bytes + moved.written_bytes) > 0.935 * seconds(a.predicted_bytes));
    }
  }
}

TEST_CASE("Bands that were measured to gain are advised though they move more", "[predict]") {
  const gemm_problem product{.m = 18681, .n = 2086, .k = 2618, .tile_m = 256, .tile_n = 256, .tile_k = 32};
  const advice a = advise(product, h200());
  CHECK(a.matters);
  CHECK(a.width == 4);
  CHECK(a.predicted_bytes > a.plain_bytes);
}

TEST_CASE("a run of sm_affine is longer where a multiprocessor has many of them", "[predict]") {
  const auto run = [](int rows, int cols, int step) {
    stencil_problem p = a_trous(step);
    p.rows = rows, p.cols = cols, p.tile_rows = 8, p.instructions_per_pixel = 736;
    const advice a = advise(p, h200(), 8);
    return a.schedule == recipe::sm_affine ? a.run : 0;
  };
  // Measured on two GPUs: the best run of each, or within 2 % of it.
  CHECK(run(2160, 3840, 8) == 16);  // neighbours
  CHECK(run(4320, 7680, 8) == 64);
  CHECK(run(8192, 16384, 8) == 256);
  CHECK(run(4320, 7680, 32) == 16);  // tiles a step apart
  CHECK(run(8192, 16384, 32) == 256);
  // Just enough: 15 runs of 256, and one row of tiles less.
  CHECK(run(8 * 495, 16 * 1024, 32) == 256);
  CHECK(run(8 * 494, 16 * 1024, 32) == 64);
}

TEST_CASE("the vertical blur of 65536 x 8192 meets all three conditions, and is advised bands", "[predict]") {
  const advice a = advise(vertical_blur(8192, 65536, 32), h200(), 8);
  CHECK(to_string(a) == "thread_group_tiling, width 64, axis x");  // the one that measured best
  CHECK(a.dram_is_top_unit);
  CHECK(a.low_hit_rate);
  CHECK(a.footprints_overlap);
  CHECK(contains(a.reason, "what threads compute is not known"));
}

TEST_CASE("advise says where order will not matter, and why", "[predict]") {
  const auto check = [](const advice& a, const std::string& why) {
    CAPTURE(a.reason);
    CHECK(!a.matters);
    CHECK(a.order == recipe::row_major);
    CHECK(a.predicted_bytes == a.plain_bytes);
    CHECK(a.reason.find("order will not matter: " + why) == 0);
  };
  check(advise(gemm_problem{.m = 2048, .n = 2048, .k = 2048}, h200()), "everything fits in L2");
  check(advise(gemm_problem{.m = 65536, .n = 1024, .k = 1024}, h200()), "row_major reads every byte only once");
  check(advise(gemm_problem{.m = 128, .n = 65536, .k = 8192}, h200()),
        "no other order that was tried is quicker than row_major");
  check(advise(gemm_problem{.m = 0, .n = 0, .k = 0}, h200()), "everything fits in L2");
  check(advise(a_trous(1), h200(), 8), "row_major reads every byte only once");
  check(advise(vertical_blur(2160, 3840, 16), h200(), 8), "row_major reads every byte only once");
  check(advise(stencil_problem{.rows = 0, .cols = 0, .bytes_per_pixel = 4}, h200(), 8), "everything fits in L2");
}

TEST_CASE("a hit rate just under 80 % is written with the digits that show it", "[predict]") {
  const gemm_problem p{.m = 3000, .n = 6000, .k = 4096};
  const advice a = advise(p, h200());
  CAPTURE(a.reason);
  CHECK(a.low_hit_rate);
  CHECK(contains(a.reason, "79.6 % of what blocks read hits L2"));
  CHECK(!advise(gemm_problem{.m = 2048, .n = 2048, .k = 2048}, h200()).low_hit_rate);  // all fits in L2
}

TEST_CASE("no share is written as its limit, and each on the same side of it", "[predict]") {
  using heddle::detail::percent_text;
  CHECK(percent_text(0.8, 0.8) == "80 %");
  CHECK(percent_text(0.7951, 0.8) == "79.5 %");
  CHECK(percent_text(0.7999, 0.8) == "79.99 %");
  CHECK(percent_text(0.8004, 0.8) == "80.04 %");
  CHECK(percent_text(0.7549, 0.8) == "75 %");
  CHECK(percent_text(0.1249, 0.125) == "12.49 %");
  CHECK(percent_text(0.125) == "12.5 %");
  for (const double limit : {0.03, 0.125, 0.15, 0.2, 0.8, 0.99}) {
    for (double apart = 1e-13; apart < 0.01; apart *= 1.3) {
      const std::string below = percent_text(limit - apart, limit), above = percent_text(limit + apart, limit);
      CAPTURE(limit, apart, below, above);
      CHECK(std::stod(below) < std::stod(percent_text(limit)));
      CHECK(std::stod(above) > std::stod(percent_text(limit)));
    }
  }
}

TEST_CASE("bytes and times that differ are written differently", "[predict]") {
  using heddle::detail::bytes_text;
  using heddle::detail::time_text;
  CHECK(bytes_text(1.81e9, 4.5e9) == "1.81 GB");
  CHECK(bytes_text(4.5e9, 4.5e9) == "4.50 GB");
  CHECK(bytes_text(4.501e9, 4.502e9) == "4.501 GB");
  CHECK(bytes_text(4.502e9, 4.501e9) == "4.502 GB");
  CHECK(bytes_text(7, 8) == "7 B");
  CHECK(bytes_text(999'400, 999'700) == "999 kB");
  CHECK(bytes_text(999'700, 999'400) == "1.000 MB");
  CHECK(time_text(1.66e-3, 1.37e-3) == "1.66 ms");
  CHECK(time_text(1.6612e-3, 1.6613e-3) == "1.6612 ms");
  CHECK(time_text(0.0026, 0.0026) == "2.60 ms");
}

TEST_CASE("of orders that read the same, the simplest is advised", "[predict]") {
  // Four blocks in squares of 2 x 2: bands on either axis, in serpentine too, and Hilbert's curve all make these.
  const device uncached{.name = "uncached", .multiprocessors = 4, .l2_bytes = 0};
  const advice a = advise(gemm_problem{.m = 1024, .n = 1024, .k = 64, .blocks_per_tile = 2}, uncached);
  CHECK(to_string(a) == "thread_group_tiling, width 2, axis x, strided");
}

TEST_CASE("a product of more than one wave is static if blocks run evenly, else one tile per block", "[predict]") {
  const gemm_problem one_wave{.m = 128 * 11, .n = 128 * 12, .k = 4096}, two{.m = 128 * 11, .n = 128 * 13, .k = 4096};
  gemm_problem broken = two;
  broken.whole_lines = false;
  CHECK(advise(one_wave, h200()).schedule == recipe::one_shot);
  CHECK(advise(two, h200()).schedule == recipe::strided);
  CHECK(advise(two, h200(), 2).schedule == recipe::one_shot);     // one wave
  CHECK(advise(square, h200(), 2).schedule == recipe::one_shot);  // two blocks hide each other's ends
  CHECK(advise(broken, h200()).schedule == recipe::one_shot);
  CHECK(advise(gemm_problem{.m = 8192, .n = 8192, .k = 8200}, h200()).schedule == recipe::one_shot);
  CHECK(gemm_problem{.m = 1, .n = 1, .k = 32, .element_bytes = 4}.whole_lines);
}

TEST_CASE("without rates, whether DRAM is the top unit is not known", "[predict]") {
  const advice a = advise(square, without_rates);
  CHECK(!a.dram_is_top_unit);
  CHECK(contains(a.reason, "it is not known what takes longest"));
}

TEST_CASE("every part of an L2 keeps what its own side of the chip reads", "[predict]") {
  device half = without_rates;
  half.l2_bytes /= 2, half.l2_copies = 1;
  CHECK(advise(square, without_rates).predicted_bytes == advise(square, half).predicted_bytes);
  const gemm_problem of_33_mb{.m = 4096, .n = 4096, .k = 2048};
  CHECK(!contains(advise(of_33_mb, without_rates).reason, "everything fits in L2"));
  device whole = half;
  whole.l2_bytes *= 2;
  const stencil_problem of_42_mb = a_trous(16);  // counted: 18.2 GB read, and 2.15 written
  CHECK(advise(of_42_mb, without_rates, 8).plain_bytes == advise(of_42_mb, half, 8).plain_bytes);
  CHECK(advise(of_42_mb, without_rates, 8).plain_bytes > 18'000'000'000);
  CHECK(advise(of_42_mb, whole, 8).plain_bytes < 7'500'000'000);
}

TEST_CASE("Footprints overlap if a fifth of what tiles read is read by several of them", "[predict]") {
  const auto overlap = [](const auto& problem) { return advise(problem, h200(), 1).footprints_overlap; };
  CHECK(overlap(square));
  CHECK(!overlap(gemm_problem{.m = 128, .n = 128, .k = 64}));  // one tile
  CHECK(overlap(a_trous(1)));                                  // 20 x 20 pixels by each tile of 16 x 16
  CHECK(!overlap(stencil_problem{.rows = 4096, .cols = 4096, .bytes_per_pixel = 4, .rows_radius = 1}));  // 18 x 16
  CHECK(!overlap(stencil_problem{.rows = 0, .cols = 0, .bytes_per_pixel = 4}));
}

TEST_CASE("A pass of which only bytes are known is not advised what may lose, but told what to measure", "[predict]") {
  const advice a = advise(a_trous(64), h200(), 8);
  CHECK(!a.matters);
  CHECK(a.order == recipe::row_major);
  REQUIRE(!a.to_measure.empty());
  CHECK(a.to_measure.front().schedule == recipe::sm_affine);
  CHECK(a.predicted_seconds == 0);
  CHECK(contains(a.reason, "may gain and may lose, since what limits the kernel is not known: it moves"));
  // Bands where DRAM takes longest of all that is known lose nothing.
  CHECK(advise(vertical_blur(8192, 65536, 32), h200(), 8).matters);
}

TEST_CASE("A pass that says nothing of its threads is never advised more bytes, or a schedule that may lose",
          "[predict]") {
  std::mt19937 random(3);
  const auto roll = [&](int least, int most) { return std::uniform_int_distribution<>(least, most)(random); };
  int advised = 0, to_measure = 0;
  for (int i = 0; i < 60; ++i) {
    const stencil_problem pass = stencil{.image = {roll(500, 6000), roll(500, 20000)},
                                         .tile = {1 << roll(2, 5), 8 << roll(0, 4)},
                                         .bytes = 4 * roll(1, 8),
                                         .radius = {roll(0, 1) == 0 ? roll(0, 2) : roll(3, 32), roll(0, 2)},
                                         .step = 1 << roll(0, 6),
                                         .written = 4 * roll(0, 4)};
    const advice a = advise(pass, h200(), 8);
    CAPTURE(i, to_string(a), a.reason);
    CHECK(a.schedule != recipe::sm_affine);
    CHECK(a.predicted_bytes <= a.plain_bytes);
    if (a.matters) CHECK(a.dram_is_top_unit);
    CHECK(a.to_measure.empty() == !contains(a.reason, "measure: "));
    for (const recipe& other : a.to_measure) CHECK(!(other == static_cast<const recipe&>(a)));
    advised += a.matters ? 1 : 0, to_measure += a.to_measure.empty() ? 0 : 1;
  }
  CHECK(advised > 0);
  CHECK(to_measure > 3);
}

TEST_CASE("After a measured time an order is advised only if it is expected to take one percent less", "[predict]") {
  int advised = 0, kept = 0;
  for (const int step : {4, 16, 64}) {
    const stencil_problem pass = a_trous(step);
    const double bytes = static_cast<double>(advise(pass, h200(), 8).plain_bytes);
    for (double share = 1; share < 6; share *= 1.4) {
      const advice a = advise(pass, h200(), 8, share * bytes / h200().dram_bytes_per_second);
      (a.matters ? advised : kept) += 1;
      if (a.matters) CHECK(a.predicted_seconds <= 0.99 * a.plain_seconds);
    }
  }
  CHECK((advised > 5 && kept > 5));
}

TEST_CASE("What limits a kernel follows from the seconds that it was measured to take", "[predict]") {
  stencil_problem pass = a_trous(64);
  pass.tile_rows = 8;
  const double memory = [&] {
    pass.instructions_per_pixel = 1;
    return advise(pass, h200(), 8).plain_seconds;
  }();
  pass.instructions_per_pixel = 0;
  const advice quick = advise(pass, h200(), 8, memory), slow = advise(pass, h200(), 8, 10 * memory);
  CHECK(quick.schedule == recipe::sm_affine);
  CHECK(quick.to_measure.empty());
  CHECK(slow.schedule == recipe::one_shot);
  CHECK(slow.to_measure.empty());
  CHECK(std::abs(slow.plain_seconds - 10 * memory) < 0.01 * memory);
  recipe no_run{}, no_planes{};
  no_run.schedule = recipe::sm_affine, no_run.run = 0, no_planes.interleave = 0;
  CHECK(refusal([&] { moved_by(no_run, pass, h200(), 8); }) == "heddle::recipe: run is 0; it must be at least 1");
  CHECK(refusal([&] { moved_by(no_planes, pass, h200(), 8); }) ==
        "heddle::recipe: interleave is 0; it must be at least 1");
  CHECK(refusal([&] { advise(pass, h200(), 8, -1); }) ==
        "heddle::predict::advise: measured_seconds is -1; it must be at least 0");
  CHECK(refusal([&] { advise(pass, h200(), 8, HUGE_VAL); }) ==
        "heddle::predict::advise: measured_seconds is not finite");
  // fp32: the measured time says what the rate would.
  gemm_problem states = square;
  states.operations_per_second = 55e12;
  const advice of_states = advise(states, h200()), of_measured = advise(square, h200(), 1, of_states.plain_seconds);
  CHECK(advise(square, h200()).matters);
  CHECK(!of_measured.matters);
  CHECK(std::abs(of_measured.plain_seconds - of_states.plain_seconds) < 0.01 * of_states.plain_seconds);
  // A kernel at the rate of the matrix unit takes as long as it was measured to take.
  const double of_card = advise(square, h200()).plain_seconds;
  CHECK(std::abs(advise(square, h200(), 1, of_card).plain_seconds - of_card) < 0.01 * of_card);
}

TEST_CASE("advise refuses what cannot be right, with the value and the limit", "[predict]") {
  device none = h200(), slow = h200();
  none.multiprocessors = 0;
  slow.l2_bytes_per_second = -3e12;
  device no_l2 = h200();
  no_l2.l2_copies = 0;
  REQUIRE_THROWS_WITH(advise(square, no_l2), "heddle::predict::device: l2_copies is 0; it must be at least 1");
  REQUIRE_THROWS_WITH(advise(square, none), "heddle::predict::device: multiprocessors is 0; it must be at least 1");
  REQUIRE_THROWS_WITH(advise(square, slow),
                      "heddle::predict::device: l2_bytes_per_second is -3000000000000; it must be at least 0");
  REQUIRE_THROWS_WITH(advise(square, h200(), 0),
                      "heddle::predict::advise: blocks_per_multiprocessor is 0; it must be at least 1");
  REQUIRE_THROWS_WITH(advise(gemm_problem{.m = 1, .n = 1, .k = 1, .tile_k = 0}, h200()),
                      "heddle::predict::gemm_problem: tile_k is 0; it must be at least 1");
}

TEST_CASE("An order matters to a product at the rate of the matrix unit, and not at that of fp32", "[predict]") {
  const gemm_problem fast{.m = 8192, .n = 8192, .k = 8192, .element_bytes = 4};
  gemm_problem slow = fast;
  slow.operations_per_second = 55e12;
  const advice of_fast = advise(fast, h200()), of_slow = advise(slow, h200());
  CHECK(of_fast.matters);
  CHECK(!of_slow.matters);
  CHECK(of_slow.order == recipe::row_major);
  CHECK(of_slow.predicted_bytes == of_slow.plain_bytes);
  CHECK(contains(of_slow.reason, "order will not matter: "));
  CHECK(contains(of_slow.reason, "arithmetic 20.6 ms"));  // 2 * 8192^3 / 55e12, in 32 turns of 132 blocks
  slow.operations_per_second = 200e12;                    // 5.50 ms of arithmetic, and 2.98 ms of L2
  CHECK(advise(slow, h200()).matters);
  slow.operations_per_second = 55e12;
  device unknown = h200();
  unknown.l2_bytes_per_second = 0;
  CHECK(advise(slow, unknown).matters);
}

TEST_CASE("A product that states the rate of the card gets the advice of one that states none", "[predict]") {
  for (const int bytes : {1, 2, 4, 8}) {
    const gemm_problem silent{.m = 4096, .n = 8200, .k = 5000, .element_bytes = bytes};
    gemm_problem states = silent;
    states.operations_per_second = h200().matrix_operations_per_second * 2 / bytes;
    CHECK(advise(states, h200()).reason == advise(silent, h200()).reason);
    CHECK(to_string(advise(states, h200())) == to_string(advise(silent, h200())));
    device unknown = h200();
    unknown.matrix_operations_per_second = 0;
    CHECK(advise(states, unknown).reason == advise(silent, h200()).reason);
  }
}

TEST_CASE("A kernel that takes its time over arithmetic keeps in step without whole lines", "[predict]") {
  gemm_problem ragged{.m = 8192, .n = 8192, .k = 8191, .tile_m = 64, .tile_n = 64};
  REQUIRE(!ragged.whole_lines);
  CHECK(advise(ragged, h200()).schedule == recipe::one_shot);
  ragged.operations_per_second = 55e12;
  CHECK(advise(ragged, h200()).schedule == recipe::strided);
  ragged.operations_per_second = 2 * 805e12;
  CHECK(advise(ragged, h200()).schedule == recipe::one_shot);
}

TEST_CASE("A rate that cannot be right is refused by its name", "[predict]") {
  const auto refused = [](double rate) {
    return refusal([&] { advise(gemm_problem{.m = 1, .n = 1, .k = 1, .operations_per_second = rate}, h200()); });
  };
  const std::string name = "heddle::predict::gemm_problem: operations_per_second is ";
  CHECK(refused(-5e12) == name + "-5000000000000; it must be at least 0");
  CHECK(refused(-0.5) == name + "-1; it must be at least 0");
  CHECK(refused(-1e300) == name + "-9000000000000000000; it must be at least 0");
  CHECK(refused(std::nan("")) == name + "not finite");
  CHECK(refused(HUGE_VAL) == name + "not finite");
  CHECK(refused(0.999) == name + "a fraction of 1; it must be 0 or at least 1");
  CHECK(refused(1e19) == name + "9000000000000000000; it must be at most 1000000000000000000");
  CHECK(refused(1) == "not refused");
}

TEST_CASE("advise answers at the limits of a step and of k", "[predict]") {
  const device small{.name = "small", .multiprocessors = 1, .l2_bytes = 1000};
  const stencil_problem far = stencil{.image = {512, 512}, .bytes = 4, .radius = {1, 1}, .step = 1 << 20, .written = 4};
  CHECK(advise(far, small, 8).predicted_bytes <= advise(far, small, 8).plain_bytes);
  const gemm_problem deep{.m = 256, .n = 256, .k = 0x7fffffff, .tile_k = 1};
  CHECK(advise(deep, small).predicted_bytes <= advise(deep, small).plain_bytes);
}

TEST_CASE("advice for a product is the same in elements of any size where the cache grows with them", "[predict]") {
  for (const int rows : {27, 28, 89}) {
    CAPTURE(rows);
    const auto advised = [&](int bytes) {
      const device large{.name = "large",
                         .multiprocessors = 4,
                         .l2_bytes = 1LL * bytes << 20,
                         .dram_bytes_per_second = 1e15,
                         .l2_bytes_per_second = 1e12};
      const gemm_problem problem{.m = 128 * rows,
                                 .n = 128 * 700,
                                 .k = 0x7fffffff,
                                 .tile_k = 0x7fffffff,
                                 .element_bytes = bytes,
                                 .output_bytes = 0,
                                 .whole_lines = false};
      return advise(problem, large, 2);
    };
    const advice small = advised(1), large = advised(64);
    CHECK(small.order_alone() == large.order_alone());
    CHECK(small.schedule == large.schedule);
    const auto bytes = [](const advice& of) { return static_cast<double>(of.predicted_bytes); };
    CHECK(std::abs(64 * bytes(small) / bytes(large) - 1) < 1e-9);  // of each stripe whole bytes count
  }
}

TEST_CASE("A product whose bytes read and written together pass 64 bits is refused", "[predict]") {
  const gemm_problem large{
      .m = 1 << 29, .n = 1 << 29, .k = 1, .tile_m = 1 << 29, .tile_n = 1 << 29, .output_bytes = 32};
  CHECK(refusal([&] { advise(large, h200()); }) ==
        "heddle::predict::gemm_problem: exabytes written is 9; it must be at most 4");
  CHECK(refusal([] { gemm_problem{.m = 1, .n = -1, .k = 1}.compulsory_bytes(); }) ==
        "heddle::predict::gemm_problem: n is -1; it must be at least 0");
  CHECK(refusal([] {
          stencil_problem{.rows = 0x7fffffff, .cols = 0x7fffffff, .bytes_per_pixel = 1 << 16}.compulsory_bytes();
        }) != "not refused");
}
