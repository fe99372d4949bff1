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

// Triangular solves: each row of unknowns needs two others. An item is an edge, and the second of a row's two solves
// it.

/// The unknowns of a square need the one above and the one on the left. The rows of a diagonal are a level.
struct of_square {
  static constexpr unsigned side = 1024, levels = 2 * side - 1, widest = side, rows = side * side;

  /// Returns the i-th row of a level, or `rows`.
  __device__ unsigned row_of(unsigned level, unsigned i) const {
    const unsigned down = i + (level < side ? 0 : level - side + 1);
    return down <= level && down < side ? down * side + level - down : rows;
  }
  __device__ unsigned value_of(unsigned row, const unsigned* solution) const {
    return (row < side ? 0 : 3 * solution[row - side]) + (row % side == 0 ? 0 : 5 * solution[row - 1]);
  }
  /// Returns a row that needs this one, or `rows`.
  __device__ unsigned next(unsigned row, unsigned rank) const {
    return rank == 1 ? row + side : row % side == side - 1 ? rows : row + 1;
  }
  __device__ bool needs_one(unsigned row) const { return row < side || row % side == 0; }
};

/// As many unknowns in each level, which need two of the level before.
struct of_band {
  static constexpr unsigned levels = 1000;
  unsigned widest = 1, rows = levels;

  explicit of_band(unsigned width) : widest(width), rows(levels * width) {}

  __device__ unsigned row_of(unsigned level, unsigned i) const { return i < widest ? level * widest + i : rows; }
  __device__ unsigned value_of(unsigned row, const unsigned* solution) const {
    if (row < widest) return 0;
    const unsigned before = row - row % widest - widest;
    return 3 * solution[row - widest] + 5 * solution[before + (row + widest - 1) % widest];
  }
  __device__ unsigned next(unsigned row, unsigned rank) const {
    const unsigned level = row / widest + 1;
    return level < levels ? level * widest + (row + rank) % widest : rows;
  }
  __device__ bool needs_one(unsigned) const { return false; }
};

template <class Shape>
struct solve_state {
  Shape shape;
  unsigned *solution, *waits;

  __device__ void solve(unsigned row) const { solution[row] = mixed(row + shape.value_of(row, solution)); }
  __device__ spawned follow(unsigned row, unsigned rank) const {
    const unsigned next = shape.next(row, rank);
    if (next >= shape.rows || (!shape.needs_one(next) && atomicAdd(&waits[next], 1u) == 0)) return {};
    solve(next);
    return {next, 2};
  }
};
template <class Shape>
__global__ void start_solve(const __grid_constant__ levels work, solve_state<Shape> of) {
  const unsigned row = of.shape.row_of(0, blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= of.shape.rows) return;
  of.solve(row);
  work.push_some(row, 2);
}
template <class Shape>
__global__ void __launch_bounds__(threads, 2) solve_all(const __grid_constant__ levels work, solve_state<Shape> of) {
  __shared__ static_shared<levels::storage> smem;
  work.run(smem, [&](unsigned row, unsigned rank, unsigned) { return of.follow(row, rank); });
}
template <class Shape>
__global__ void solve_level(solve_state<Shape> of, unsigned level) {
  const unsigned row = of.shape.row_of(level, blockIdx.x * blockDim.x + threadIdx.x);
  if (row < of.shape.rows) of.solve(row);
}

template <class Shape>
void measure_solve(const Shape& shape, const std::string& name, json_file& json, int rounds) {
  const unsigned blocks = (shape.widest + 255) / 256;
  const expansion room{shape.widest + 1, 2 * (shape.widest + 1)};
  const device_array<char> state(levels::state_bytes(room));
  const device_array<unsigned> solution(shape.rows), waits(shape.rows);
  const device_array<unsigned long long> sum(1);
  const solve_state<Shape> of{shape, solution.data(), waits.data()};
  const levels work{room, state.data()};
  const launch_config config = work.grid(solve_all<Shape>, threads);
  const captured_graph of_launches([&](cudaStream_t on) {
    for (unsigned level = 0; level < shape.levels; ++level) solve_level<<<blocks, 256, 0, on>>>(of, level);
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
        start_solve<<<blocks, 256>>>(work, of);
        check(launch(config, nullptr, solve_all<Shape>, work, of));
      });
      if (round > 0) times[form].push_back(found * 1000);
      sum.set_bytes(0);
      add_up<<<256, 256>>>(solution.data(), shape.rows, sum.data());
      sums[form] = sum.first();
    }
  }
  if (sums[0] != sums[1]) {
    std::fprintf(stderr, "bench_expand: %s: the solutions differ\n", name.c_str());
    std::exit(1);
  }
  const float one = median(times[0]), each = median(times[1]);
  const auto of_level = [&](float all) { return static_cast<double>(all) / shape.levels; };
  std::printf("%-12s %6u levels of %u rows: levels %9.1f us, %5.2f per level; launches in a graph %9.1f us, %5.2f\n",
              name.c_str(), shape.levels, shape.rows / shape.levels, one, of_level(one), each, of_level(each));
  json.add(json_object()
               .add("row", name)
               .add("levels", shape.levels)
               .add("rows", shape.rows)
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
  measure_solve(of_square{}, "solve", json, rounds);
  for (const unsigned width : {1u, 32u, 512u, 1024u, 2048u, 4096u}) {
    measure_solve(of_band(width), "band of " + std::to_string(width), json, rounds);
  }
}

}  // namespace heddle_bench::searches
