#include <heddle/expand/indirect.hpp>

#include "expand.hpp"

using namespace heddle_test;

namespace {

/// Sums over the items, and writes the number of blocks.
template <granularity Granularity, expander Work>
__global__ void tally(const __grid_constant__ Work work, unsigned long long* sums) {
  __shared__ heddle::static_shared<typename Work::storage> smem;
  if (blockIdx.x == 0 && threadIdx.x == 0) sums[2] = gridDim.x;
  unsigned long long count = 0, sum = 0;
  for (const auto [source, rank] : work.template items<Granularity>(smem)) {
    ++count;
    sum += (source + 1ull) * (rank * 31ull + 7);
  }
  atomicAdd(&sums[0], count);
  atomicAdd(&sums[1], sum);
}

/// Whether this GPU runs none of the code: it is compiled for few architectures, since that takes long.
bool no_gpu_of_ours() {
  if (no_gpu()) return true;
  cudaFuncAttributes found;
  if (cudaFuncGetAttributes(&found, tally<granularity::thread, packed_prefix>) == cudaSuccess) return false;
  (void)cudaGetLastError();
  skip("no code for this GPU was compiled");
  return true;
}

constexpr unsigned size = 5120, in_block = 128;
constexpr unsigned long long room = 200'000;

/// What the sources spawn in each replay: little, much, and nothing.
std::vector<std::vector<unsigned>> turns() {
  std::vector<std::vector<unsigned>> all(1, std::vector<unsigned>(size, 0));
  const auto add = [&](auto n) { all.push_back(drawn("", size, n).n); };
  add([](unsigned i) { return i == 77 ? 1u : 0u; });
  add([](unsigned i) { return i % 7; });
  add([](unsigned) { return 23u; });
  add([](unsigned) { return 0u; });
  add([](unsigned i) { return i % 100 == 0 ? 3u : 0u; });
  add([](unsigned i) { return i == size - 1 ? 150'000u : i % 2; });
  add([](unsigned i) { return i % 3; });
  return all;
}

using words = std::vector<unsigned long long>;

template <granularity Granularity, class Work>
void sets_the_grid() {
  stream on;
  const unsigned threads = Granularity == granularity::thread ? 1 : Granularity == granularity::warp ? 32 : in_block;
  const guarded<Work> state({size, room});
  const Work& work = state.work();
  device_array<unsigned> n(size, 0);
  device_array<unsigned long long> sums(3, 0);
  const launch_config grid = work.grid(tally<Granularity, Work>, in_block);
  check(grid.error);
  const unsigned most = grid.config.gridDim.x;

  const captured_graph graph(on, [&] {
    check(work.begin_async(on));
    produce<<<size / in_block, in_block, 0, on>>>(work, n.data(), size);
    check(cudaGetLastError());
    check(launch_indirect<Granularity>(grid, on, tally<Granularity, Work>, work, sums.data()));
  });
  graph.upload(on);

  int turn = 0;
  for (const std::vector<unsigned>& of_each : turns()) {
    CAPTURE(turn++);
    words expected(2);
    for (unsigned source = 0; source < size; ++source) {
      const unsigned long long of = of_each[source];
      expected[0] += of * threads;
      expected[1] += threads * (source + 1ull) * (31 * (of * (of - (of > 0)) / 2) + 7 * of);
    }
    n.copy_from(of_each);
    sums.fill(0);
    graph.replay(on);
    finish(on);
    const words found = sums.read();
    CHECK(found[0] == expected[0]);
    CHECK(found[1] == expected[1]);
    const auto required = state.required();
    const unsigned long long blocks = ((required.items + required.sources) * threads + in_block - 1) / in_block;
    CHECK(found[2] == std::clamp<unsigned long long>(blocks, 1, most));
  }
  CHECK(state.guard_is_whole());
}

}  // namespace

TEST_CASE("A second pass whose grid is set on the device visits every item in every replay on the GPU",
          "[gpu][expand]") {
  if (no_gpu_of_ours()) return;
  sets_the_grid<granularity::thread, packed_prefix>();
  sets_the_grid<granularity::thread, scanned>();
  sets_the_grid<granularity::thread, append>();
  sets_the_grid<granularity::warp, packed_prefix>();
  sets_the_grid<granularity::block, power_of_two>();
}

TEST_CASE("A second pass whose grid is set on the device visits what there was room for on the GPU", "[gpu][expand]") {
  if (no_gpu_of_ours()) return;
  stream on;
  const guarded<packed_prefix> state({size, 1000});
  device_array n(std::vector<unsigned>(size, 1));
  device_array<unsigned long long> sums(3, 0);
  const auto kernel = tally<granularity::thread, packed_prefix>;
  const captured_graph graph(on, [&] {
    check(state.work().begin_async(on));
    produce<<<size / in_block, in_block, 0, on>>>(state.work(), n.data(), size);
    check(launch_indirect(state.work().grid(kernel, in_block), on, kernel, state.work(), sums.data()));
  });
  graph.replay(on);
  finish(on);
  CHECK(sums.read()[0] == 1000);
  CHECK(sums.read()[2] <= (1000 + size) / in_block + 1);
  CHECK(state.required().items == size);
}

TEST_CASE("Where nothing is captured, or there is no room for any item, launch_indirect is launch on the GPU",
          "[gpu][expand]") {
  if (no_gpu_of_ours()) return;
  stream on;
  const guarded<packed_prefix> state({size, room}), empty({0, 0});
  device_array n(std::vector<unsigned>(size, 3));
  device_array<unsigned long long> sums(3, 0);
  const auto kernel = tally<granularity::thread, packed_prefix>;
  const launch_config grid = state.work().grid(kernel, in_block);
  check(state.work().begin_async(on));
  produce<<<size / in_block, in_block, 0, on>>>(state.work(), n.data(), size);
  check(launch_indirect(grid, on, kernel, state.work(), sums.data()));
  finish(on);
  CHECK(sums.read()[0] == 3 * size);
  CHECK(sums.read()[2] == grid.config.gridDim.x);

  const captured_graph nothing(
      on, [&] { check(launch_indirect(empty.work().grid(kernel, in_block), on, kernel, empty.work(), sums.data())); });
  CHECK(nothing.nodes() == 0);
}
