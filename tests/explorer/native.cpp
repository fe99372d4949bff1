// Prints random states of the explorer, and what the library says of each when a program calls it: what the page must
// say, bit for bit.
//
//   native NUMBER SEED      a state's fields, "---", the answer's fields, "==="

#include <heddle/order.hpp>
#include <heddle/predict.hpp>
#include <heddle/recipe.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace {

using namespace heddle;
using namespace heddle::predict;

std::mt19937 random_bits;

int roll(int least, int most) {
  return least + static_cast<int>(random_bits() % (static_cast<unsigned>(most - least) + 1));
}
/// Sizes of any magnitude, some of them one beside a power of two.
int size(int most) {
  const int power = 1 << roll(0, static_cast<int>(std::log2(most)));
  return std::min(most, std::max(1, roll(0, 2) == 0 ? power + roll(-1, 1) : roll(power, 2 * power)));
}

std::string fields, answers;

void field(const char* key, const std::string& value) {
  fields += std::string(key) + "=" + value + "\n";
}
int field(const char* key, int value) {
  field(key, std::to_string(value));
  return value;
}
void expect(const char* key, const std::string& value) {
  answers += std::string(key) + "=" + value + "\n";
}
void expect(const char* key, long long value) {
  expect(key, std::to_string(value));
}
std::string digits_of(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  return digits;
}
void expect(const char* key, double value) {
  expect(key, digits_of(value));
}

device any_card() {
  const char* const names[] = {"h100", "h200", "a100", "rtx_4090", "b200"};
  const int which = roll(0, 4);
  device chip = device_named(names[which]);
  field("card", names[which]);
  if (roll(0, 3) == 0) chip.multiprocessors = field("multiprocessors", roll(0, 8) == 0 ? 0 : roll(1, 200));
  if (roll(0, 3) == 0) chip.l2_bytes = field("l2_bytes", roll(0, 30) << 20);
  if (roll(0, 5) == 0) chip.dram_bytes_per_second = 0, field("dram_bytes_per_second", "0");
  return chip;
}

void expect_advice(const advice& found) {
  expect("advice", found.matters || found.to_measure.empty() ? to_string(found) : to_string(found.to_measure.front()));
  expect("reason", found.reason);
  expect("advised_bytes", found.predicted_bytes);
  expect("plain_bytes", found.plain_bytes);
  expect("replayed", found.replayed);
  expect("advised_seconds", found.predicted_seconds);
  expect("plain_seconds", found.plain_seconds);
  expect("error", found.error);
}

template <class Problem, class Order>
void expect_figures(const Problem& problem, const device& chip, int blocks, const Order& order) {
  const recipe by{.schedule = static_cast<recipe::schedule_kind>(roll(0, recipe::stream_k - 1)), .run = roll(1, 9)};
  field("schedule", to_string(by.schedule));
  field("run", by.run);
  const traffic_report moved = traffic(order, problem, chip, blocks, by);
  expect("dram_bytes", moved.total.dram_bytes);
  expect("written_bytes", moved.total.written_bytes);
  expect("waves", static_cast<long long>(moved.waves.size()));
  if constexpr (requires { problem.rows_radius; }) {
    const l1_traffic_report near = l1_traffic(order, problem, chip, blocks, by);
    expect("l2_bytes", chip.l1_bytes > 0 ? near.l2_bytes : near.requested_bytes);
  } else {
    expect("l2_bytes", moved.total.requested_bytes);
  }
  const auto cost = [&](const auto& tile) {
    if constexpr (std::is_same_v<Problem, causal_problem> || std::is_same_v<Problem, grouped_problem>) {
      return problem.cost(tile);
    } else {
      return 1.0;  // tiles of one size
    }
  };
  const makespan_report ends = makespan(order, cost, {chip.multiprocessors * blocks, blocks}, by);
  expect("end", ends.end);
  expect("idle", ends.idle_share());
}

/// Calls `f` with one of the orders of a grid, with or without adapters, in one type: what it calls is compiled once.
template <class F>
void with_any_order(extent grid, const F& f) {
  recipe by{.order = static_cast<recipe::order_kind>(roll(0, recipe::dilated)),
            .width = field("width", roll(0, 30) == 0 ? 0 : roll(1, 20)),
            .axis = roll(0, 1) == 0 ? axis::x : axis::y};
  field("axis", by.axis == axis::x ? "x" : "y");
  field("order", to_string(by.order));
  if (by.order == recipe::dilated) by.step = {field("step_rows", roll(1, 5)), field("step_cols", roll(1, 5))};
  if (roll(0, 3) == 0) by.transposed = field("transposed", 1) == 1;
  if (roll(0, 3) == 0) by.reversed = field("reversed", 1) == 1;
  if (roll(0, 3) == 0) by.first = field("first", roll(0, grid.size()));
  recipe forwards = by;  // refuses a width as the page does
  forwards.reversed = false, forwards.first = 0;
  with_recipe(forwards, grid, [](const auto&) {});
  const tile_table::entries entries = make_tile_table(by, grid);
  f(any_order{by, grid, entries.data()});
}

