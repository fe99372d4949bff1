// Advice for problems of up to 2^31 - 1 tiles takes little time and memory.

#include <cstddef>
#include <ctime>
#include <string>
#include <vector>

#include <heddle/predict/advise.hpp>
#include <heddle/predict/batched_problem.hpp>
#include <heddle/predict/causal_problem.hpp>
#include <heddle/predict/grouped_problem.hpp>
#include <heddle/predict/stencil_problem.hpp>

#include "../../examples/01_order/attention.hpp"
#include "../test.hpp"
#include "held_bytes.hpp"
#include "sanitized.hpp"
#include "stencil.hpp"

namespace {

using namespace heddle;
using namespace heddle::predict;
using namespace heddle_test;

constexpr int most_tiles_of_all = 0x7fffffff;

/// Checks the processor's time and the memory of an advice, with room for slow machines.
template <class Problem>
void check_cost(const char* name, const Problem& problem, int blocks, const device& chip = h200()) {
  [[maybe_unused]] const std::size_t before = begin_of_held();
  const std::clock_t start = std::clock();
  const auto advised = advise(problem, chip, blocks);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CAPTURE(name, seconds, to_string(advised), advised.reason);
  CHECK(advised.predicted_bytes > 0);
  CHECK((advised.replayed > 0 && advised.replayed <= 1));
  CHECK((advised.reason.find("scaled up") != std::string::npos) == (advised.replayed < 1));
#if defined(__OPTIMIZE__) && !defined(SANITIZED)
  CHECK(seconds < 0.75);
  CHECK(most_held() - before < 64 << 20);
#endif
}

void check_cost(const char* name, const stencil& pass, int blocks, const device& chip = h200()) {
  check_cost(name, stencil_problem(pass), blocks, chip);
}

}  // namespace

TEST_CASE("Advice for up to 2^31 - 1 tiles takes little time and memory", "[predict]") {
  check_cost(
      "100 000 x 100 000 pixels",
      stencil{.image = {100'000, 100'000}, .tile = {8, 8}, .bytes = 32, .radius = {2, 2}, .step = 16, .written = 16},
      8);
  check_cost("370 720 x 370 720 pixels",
             stencil{.image = {370'720, 370'720}, .tile = {8, 8}, .bytes = 32, .radius = {2, 2}, .step = 1}, 8);
  check_cost("one row of pixels",
             stencil{.image = {1, most_tiles_of_all}, .tile = {1, 1}, .bytes = 4, .radius = {0, 3}, .step = 5}, 8);
  check_cost("taps further apart than a wave",
             stencil{.image = {most_tiles_of_all, 1}, .tile = {1, 1}, .bytes = 4, .radius = {1, 0}, .step = 1 << 20},
             8);
  check_cost("41 x 41 taps",
             stencil{.image = {370'720, 370'720}, .tile = {8, 8}, .bytes = 4, .radius = {20, 20}, .step = 9}, 8);
  check_cost("one column of pixels",
             stencil{.image = {most_tiles_of_all, 1}, .tile = {1, 1}, .bytes = 4, .radius = {3, 0}, .step = 5}, 8);
  check_cost("a column of 28 million pixels",
             stencil{.image = {28'127'019, 1}, .tile = {8, 1}, .bytes = 24, .radius = {1, 0}, .step = 48}, 16);
  check_cost("16 million pixels in two columns",
             stencil{.image = {8'000'000, 2}, .tile = {1, 1}, .bytes = 8, .radius = {1, 1}, .step = 48}, 8);
  check_cost("taps further apart than most images",
             stencil{.image = {98, 4'974'675}, .tile = {892, 128}, .bytes = 59, .radius = {3, 61}, .step = 20'092}, 7);
  check_cost("a row whose tiles are all taken together",
             stencil{.image = {1, most_tiles_of_all}, .tile = {1, 64}, .bytes = 26, .radius = {39, 2}, .step = 33}, 7);
  check_cost(
      "269 taps of many small blocks",
      stencil{.image = {1853, 1 << 20}, .tile = {4, 2}, .bytes = 3, .radius = {134, 0}, .step = 8, .instructions = 100},
      59, rtx_4090());
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
  groups = {.rows = std::vector<int>(1 << 22), .n = 128, .k = 1024, .step_rows = 16};
  for (std::size_t group = 0; group < groups.rows.size(); ++group) {
    groups.rows[group] = 1 + static_cast<int>(group * 7919 % 128);
  }
  check_cost("2^22 groups", groups, 1);
  check_cost("one group", grouped_problem{.rows = {most_tiles_of_all}, .n = 1, .k = 64, .tile_m = 1, .tile_n = 1}, 1);
  check_cost("64 long heads", causal_problem{.queries = 1 << 23, .keys = 1 << 23, .heads = 64, .key_heads = 8}, 2);
  for (const int queries : {1 << 24, 1 << 26}) {
    const int heads = 2'000'000'000 / (queries / 128);
    check_cost("queries that see no key",
               causal_problem{.queries = queries, .keys = 100'000, .heads = heads, .key_heads = heads}, 1, rtx_4090());
  }
  check_cost("tiles of one row",
             gemm_problem{.m = most_tiles_of_all, .n = 18, .k = 254, .tile_m = 1, .tile_n = 208, .tile_k = 18}, 1,
             rtx_4090());
  device largest = h200();
  largest.multiprocessors = 1 << 14;
  check_cost("2^20 blocks at once", grouped_problem{.rows = {100, 20'000'000}, .n = 8192, .k = 64, .step_rows = 16}, 64,
             largest);
  check_cost("2^31 - 1 heads", causal_problem{.queries = 128, .keys = 8192, .heads = most_tiles_of_all, .width = 16},
             1);
}

TEST_CASE("A makespan takes memory by tiles, and not by workers", "[predict]") {
  const auto held_by = [](int workers) {
    const std::size_t before = begin_of_held();
    (void)makespan(row_major{{3, 4}}, [](coord) { return 1.0; }, {workers}, {.schedule = recipe::ticket});
    return most_held() - before;
  };
  CHECK(held_by(0x7fffffff) == held_by(12));
}
