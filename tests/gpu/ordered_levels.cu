// The law of ordered levels on the GPU: the list that stays is what a traversal one item after another makes, with
// every shape of a launch, from graphs that are replayed, on two streams, and with too little room.

#include <heddle/expand/ordered_levels.hpp>

#include "expand/traversal.hpp"
#include "schedule.hpp"

using namespace heddle_test;

namespace {

using ways = ordered_levels<way>;

/// What a turn does; a graph reads it at each replay.
struct turn {
  unsigned roots, levels;
  growth grows;
};

__global__ void traverse(const __grid_constant__ ways work, const turn* of) {
  __shared__ heddle::static_shared<ways::storage> smem;
  const auto [roots, levels, grows] = *of;
  work.run(
      smem, roots, levels, [](unsigned i) { return way::of_root(i); },
      [&](const way& item, unsigned level) { return item.level == level ? grows.of(item) : 1000; },
      [](const way& item, unsigned rank, unsigned) { return item.child(rank); });
}
__global__ void copy_last(const __grid_constant__ ways work, way* to) {
  const auto [items, count] = work.last();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) to[i] = items[i];
}

/// Levels with a guard behind them, in memory full of stale bytes, and a stream on which a graph runs turns.
class traversing {
  static constexpr std::size_t guard = 4096;

 public:
  traversing(unsigned room, unsigned threads, int cap, int filling = 0xa5)
      : room_(room),
        filling_(filling),
        memory_(ways::state_bytes(room) + guard, filling),
        last_(room + 1, 0),
        turn_(1, 0),
        work_(room, memory_.data()),
        graph_(on_, [&] {
          check(work_.begin_async(on_));
          check(launch({.threads = threads, .stream = on_, .cap = cap}, traverse, work_, turn_.data()));
          copy_last<<<7, 128, 0, on_>>>(work_, last_.data());
          check(cudaGetLastError());
        }) {}

  void begin(const turn& of) {
    turn_.copy_from(std::vector{of});
    graph_.replay(on_);
  }
  void finish_and_check(const turn& of) {
    finish(on_);
    CAPTURE(room_, of.roots, of.levels, of.grows.seed, of.grows.most);
    const traversal all(of.roots, of.levels, of.grows);
    const outcome expected(all, room_);
    ways::totals totals;
    check(cudaMemcpy(&totals, work_.state(), sizeof totals, cudaMemcpyDeviceToHost));
    CHECK(work_.required(totals) == expected.most);
    CHECK(work_.levels_visited(totals) == (expected.is_whole ? all.lists.size() - 1 : expected.lists));
    const std::vector<way> none, &kept = expected.is_whole ? all.lists.back() : none;
    const auto [items, count] = work_.last(totals);
    REQUIRE(count == kept.size());
    std::vector<way> found = last_.read(), direct(count);
    found.resize(count);
    CHECK((found == kept));
    if (count > 0) check(cudaMemcpy(direct.data(), items, count * sizeof(way), cudaMemcpyDeviceToHost));
    CHECK((direct == kept));
    const std::vector<unsigned char> bytes = memory_.read();
    CHECK(std::all_of(bytes.end() - guard, bytes.end(), [&](int byte) { return byte == filling_; }));
  }

 private:
  unsigned room_;
  int filling_;
  stream on_;
  device_array<unsigned char> memory_;
  device_array<way> last_;
  device_array<turn> turn_;
  ways work_;
  captured_graph graph_;
};

}  // namespace

GPU_TEST("Ordered levels leave the list of a traversal one after another, from graphs that are replayed", "[expand]") {
  const unsigned many = kernels_overlap() ? 100'000 : 5000;
  const std::vector<turn> turns{{many, 6, {1, 20, 8}},     {many / 2, 3, {2, 10, 40}}, {0, 3, {3, 20, 8}},
                                {1, 9, {4, 2, 3}},         {many, 0, {5, 20, 8}},      {1000, 3, {6, 2000, 3000}},
                                {many / 3, 1, {7, 20, 8}}, {31, 40, {8, 20, 8}}};
  std::size_t most = 0;
  for (const turn& each : turns) most = std::max(most, traversal(each.roots, each.levels, each.grows).largest());
  for (const unsigned threads : {32u, 256u, 512u, 1024u}) {
    for (const int cap : {1, 3, 1000}) {
      CAPTURE(threads, cap);
      traversing with(static_cast<unsigned>(most), threads, cap, threads == 256 ? 0xff : 0xa5);
      for (const turn& each : turns) {
        with.begin(each);
        with.finish_and_check(each);
      }
    }
  }
}

GPU_TEST("Ordered levels fit at their capacity, and end one past it", "[expand]") {
  const turn of{20'000, 5, {9, 8, 12}};
  const auto most = static_cast<unsigned>(traversal(of.roots, of.levels, of.grows).largest());
  for (const unsigned room : {most, most - 1, most / 2 + 1, of.roots, of.roots - 1, 0u}) {
    traversing with(room, 256, 1000);
    for (int replay = 0; replay < 2; ++replay) {
      with.begin(of);
      with.finish_and_check(of);
    }
  }
}

GPU_TEST("Ordered levels take turns on two streams at once", "[expand]") {
  const turn one{50'000, 6, {10, 20, 8}}, other{70'000, 5, {11, 20, 8}};
  traversing first(200'000, 512, 20), second(200'000, 256, 30, 0);
  for (int round = 0; round < 20; ++round) {
    first.begin(one), second.begin(other);
    first.finish_and_check(one), second.finish_and_check(other);
  }
}

GPU_TEST("A launch of ordered levels that cannot be resident at once is refused", "[expand]") {
  const device_array<unsigned char> memory(ways::state_bytes(64), 0xa5);
  const ways work(64, memory.data());
  stream on;
  launch_config grid = work.grid(traverse, 1024);
  check(grid.error);
  grid.config.gridDim.x *= 2;
  CHECK(launch(grid, on, traverse, work, static_cast<const turn*>(nullptr)) == cudaErrorCooperativeLaunchTooLarge);
  (void)cudaGetLastError();
}
