// Costly tiles first, by costs on the device, other ones in each replay of a graph.

#include <heddle/order/batched.hpp>
#include <heddle/order/costly_first.hpp>
#include <heddle/order/hilbert.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/schedule/ticket.hpp>

#include "schedule.hpp"

using namespace heddle_test;

namespace {

/// What a tile costs: the tokens of its row.
struct tokens_of_row {
  const int* tokens;
  __host__ __device__ int operator()(coord tile) const { return tokens[tile.row]; }
};
/// What a tile costs: a number of its plane, its row and its column.
struct mixed_cost {
  unsigned seed;
  __host__ __device__ float operator()(batch_coord tile) const {
    const unsigned mixed =
        (seed + static_cast<unsigned>(tile.batch * 7919 + tile.row * 104729 + tile.col * 1299709)) * 2654435761u;
    return static_cast<float>(mixed >> (8 + mixed % 16));
  }
};

/// Returns whether the device left the state that the host prepares, and nothing behind it.
template <class Order, class Cost>
bool is_as_on_host(const Order& inner, const device_array<char>& state, const Cost& cost) {
  std::vector<char> expected(state.bytes(), static_cast<char>(0xa5));
  costly_first{inner, expected.data()}.on_host(cost);
  return state.read() == expected;
}
template <class Order>
std::size_t bytes_with_guard(const Order& inner) {
  return costly_first<Order>::state_bytes(inner) + 64;
}

__global__ void next_costs(const int* of_turns, int* turn, int* costs, int rows) {
  const int set = *turn;
  __syncthreads();
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += static_cast<int>(blockDim.x)) {
    costs[row] = of_turns[set * rows + row];
  }
  if (threadIdx.x == 0) ++*turn;
}

}  // namespace

GPU_TEST("A preparation on the GPU puts costly tiles first as the host does", "[order]") {
  std::mt19937 random(76);
  stream on;
  for (const extent grid : {extent{0, 5}, extent{1, 1}, extent{128, 1}, extent{129, 1}, extent{100, 7}, extent{512, 32},
                            extent{2048, 33}, extent{1000, 1000}}) {
    for (const int most : {1, 3, 100000}) {
      CAPTURE(grid.rows, grid.cols, most);
      std::vector<int> lengths(static_cast<std::size_t>(grid.rows) + 1);
      for (int& each : lengths) each = static_cast<int>(random() % static_cast<unsigned>(most));
      const device_array<int> tokens(lengths);
      const row_major inner{grid};
      const device_array<char> state(bytes_with_guard(inner), 0xa5);
      const costly_first order{inner, state.data()};
      check(order.prepare_async(tokens_of_row{tokens.data()}, on));
      finish(on);
      CHECK(is_as_on_host(inner, state, tokens_of_row{lengths.data()}));
    }
  }
  for (const unsigned seed : {1u, 2u, 3u}) {
    const batched inner{hilbert{{61, 45}}, 9, 3};
    const device_array<char> state(bytes_with_guard(inner), 0xa5);
    const costly_first order{inner, state.data()};
    check(order.prepare_async(mixed_cost{seed}, on));
    finish(on);
    CHECK(is_as_on_host(inner, state, mixed_cost{seed}));
  }
}

GPU_TEST("Replays of a graph put tiles of other costs first on the GPU", "[order]") {
  constexpr int rows = 700, turns = 20;
  std::mt19937 random(77);
  std::vector<int> lengths(rows * turns);
  for (int& each : lengths) each = static_cast<int>(random() % 5000 * (random() % 9 == 0 ? 20 : 1));
  const device_array<int> of_turns(lengths), turn(1, 0), costs(rows, 0);
  const row_major inner{{rows, 3}};
  const device_array<char> state(bytes_with_guard(inner), 0xa5);
  const costly_first order{inner, state.data()};
  stream on;
  const captured_graph graph(on, [&] {
    next_costs<<<1, 256, 0, on>>>(of_turns.data(), turn.data(), costs.data(), rows);
    check(order.prepare_async(tokens_of_row{costs.data()}, on));
  });
  for (int set = 0; set < turns; ++set) {
    CAPTURE(set);
    graph.replay(on);
    finish(on);
    CHECK(is_as_on_host(inner, state, tokens_of_row{lengths.data() + set * rows}));
  }
}

GPU_TEST("ticket visits each tile of costly_first once on the GPU", "[schedule]") {
  const row_major grid{{90, 33}};
  const device_array<char> tickets(ticket<>::state_bytes(), 0), state(bytes_with_guard(grid), 0xa5);
  const device_array<int> visits(static_cast<std::size_t>(grid.size()), 0);
  std::vector<int> lengths(90);
  for (std::size_t row = 0; row < lengths.size(); ++row) lengths[row] = static_cast<int>(row * 7919 % 90);
  const device_array<int> tokens(lengths);
  stream on;
  const costly_first order{grid, state.data()};
  check(order.prepare_async(tokens_of_row{tokens.data()}, on));
  enqueue(on, ticket{order, tickets.data()}, in_a_loop<ticket<costly_first<row_major>>>, visits.data(), -1);
  finish(on);
  CHECK(wrong(visits, everyone) == "");
}
