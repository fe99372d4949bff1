// A breadth-first search: from a root to all vertices that can be reached, level by level, in one launch. An item is an
// edge, and spawns the edges of the vertex that it reaches first. The turn is a graph, captured once and launched for
// every root; every distance is checked against a search on the host.

#include <cstdio>
#include <vector>

#include <heddle/expand/levels.hpp>

#include "../common/measure.hpp"
#include "../common/stream.hpp"

namespace {

constexpr unsigned unreached = ~0u;

/// Vertex v has the edges begins[v] to begins[v + 1].
struct graph {
  const unsigned *begins, *ends;
  unsigned* distances;

  __device__ heddle::spawned edges_of(unsigned vertex) const {
    return {begins[vertex], begins[vertex + 1] - begins[vertex]};
  }
};

__global__ void start(const __grid_constant__ heddle::levels work, graph of, const unsigned* root) {
  const auto [first, count] = of.edges_of(*root);
  of.distances[*root] = 0;
  work.push_some(first, count);
}

/// A source is named by its first edge: so an item finds its edge without another read.
__global__ void search(const __grid_constant__ heddle::levels work, graph of) {
  __shared__ heddle::static_shared<heddle::levels::storage> smem;
  work.run(smem, [&](unsigned first, unsigned rank, unsigned level) -> heddle::spawned {
    const unsigned to = of.ends[first + rank];
    if (of.distances[to] != unreached || atomicCAS(&of.distances[to], unreached, level + 1) != unreached) return {};
    return of.edges_of(to);
  });
}

/// Edges of a graph in which a few vertices have very many, and some none.
struct edges {
  std::vector<unsigned> begins{0}, ends;

  explicit edges(unsigned vertices) {
    unsigned bits = 1;
    const auto draw = [&] { return bits = bits * 1664525 + 1013904223, bits >> 8; };
    for (unsigned vertex = 0; vertex < vertices; ++vertex) {
      const unsigned chance = draw() % 4096, count = chance == 0 ? 5000 : chance % 6;
      for (unsigned i = 0; i < count; ++i) ends.push_back(draw() % vertices);
      begins.push_back(static_cast<unsigned>(ends.size()));
    }
  }

  std::vector<unsigned> distances_from(unsigned root) const {
    std::vector<unsigned> distances(begins.size() - 1, unreached), queue{root};
    distances[root] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const unsigned vertex = queue[next];
      for (unsigned edge = begins[vertex]; edge < begins[vertex + 1]; ++edge) {
        if (distances[ends[edge]] != unreached) continue;
        distances[ends[edge]] = distances[vertex] + 1;
        queue.push_back(ends[edge]);
      }
    }
    return distances;
  }
};

}  // namespace

int main() try {
  if (!has_gpu("levels")) return skipped;
  const unsigned vertices = 300'000;
  const edges all(vertices);
  const device_array<unsigned> begins(all.begins), ends(all.ends), distances(vertices), root(1);
  const graph of{begins.data(), ends.data(), distances.data()};

  const heddle::expansion room{vertices, all.ends.size()};  // of the largest level
  const device_array<char> state(heddle::levels::state_bytes(room));
  const heddle::levels work{room, state.data()};

  const stream on;
  const captured_graph turn(on, [&] {
    check(work.begin_async(on));
    check(cudaMemsetAsync(of.distances, 0xff, vertices * sizeof(unsigned), on));
    start<<<1, 1, 0, on>>>(work, of, root.data());
    check(cudaGetLastError());
    check(heddle::launch({.threads = 512, .stream = on}, search, work, of));
  });

  for (const unsigned from : {0u, 77u, vertices - 1}) {
    root.copy_from(&from);
    turn.replay(on);
    check(cudaStreamSynchronize(on));
    heddle::levels::totals totals;
    check(cudaMemcpy(&totals, work.state(), sizeof totals, cudaMemcpyDeviceToHost));
    if (distances.read() != all.distances_from(from)) {
      std::printf("levels: from vertex %u a distance is wrong\n", from);
      return 1;
    }
    std::printf("levels: from vertex %u %u levels with %llu edges, right\n", from, work.levels_visited(totals),
                work.items_visited(totals));
  }
  return 0;
} catch (const std::exception& error) {
  return failed("levels", error);
}
