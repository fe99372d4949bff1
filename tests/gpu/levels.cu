// The law of levels on the GPU: each edge of each vertex once, in the level that a search on the host finds, with every
// shape of a launch, from graphs that are replayed, and with too little room.

#include <heddle/expand/levels.hpp>

#include "expand.hpp"

using namespace heddle_test;

namespace {

/// A graph by its vertices' edges, and what a search on the host says of it.
struct network {
  std::vector<unsigned> begins{0}, ends;

  unsigned vertices() const { return static_cast<unsigned>(begins.size()) - 1; }
  void add(std::initializer_list<unsigned> edges) {
    ends.insert(ends.end(), edges);
    begins.push_back(static_cast<unsigned>(ends.size()));
  }

  std::vector<unsigned> distances_from(unsigned root) const {
    std::vector<unsigned> distances(vertices(), ~0u), here{root}, next;
    distances[root] = 0;
    for (unsigned level = 1; !here.empty(); ++level, here.swap(next), next.clear()) {
      for (const unsigned vertex : here) {
        for (unsigned edge = begins[vertex]; edge < begins[vertex + 1]; ++edge) {
          if (distances[ends[edge]] != ~0u) continue;
          distances[ends[edge]] = level;
          next.push_back(ends[edge]);
        }
      }
    }
    return distances;
  }
  /// Returns the sources and items of each level.
  std::vector<expansion> levels_of(const std::vector<unsigned>& distances) const {
    std::vector<expansion> all;
    for (unsigned vertex = 0; vertex < vertices(); ++vertex) {
      const unsigned n = begins[vertex + 1] - begins[vertex];
      if (distances[vertex] == ~0u || n == 0) continue;
      if (all.size() <= distances[vertex]) all.resize(distances[vertex] + 1, {0, 0});
      ++all[distances[vertex]].sources;
      all[distances[vertex]].items += n;
    }
    return all;
  }
};

/// A long chain, with a burst of edges now and then: levels of one block and of all, in turns.
network chain(unsigned length, unsigned burst) {
  network all;
  for (unsigned vertex = 0; vertex < length; ++vertex) {
    if (vertex + 1 < length) all.ends.push_back(vertex + 1);
    for (unsigned i = 0; vertex % 17 == 5 && i < burst; ++i)
      all.ends.push_back(length + (vertex * burst + i) % (3 * burst));
    all.add({});
  }
  for (unsigned i = 0; i < 3 * burst; ++i) all.add({i % length, length + (i * 7 + 1) % (3 * burst)});
  return all;
}
network random_edges(unsigned vertices, unsigned hub) {
  std::mt19937 random(4);
  network all;
  for (unsigned vertex = 0; vertex < vertices; ++vertex) {
    const auto n = vertex % 5000 == 77 ? hub : static_cast<unsigned>(random() % 5);
    for (unsigned i = 0; i < n; ++i) all.ends.push_back(static_cast<unsigned>(random() % vertices));
    all.add({});
  }
  return all;
}

struct graph_on_device {
  const unsigned *begins, *ends;
  unsigned* distances;
  int *visits, *wrong;
  const unsigned* root;
};

__global__ void push_root(const __grid_constant__ levels work, graph_on_device of) {
  const unsigned root = *of.root;
  of.distances[root] = 0;
  work.push_some(root, of.begins[root + 1] - of.begins[root]);
}
__global__ void search(const __grid_constant__ levels work, graph_on_device of) {
  __shared__ heddle::static_shared<levels::storage> smem;
  work.run(smem, [&](unsigned vertex, unsigned rank, unsigned level) -> spawned {
    const unsigned edge = of.begins[vertex] + rank, to = of.ends[edge];
    if (edge >= of.begins[vertex + 1] || of.distances[vertex] != level) atomicAdd(of.wrong, 1);
    atomicAdd(&of.visits[edge], 1);
    if (atomicCAS(&of.distances[to], ~0u, level + 1) != ~0u) return {0, 0};
    return {to, of.begins[to + 1] - of.begins[to]};
  });
}

/// Captures a turn in a graph and replays it from each root.
void searches(const network& all, expansion room, unsigned threads, int cap, const std::vector<unsigned>& roots) {
  stream on;
  device_array<unsigned> begins(all.begins), ends(all.ends), distances(all.vertices(), 0), root(1, 0);
  device_array<int> visits(all.ends.size(), 0), wrong(1, 0);
  const guarded<levels> state(room);
  const levels& work = state.work();
  const graph_on_device of{begins.data(), ends.data(), distances.data(), visits.data(), wrong.data(), root.data()};
  const captured_graph graph(on, [&] {
    check(work.begin_async(on));
    check(cudaMemsetAsync(of.distances, 0xff, 4ull * all.vertices(), on));
    check(cudaMemsetAsync(of.visits, 0, 4ull * all.ends.size(), on));
    push_root<<<1, 1, 0, on>>>(work, of);
    check(cudaGetLastError());
    check(launch({.threads = threads, .stream = on, .cap = cap}, search, work, of));
  });
  for (const unsigned from : roots) {
    CAPTURE(threads, cap, from);
    root.copy_from(std::vector{from});
    graph.replay(on);
    finish(on);
    std::vector<unsigned> expected = all.distances_from(from);
    const std::vector<expansion> each = all.levels_of(expected);
    unsigned count = 0;  // levels before the one that finds no room
    expansion most{0, 0};
    unsigned long long items = 0;
    for (; count < each.size(); ++count) {
      most = {std::max(most.sources, each[count].sources), std::max(most.items, each[count].items)};
      if (each[count].sources > room.sources || each[count].items > room.items) break;
      items += each[count].items;
    }
    levels::totals totals;
    check(cudaMemcpy(&totals, work.state(), sizeof totals, cudaMemcpyDeviceToHost));
    CHECK(work.levels_visited(totals) == count);
    CHECK(work.items_visited(totals) == items);
    CHECK(work.required(totals).sources == most.sources);
    CHECK(work.required(totals).items == most.items);
    std::vector<int> once(all.ends.size());
    for (unsigned vertex = 0; vertex < all.vertices(); ++vertex) {
      if (expected[vertex] > count) expected[vertex] = ~0u;
      for (unsigned edge = all.begins[vertex]; edge < all.begins[vertex + 1]; ++edge)
        once[edge] = expected[vertex] < count;
    }
    CHECK((visits.read() == once));
    CHECK((distances.read() == expected));
    CHECK(wrong.read()[0] == 0);
    CHECK(state.guard_is_whole());
  }
}

}  // namespace