gemm_problem any_product(int most) {
  gemm_problem p{
      .m = field("m", roll(0, 40) == 0 ? -1 : size(most)), .n = field("n", size(most)), .k = field("k", size(most))};
  p.tile_m = field("tile_m", 32 << roll(0, 3));
  p.tile_n = field("tile_n", 32 << roll(0, 3));
  p.element_bytes = p.output_bytes = field("element_bytes", 1 << roll(0, 2));
  p.whole_lines = 1LL * p.k * p.element_bytes % 128 == 0;
  return p;
}

void any_state() {
  const device chip = any_card();
  const auto ask = [&](const auto& problem, int blocks, const auto& with_orders) {
    field("blocks_per_multiprocessor", blocks);
    const double seconds = roll(0, 3) == 0 ? 1e-4 * roll(1, 50) : 0;
    field("measured_seconds", digits_of(seconds));
    expect_advice(advise(problem, chip, blocks, seconds));
    with_orders([&](const auto& order) { expect_figures(problem, chip, blocks, order); });
  };
  switch (roll(0, 5)) {
    case 0: {
      field("problem", "product");
      const gemm_problem p = any_product(8192);
      return ask(p, roll(1, 3), [&](const auto& f) { with_any_order(p.grid(), f); });
    }
    case 1: {
      field("problem", "stencil");
      stencil_problem p{.rows = field("rows", size(4096)),
                        .cols = field("cols", size(4096)),
                        .bytes_per_pixel = field("bytes_per_pixel", 4 << roll(0, 3))};
      p.tile_rows = field("tile_rows", 8 << roll(0, 2)), p.tile_cols = field("tile_cols", 8 << roll(0, 4));
      p.rows_radius = field("rows_radius", roll(0, 4)), p.cols_radius = field("cols_radius", roll(0, 4));
      p.step = field("step", 1 << roll(0, 6));
      p.written_bytes_per_pixel = field("written_bytes_per_pixel", 4 * roll(0, 4));
      p.instructions_per_pixel = field("instructions_per_pixel", 100 * roll(0, 4));
      return ask(p, roll(1, 8), [&](const auto& f) { with_any_order(p.grid(), f); });
    }
    case 2: {
      field("problem", "batch");
      const gemm_problem plane = any_product(1024);
      const batched_problem p{.plane = plane,
                              .count = field("count", roll(1, 40)),
                              .planes_per_a = field("planes_per_a", roll(1, 8)),
                              .planes_per_b = field("planes_per_b", roll(1, 8))};
      return ask(p, 1, [&](const auto& f) {
        const int interleave = field("interleave", roll(1, 8));
        with_any_order(plane.grid(), [&](const auto& order) { f(batched{order, p.count, interleave}); });
      });
    }
    case 3: {
      field("problem", "causal");
      causal_problem p{.queries = field("queries", size(8192)),
                       .keys = field("keys", size(8192)),
                       .heads = field("heads", 4 * roll(1, 8))};
      p.key_heads = field("key_heads", roll(0, 9) == 0 ? 3 : 4);
      return ask(p, roll(1, 2), [&](const auto& f) { with_any_order(p.grid(), f); });
    }
    case 4: {
      field("problem", "pairs");
      pairs_problem p{.things = field("things", roll(0, 9) == 0 ? roll(-1, 2) : size(8192)),
                      .elements = field("elements", size(512))};
      p.tile_things = field("tile_things", 32 << roll(0, 2));
      p.step_elements = field("step_elements", 8 << roll(0, 3));
      p.pair_bytes = field("pair_bytes", roll(0, 4));
      return ask(p, roll(1, 4), [&](const auto& f) {
        const triangle space = p.space();
        with_any_order(space.folded(), [&](const auto& order) { f(triangular{order, space}); });
      });
    }
    default: {
      field("problem", "groups");
      grouped_problem p{.rows = {}, .n = 0, .k = 0};
      std::string rows;
      for (int groups = roll(1, 40), g = 0; g < groups; ++g) {
        p.rows.push_back(roll(0, 4) == 0 ? 0 : size(2048));
        rows += (g > 0 ? " " : "") + std::to_string(p.rows.back());
      }
      field("group_rows", rows);
      p.n = field("n", size(4096)), p.k = field("k", size(2048));
      return ask(p, 1, [&](const auto& f) {
        const std::vector<int> ends = p.ends();
        std::vector<long long> state(grouped::state_bytes(p.shape()) / 8 + 2);
        const bool heaviest = roll(0, 1) == 1;
        field("order", "thread_group_tiling"), field("axis", "y"),
            field("sequence", heaviest ? "heaviest_first" : "as_numbered");
        f(grouped{p.shape(), state.data(), field("width", roll(1, 9)), axis::y,
                  heaviest ? group_sequence::heaviest_first : group_sequence::as_numbered}
              .on_host(ends.data()));
      });
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 300;
  random_bits.seed(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 48);
  for (int i = 0; i < count; ++i) {
    fields = answers = "";
    try {
      any_state();
    } catch (const invalid_argument& refused) {
      expect("refused", std::string(refused.what()));
    }
    std::printf("%s---\n%s===\n", fields.c_str(), answers.c_str());
  }
}
