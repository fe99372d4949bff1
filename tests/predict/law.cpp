// An advice never speaks against its own figures: of random problems of every kind, on every card.
// HEDDLE_PROBLEMS=20000 test_predict "[law]" asks about more of them.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <heddle/predict.hpp>

#include "naive.hpp"
#include "test.hpp"

namespace {

using namespace heddle;
using namespace heddle::predict;
using heddle_test::dice;

/// A number of any size, and often a multiple of 64.
int size_from(dice& roll, int least, int most) {
  const int exact = roll.of_any_size(least, most);
  return roll(0, 2) == 0 ? exact : (std::max)(least, exact / 64 * 64);
}

/// Returns what is wrong with an advice, or nothing.
std::string wrong_with(const advice& a, const recipe& plain) {
  const bool knows_time = a.plain_seconds > 0, says_no = a.reason.starts_with("order will not matter");
  if (knows_time != (a.predicted_seconds > 0)) return "one time without the other";
  if (knows_time && a.predicted_seconds > a.plain_seconds) return "slower than the plain launch";
  if (a.matters && knows_time && !(a.predicted_seconds < a.plain_seconds)) return "matters, and is not faster";
  if (a.matters && !knows_time && a.predicted_bytes > a.plain_bytes && a.idle_share >= a.plain_idle_share)
    return "matters, moves more, and is not known to be faster";
  if (a.matters ? says_no : !says_no && a.to_measure.empty()) return "the reason says the opposite";
  if (a.matters && !a.reason.starts_with(to_string(a))) return "the reason speaks of another launch";
  const bool is_plain = a.order_alone() == plain.order_alone();
  if (a.matters == is_plain) return is_plain ? "the plain order matters" : "another order does not matter";
  if (!a.matters && a.predicted_bytes != a.plain_bytes) return "the plain order moves other bytes";
  return "";
}

template <class Problem>
void check_answer(const Problem& problem, const device& card, int blocks) {
  const advice a = advise(problem, card, blocks);
  const recipe plain = problem.rules(card, blocks).plain;
  CAPTURE(card.name, blocks, to_string(a), a.reason, a.predicted_seconds, a.plain_seconds, a.predicted_bytes,
          a.plain_bytes, a.idle_share, a.plain_idle_share);
  CHECK(wrong_with(a, plain) == "");
}

}  // namespace

TEST_CASE("An advice never speaks against its own figures", "[predict][law]") {
  const char* const asked = std::getenv("HEDDLE_PROBLEMS");
  const int problems = asked == nullptr ? 500 : std::atoi(asked);
  const device cards[] = {h200(), h100(), a100(), rtx_4090()};
  dice roll;
  for (int i = 0; i < problems; ++i) {
    const device& card = cards[roll(0, 3)];
    const int blocks = roll(0, 3) == 0 ? roll(2, 8) : 1;
    const gemm_problem product{.m = size_from(roll, 64, 16384),
                               .n = size_from(roll, 64, 16384),
                               .k = size_from(roll, 64, 8192),
                               .tile_m = 64 << roll(0, 1),
                               .tile_n = 64 << roll(0, 2),
                               .blocks_per_tile = 1 << roll(0, 1)};
    CAPTURE(i, product.m, product.n, product.k, product.tile_m, product.tile_n);
    switch (i % 6) {
      case 0:
        check_answer(product, card, blocks);
        break;
      case 1: {
        const batched_problem batch{.plane = product,
                                    .count = size_from(roll, 1, 64),
                                    .planes_per_a = roll(0, 1) == 0 ? 1 : size_from(roll, 1, 64),
                                    .planes_per_b = roll(0, 1) == 0 ? 1 : size_from(roll, 1, 64)};
        CAPTURE(batch.count, batch.planes_per_a, batch.planes_per_b);
        check_answer(batch, card, blocks);
        break;
      }
      case 2: {
        grouped_problem groups{.rows = std::vector<int>(static_cast<unsigned>(size_from(roll, 1, 256))),
                               .n = product.n,
                               .k = product.k,
                               .tile_m = product.tile_m,
                               .tile_n = product.tile_n,
                               .step_rows = roll(0, 1) == 0 ? 16 : product.tile_m,
                               .blocks_per_tile = product.blocks_per_tile};
        const int usual = size_from(roll, 1, 2000);
        for (int& rows : groups.rows) rows = roll(0, 4) == 0 ? roll(0, 8 * usual) : roll(0, usual);
        CAPTURE(groups.rows.size(), usual, groups.step_rows);
        check_answer(groups, card, blocks);
        break;
      }
      case 3: {
        const stencil_problem pass{.rows = size_from(roll, 64, 16384),
                                   .cols = size_from(roll, 64, 16384),
                                   .tile_rows = 8 << roll(0, 1),
                                   .tile_cols = 16,
                                   .bytes_per_pixel = 4 << roll(0, 3),
                                   .rows_radius = roll(0, 3),
                                   .cols_radius = roll(0, 3),
                                   .step = 1 << roll(0, 7),
                                   .written_bytes_per_pixel = 4 << roll(0, 2),
                                   .instructions_per_pixel = roll(0, 1) * roll(1, 400)};
        CAPTURE(pass.rows, pass.cols, pass.tile_rows, pass.bytes_per_pixel, pass.rows_radius, pass.cols_radius,
                pass.step, pass.written_bytes_per_pixel, pass.instructions_per_pixel);
        check_answer(pass, card, roll(4, 12));
        break;
      }
      case 4: {
        const pairs_problem pairs{.things = size_from(roll, 64, 32768),
                                  .elements = size_from(roll, 1, 1024),
                                  .tile_things = 32 << roll(0, 2)};
        CAPTURE(pairs.things, pairs.elements, pairs.tile_things);
        check_answer(pairs, card, blocks);
        break;
      }
      default: {
        const int key_heads = size_from(roll, 1, 16);
        const causal_problem pass{.queries = size_from(roll, 64, 32768),
                                  .keys = size_from(roll, 64, 32768),
                                  .heads = key_heads * roll(1, 8),
                                  .key_heads = key_heads};
        CAPTURE(pass.queries, pass.keys, pass.heads, pass.key_heads);
        check_answer(pass, card, blocks);
      }
    }
  }
}