GPU_TEST("Levels visit each item of each level once, from graphs that are replayed", "[expand]") {
  const network chains = chain(kernels_overlap() ? 3000 : 60, kernels_overlap() ? 5000 : 300);
  const network edges = random_edges(kernels_overlap() ? 400'000 : 3000, 20'000);
  for (const unsigned threads : {32u, 256u, 512u, 1024u}) {
    for (const int cap : {1, 3, 1000}) {
      const auto last = chains.vertices() - 1;
      searches(chains, {chains.vertices(), chains.ends.size()}, threads, cap, {0, last, 5, 0});
      searches(edges, {edges.vertices(), edges.ends.size()}, threads, cap, {77, 1, 2, 3});
    }
  }
}

GPU_TEST("Levels without an item, and of one, end", "[expand]") {
  network all;
  all.add({});
  all.add({0});
  all.add({2});
  searches(all, {1, 1}, 64, 1000, {0, 1, 2, 0});
}

GPU_TEST("Levels end before the level that finds no room, and say what it needs", "[expand]") {
  const network all = random_edges(kernels_overlap() ? 100'000 : 6000, 3'000);
  const std::vector<expansion> each = all.levels_of(all.distances_from(77));
  REQUIRE(each.size() > 3);
  expansion third = each[0];
  for (const unsigned level : {1u, 2u}) {
    third = {std::max(third.sources, each[level].sources), std::max(third.items, each[level].items)};
  }
  searches(all, {third.sources - 1, third.items}, 256, 1000, {77, 77});
  searches(all, {third.sources, third.items - 1}, 256, 1000, {77, 77});
  searches(all, {third.sources, third.items}, 256, 1000, {77, 5077});
}

GPU_TEST("A launch of levels that cannot be resident at once is refused", "[expand]") {
  const guarded<levels> state({64, 64});
  stream on;
  launch_config grid = state.work().grid(search, 1024);
  check(grid.error);
  grid.config.gridDim.x *= 2;
  CHECK(launch(grid, on, search, state.work(), graph_on_device{}) == cudaErrorCooperativeLaunchTooLarge);
  (void)cudaGetLastError();
}
