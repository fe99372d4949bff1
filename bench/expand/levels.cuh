#pragma once

#include <cub/device/device_radix_sort.cuh>

#include <heddle/expand/levels.hpp>
#include <heddle/expand/packed_prefix.hpp>

#include "../../examples/common/stream.hpp"
#include "common/bench.hpp"

// Searches of a graph, level by level.

namespace heddle_bench::searches {

using namespace heddle;

constexpr unsigned unreached = ~0u, threads = 512;

/// The edges of vertex v are those from begins[v] to begins[v + 1].
struct network {
  network(std::string its_name, unsigned vertices, unsigned edges)
      : name(std::move(its_name)), begins(vertices + 1), ends(edges) {}

  std::string name;
  device_array<unsigned> begins, ends;
  unsigned root = 0;  // it has edges

  unsigned vertices() const { return static_cast<unsigned>(begins.size()) - 1; }
};

__host__ __device__ inline unsigned mixed(unsigned bits) {
  bits = (bits ^ bits >> 16) * 0x7feb352du;
  bits = (bits ^ bits >> 15) * 0x846ca68bu;
  return bits ^ bits >> 16;
}

// A Kronecker graph, as Graph500 draws one: each bit of both ends by chances of 0.57, 0.19, 0.19 and 0.05.

constexpr unsigned log_vertices = 21, kronecker_edges = 1u << 25;

/// Renames a vertex, so that those with many edges are anywhere.
__device__ inline unsigned renamed(unsigned vertex) {
  constexpr unsigned mask = (1u << log_vertices) - 1;
  for (const unsigned shift : {10u, 11u, 12u}) {
    vertex = vertex * 0x9e3779b1u & mask;
    vertex ^= vertex >> shift;
  }
  return vertex;
}
__global__ void draw_edges(unsigned long long* pairs) {
  const unsigned edge = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned one = 0, other = 0, bits = mixed(edge + 12'345);
  for (unsigned i = 0; i < log_vertices; ++i) {
    bits = mixed(bits + i * 0x9e3779b9u + edge);
    const float chance = static_cast<float>(bits >> 8) * 0x1p-24f;
    one = 2 * one + (chance >= 0.76f);
    other = 2 * other + ((chance >= 0.57f && chance < 0.76f) || chance >= 0.95f);
  }
  one = renamed(one), other = renamed(other);
  pairs[2 * edge] = (1ull * one << 32) + other;
  pairs[2 * edge + 1] = (1ull * other << 32) + one;
}
/// Of pairs that are sorted: where those of each vertex begin.
__global__ void find_begins(const unsigned long long* pairs, unsigned count, unsigned* begins, unsigned vertices,
                            unsigned* ends) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto vertex = static_cast<unsigned>(pairs[i] >> 32);
  ends[i] = static_cast<unsigned>(pairs[i]);
  for (unsigned at = i == 0 ? 0 : static_cast<unsigned>(pairs[i - 1] >> 32) + 1; at <= vertex; ++at) begins[at] = i;
  if (i + 1 < count) return;
  for (unsigned at = vertex + 1; at <= vertices; ++at) begins[at] = count;
}
inline void fill_kronecker(network& of) {
  const std::size_t count = 2 * std::size_t{kronecker_edges};
  const device_array<unsigned long long> drawn(count), sorted(count);
  draw_edges<<<kronecker_edges / 256, 256>>>(drawn.data());
  std::size_t bytes = 0;
  const auto sort = [&](void* scratch) {
    check(cub::DeviceRadixSort::SortKeys(scratch, bytes, drawn.data(), sorted.data(), count, 0, 32 + log_vertices));
  };
  sort(nullptr);
  const device_array<char> scratch(bytes);
  sort(scratch.data());
  find_begins<<<static_cast<unsigned>(count / 256), 256>>>(sorted.data(), static_cast<unsigned>(count),
                                                           of.begins.data(), of.vertices(), of.ends.data());
  check(cudaDeviceSynchronize());
  std::vector<unsigned> begins(of.begins.size());
  check(cudaMemcpy(begins.data(), of.begins.data(), of.begins.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  while (begins[of.root] == begins[of.root + 1]) ++of.root;
}

/// Squares of a board, each beside four others, as if opposite borders met.
__global__ void fill_board(unsigned* begins, unsigned* ends, unsigned side) {
  const unsigned square = blockIdx.x * blockDim.x + threadIdx.x, row = square / side, col = square % side;
  const unsigned beside[] = {(row + side - 1) % side * side + col, row * side + (col + side - 1) % side,
                             row * side + (col + 1) % side, (row + 1) % side * side + col};
  for (unsigned i = 0; i < 4; ++i) ends[4 * square + i] = beside[i];
  begins[square] = 4 * square;
  if (square + 1 == side * side) begins[square + 1] = 4 * (square + 1);
}

// The searches. A source is named by its first edge.

struct search_state {
  const unsigned *begins, *ends;
  unsigned* distances;

  __device__ spawned edges_of(unsigned vertex) const { return {begins[vertex], begins[vertex + 1] - begins[vertex]}; }
  /// Returns the edges of the vertex at the end of an edge if it is reached for the first time.
  __device__ spawned follow(unsigned edge, unsigned level) const {
    const unsigned to = ends[edge];
    if (distances[to] != unreached) return {};
    const spawned edges = edges_of(to);
    return atomicCAS(&distances[to], unreached, level + 1) == unreached ? edges : spawned{};
  }
};

template <class Work>
__global__ void start(const __grid_constant__ Work work, search_state of, unsigned root) {
  const auto [first, count] = of.edges_of(root);
  of.distances[root] = 0;
  work.push_some(first, count);
}
__global__ void __launch_bounds__(threads, 2) all_levels(const __grid_constant__ levels work, search_state of) {
  __shared__ static_shared<levels::storage> smem;
  work.run(smem, [&](unsigned first, unsigned rank, unsigned level) { return of.follow(first + rank, level); });
}
__global__ void one_level(const __grid_constant__ packed_prefix here, const __grid_constant__ packed_prefix next,
                          search_state of, unsigned level) {
  __shared__ static_shared<packed_prefix::storage> smem;
  for (const auto [first, rank] : here.items(smem)) {
    const auto [source, n] = of.follow(first + rank, level);
    next.push_some(source, n);
  }
}

/// Adds up the distances: no search of another order has the same sum by chance.
__global__ void add_up(const unsigned* distances, unsigned count, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    if (distances[i] != unreached) mine += (distances[i] + 1ull) * mixed(i);
  }
  atomicAdd(sum, mine);
}

inline void measure(const network& of, json_file& json, int rounds) {
  const expansion room{of.vertices(), of.ends.size()};
  const device_array<char> state(levels::state_bytes(room)), list(packed_prefix::state_bytes(room)),
      other_list(packed_prefix::state_bytes(room));
  const device_array<unsigned> distances(of.vertices());
  const device_array<unsigned long long> sum(1);
  const search_state with{of.begins.data(), of.ends.data(), distances.data()};
  const levels work{room, state.data()};
  const packed_prefix lists[] = {{room, list.data()}, {room, other_list.data()}};
  const launch_config config = work.grid(all_levels, threads), of_level = lists[0].grid(one_level, 256);
  const auto in_one_launch = [&] {
    distances.set_bytes(0xff);
    check(work.begin_async(nullptr));
    start<<<1, 1>>>(work, with, of.root);
    check(launch(config, nullptr, all_levels, work, with));
  };
  const auto level_by_level = [&] {
    distances.set_bytes(0xff);
    check(lists[0].begin_async(nullptr));
    start<<<1, 1>>>(lists[0], with, of.root);
    for (unsigned level = 0;; ++level) {
      const packed_prefix &here = lists[level % 2], &next = lists[1 - level % 2];
      packed_prefix::totals totals;
      check(cudaMemcpy(&totals, here.state(), sizeof totals, cudaMemcpyDeviceToHost));
      if (here.items_pushed(totals) == 0) return;
      check(next.begin_async(nullptr));
      check(launch(of_level, nullptr, one_level, here, next, with, level));
    }
  };
  event_timer timer;
  std::vector<float> times[2];
  unsigned long long sums[2];
  for (int round = 0; round <= rounds; ++round) {
    for (const int form : {0, 1}) {
      const float found = timer.milliseconds([&] { form == 0 ? in_one_launch() : level_by_level(); });
      if (round > 0) times[form].push_back(found * 1000);
      sum.set_bytes(0);
      add_up<<<256, 256>>>(distances.data(), of.vertices(), sum.data());
      sums[form] = sum.first();
    }
  }
  if (sums[0] != sums[1]) {
    std::fprintf(stderr, "bench_expand: %s: the distances differ\n", of.name.c_str());
    std::exit(1);
  }
  levels::totals totals;
  check(cudaMemcpy(&totals, work.state(), sizeof totals, cudaMemcpyDeviceToHost));
  const float one = median(times[0]), each = median(times[1]);
  const auto edges = static_cast<double>(work.items_visited(totals));
  std::printf("%-12s %6u levels %11.0f edges: levels %9.1f us, %6.2f G edges/s; a launch per level %9.1f us\n",
              of.name.c_str(), work.levels_visited(totals), edges, one, edges / one * 1e-3, each);
  json.add(json_object()
               .add("row", of.name)
               .add("levels", work.levels_visited(totals))
               .add("edges", work.items_visited(totals))
               .add("levels_us", one, 1)
               .add("launches_us", each, 1));
}

// A triangular solve: each row of a square of unknowns needs the one above and the one on its left. The rows of a
// diagonal are a level; an item is an edge, and the second of a row's two solves it.

struct solve_state {
  static constexpr unsigned side = 1024, levels = 2 * side - 1;

  unsigned *solution, *waits;

  __device__ void solve(unsigned row) const {
    const unsigned above = row < side ? 0 : solution[row - side], beside = row % side == 0 ? 0 : solution[row - 1];
    solution[row] = mixed(row + 3 * above + 5 * beside);
  }
  __device__ spawned follow(unsigned row, unsigned rank) const {
    if (rank == 0 ? row % side == side - 1 : row / side == side - 1) return {};
    const unsigned next = rank == 0 ? row + 1 : row + side;
    if (next >= side && next % side != 0 && atomicAdd(&waits[next], 1u) == 0) return {};
    solve(next);
    return {next, 2};
  }
};
__global__ void start_solve(const __grid_constant__ levels work, solve_state of) {
  of.solve(0);
  work.push_some(0, 2);
}
__global__ void __launch_bounds__(threads, 2) solve_all(const __grid_constant__ levels work, solve_state of) {
  __shared__ static_shared<levels::storage> smem;
  work.run(smem, [&](unsigned row, unsigned rank, unsigned) { return of.follow(row, rank); });
}
__global__ void solve_diagonal(solve_state of, unsigned diagonal) {
  constexpr unsigned side = solve_state::side;
  const unsigned first = diagonal < side ? 0 : diagonal - side + 1, i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= diagonal && i < side) of.solve(i * side + diagonal - i);
}

inline void measure_solve(json_file& json, int rounds) {
  constexpr unsigned side = solve_state::side, rows = side * side;
  const expansion room{side + 1, 2 * (side + 1)};
  const device_array<char> state(levels::state_bytes(room));
  const device_array<unsigned> solution(rows), waits(rows);
  const device_array<unsigned long long> sum(1);
  const solve_state of{solution.data(), waits.data()};
  const levels work{room, state.data()};
  const launch_config config = work.grid(solve_all, threads);
  const captured_graph of_launches([&](cudaStream_t on) {
    for (unsigned diagonal = 0; diagonal < solve_state::levels; ++diagonal) {
      solve_diagonal<<<4, 256, 0, on>>>(of, diagonal);
    }
  });
  event_timer timer;
  std::vector<float> times[2];
  unsigned long long sums[2];
  for (int round = 0; round <= rounds; ++round) {
    for (const int form : {0, 1}) {
      solution.set_bytes(0);
      waits.set_bytes(0);
      const float found = timer.milliseconds([&] {
        if (form == 1) return of_launches.replay();
        check(work.begin_async(nullptr));
        start_solve<<<1, 1>>>(work, of);
        check(launch(config, nullptr, solve_all, work, of));
      });
      if (round > 0) times[form].push_back(found * 1000);
      sum.set_bytes(0);
      add_up<<<256, 256>>>(solution.data(), rows, sum.data());
      sums[form] = sum.first();
    }
  }
  if (sums[0] != sums[1]) {
    std::fprintf(stderr, "bench_expand: the solutions differ\n");
    std::exit(1);
  }
  const float one = median(times[0]), each = median(times[1]);
  std::printf("%-12s %6u levels of %u rows: levels %9.1f us, %5.2f per level; launches in a graph %9.1f us, %5.2f\n",
              "solve", solve_state::levels, rows / solve_state::levels, one, one / solve_state::levels, each,
              each / solve_state::levels);
  json.add(json_object()
               .add("row", "solve")
               .add("levels", solve_state::levels)
               .add("levels_us", one, 1)
               .add("graph_us", each, 1));
}

/// Times searches of a graph: levels in one launch, and two passes per level with the end read back.
inline void measure_all(json_file& json, int rounds) {
  {
    network kronecker("kronecker", 1u << log_vertices, 2 * kronecker_edges);
    fill_kronecker(kronecker);
    measure(kronecker, json, rounds);
  }
  for (const unsigned side : {64u, 2048u}) {
    network board("board " + std::to_string(side), side * side, 4 * side * side);
    fill_board<<<side * side / 256, 256>>>(board.begins.data(), board.ends.data(), side);
    measure(board, json, rounds);
  }
  measure_solve(json, rounds);
}

}  // namespace heddle_bench::searches
