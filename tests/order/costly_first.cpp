// Costly tiles first, by costs on the device: the preparation's own code on the host.

#include "simt.hpp"

#include <heddle/laws/check_order.hpp>
#include <heddle/laws/check_schedule.hpp>
#include <heddle/order/batched.hpp>
#include <heddle/order/costly_first.hpp>
#include <heddle/order/grouped.hpp>
#include <heddle/order/hilbert.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/triangular.hpp>
#include <heddle/schedule/ticket.hpp>

#include <cmath>
#include <limits>

#include "filled.hpp"
#include "test.hpp"

using namespace heddle;

namespace {

/// Costs by a tile's number in a space.
template <class Space>
struct costs_of {
  Space space;
  const double* of;

  template <class Tile>
  double operator()(Tile tile) const {
    return of[space.number(tile)];
  }
};

/// A class of cost by logarithms: eight per octave, each as wide as the others.
int class_of(double cost) {
  if (!(cost > 0)) return -1000000;
  if (std::isinf(cost)) return 1000000;
  int exponent = 0;
  const double mantissa = std::frexp(cost, &exponent);  // from 1/2 to 1
  return 8 * exponent + static_cast<int>(std::floor(16 * mantissa)) - 8;
}

/// Says what is wrong with the order that so many blocks prepare, or nothing.
template <class Order>
std::string broken(const Order& inner, const std::vector<double>& costs, unsigned blocks, unsigned threads) {
  const auto space = inner.space();
  const costs_of<space_of<Order>> cost{space, costs.data()};
  std::vector<int> expected(static_cast<std::size_t>(inner.size()));
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](int a, int b) { return class_of(cost(inner(a))) > class_of(cost(inner(b))); });

  const std::size_t words = costly_first<Order>::state_bytes(inner) / sizeof(int);
  std::vector<int> state(words + 64, 0x5a5a5a5a);
  const costly_first order{inner, state.data()};
  typename costly_first<Order>::preparing_storage shared;
  const auto is_right = [&]() -> std::string {
    if (order.size() != inner.size()) return "size()";
    for (int i = 0; i < order.size(); ++i) {
      if (!(order(i) == inner(expected[static_cast<std::size_t>(i)]))) return "tile " + std::to_string(i);
      if (order.index(order(i)) != i) return "index";
    }
    if (std::any_of(state.begin() + static_cast<std::ptrdiff_t>(words), state.end(),
                    [](int word) { return word != 0x5a5a5a5a; }))
      return "the guard is written";
    return laws::check_order(order).failure;
  };
  for (const unsigned char filling : heddle_test::fillings) {
    simt::launch(blocks, threads, [&] {
      heddle_test::fill(shared, filling);
      order.prepare(shared, cost);
    });
    if (std::string failure = is_right(); !failure.empty()) return failure;
  }
  return "";
}

std::vector<double> random_costs(std::mt19937& random, int count, int kind) {
  std::vector<double> costs(static_cast<std::size_t>(count));
  for (double& each : costs) {
    const double unit = random() % 1000 / 1000.0;
    each = kind == 0   ? 7
           : kind == 1 ? 4096 * unit
           : kind == 2 ? 1 / (unit + 1e-3)
           : kind == 3 ? static_cast<double>(random() % 3) - 1
                       : std::ldexp(1 + unit, static_cast<int>(random() % 200) - 100);
  }
  return costs;
}

}  // namespace

TEST_CASE("costly_first visits each tile once, costly classes first, and keeps the order within a class", "[order]") {
  std::mt19937 random(76);
  for (int turn = 0; turn < 40; ++turn) {
    const extent grid{static_cast<int>(random() % 20), static_cast<int>(random() % 20)};
    const unsigned threads = 32 + random() % 4 * 32, blocks = 1 + random() % 5;
    CAPTURE(turn, grid.rows, grid.cols, threads, blocks);
    const auto costs = random_costs(random, grid.size(), turn % 5);
    CHECK(broken(row_major{grid}, costs, blocks, threads) == "");
    CHECK(broken(hilbert{grid}, costs, blocks, threads) == "");
  }
  CHECK(broken(row_major{{1, 1}}, {3}, 4, 32) == "");
  CHECK(broken(row_major{{90, 90}}, random_costs(random, 8100, 2), 3, 1024) == "");
}

TEST_CASE("costly_first takes the tiles of batches, triangles and groups", "[order]") {
  std::mt19937 random(77);
  const batched planes{row_major{{7, 5}}, 6, 2};
  CHECK(broken(planes, random_costs(random, planes.size(), 2), 3, 64) == "");
  const triangle pairs{19, side::upper};
  const triangular above{row_major{pairs.folded()}, pairs};
  CHECK(broken(above, random_costs(random, above.size(), 1), 3, 64) == "");
  const std::vector<int> lengths{30, 0, 200, 4};
  const group_shape shape{.rows = 300, .groups = 4, .tile_rows = 8, .cols = 3};
  std::vector<unsigned long long> state(grouped::state_bytes(shape) / 8 + 2);
  const grouped on_device{shape, state.data()};
  grouped::preparing_storage shared;
  simt::launch(1, 32, [&] { on_device.prepare(shared, group_rows::lengths(lengths.data()), nullptr); });
  const grouped groups = on_device.on_host();
  CHECK(groups.size() < groups.most_tiles());
  CHECK(broken(groups, random_costs(random, groups.size(), 2), 3, 64) == "");
}

TEST_CASE("costly_first takes costs that are no numbers, infinite or negative", "[order]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> costs{std::nan(""), 1, infinity, -infinity, -5, 1e-30, 0, 2};
  CHECK(broken(row_major{{2, 4}}, costs, 2, 32) == "");
}

TEST_CASE("A scheduler deals out the tiles of costly_first once", "[order]") {
  std::mt19937 random(78);
  const auto costs = random_costs(random, 60, 2);
  std::vector<int> memory(120);
  const row_major inner{{6, 10}};
  const costly_first order{inner, memory.data()};
  costly_first<row_major>::preparing_storage shared;
  simt::launch(2, 64, [&] { order.prepare(shared, costs_of<extent>{inner.space(), costs.data()}); });
  for (unsigned seed = 0; seed < 20; ++seed) {
    const laws::launches plan{.workers = 5, .resident = 3, .count = 3, .seed = seed};
    std::vector<unsigned long long> state(ticket<>::state_bytes() / 8 + 1);
    CHECK(laws::check_schedule(ticket{reversed{order}, state.data()}, plan).failure == "");
  }
}

TEST_CASE("costly_first refuses a state that is null or not aligned", "[order]") {
  const row_major inner{{2, 2}};
  CHECK(costly_first<row_major>::state_bytes(inner) == 32);
  CHECK_THROWS_WITH((costly_first{inner, nullptr}),
                    "heddle::costly_first: state is null; it must point to device memory");
  alignas(4) static char memory[64];
  CHECK_THROWS((costly_first{inner, memory + 1}));
}
