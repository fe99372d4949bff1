// What a scheduler costs: ns a tile for 10^6 tiles with nothing in them, the launch included.
//
//   full     as many blocks of 128 threads as the GPU holds: what the whole chip pays
//   single   one block a multiprocessor: what a block waits for its next tile
//   roles    full, where one warp leads and another follows
//
// `by_hand` are loops without the library. by_hand_atomic is the textbook's: draw, barrier, read, barrier.
// by_hand_atomic_ahead draws one tile ahead, and needs one barrier. Both find their counter at zero: what
// resets it is not in the time.

#include <benchmark/benchmark.h>

#include <heddle/heddle.hpp>

#include "common/gpu.hpp"

using namespace heddle;
using heddle_bench::check;

namespace {

const row_major order{{1000, 1000}};
constexpr int threads = 128;

__device__ void body(coord tile) {
  asm volatile("" ::"r"(tile.row), "r"(tile.col));
}

template <class Scheduler>
__global__ void walk(const __grid_constant__ Scheduler scheduler) {
  __shared__ typename Scheduler::storage smem;
  for (const coord tile : scheduler.tiles(smem)) body(tile);
}

template <class Scheduler>
__global__ void walk_in_roles(const __grid_constant__ Scheduler scheduler) {
  __shared__ typename Scheduler::storage smem;
  if (threadIdx.x == 0) scheduler.start(smem, 32);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (const coord tile : scheduler.lead(smem)) body(tile);
  } else if (threadIdx.x >= 32) {
    for (const coord tile : scheduler.follow(smem)) body(tile);
  }
}

__global__ void one_shot_by_hand(const __grid_constant__ row_major tiles) {
  const int i = static_cast<int>(blockIdx.x);
  if (i < tiles.size()) body(tiles(i));
}

__global__ void strided_by_hand(const __grid_constant__ row_major tiles) {
#pragma unroll 1
  for (unsigned i = blockIdx.x; i < static_cast<unsigned>(tiles.size()); i += gridDim.x)
    body(tiles(static_cast<int>(i)));
}

__global__ void atomic_by_hand(const __grid_constant__ row_major tiles, int* counter) {
  __shared__ int drawn;
  while (true) {
    if (threadIdx.x == 0) drawn = atomicAdd(counter, 1);
    __syncthreads();
    const int i = drawn;
    __syncthreads();
    if (i >= tiles.size()) break;
    body(tiles(i));
  }
}

__global__ void atomic_ahead_by_hand(const __grid_constant__ row_major tiles, int* counter) {
  __shared__ int drawn[2];
  int next = 0;
  if (threadIdx.x == 0) next = atomicAdd(counter, 1);
  for (int turn = 0;; turn ^= 1) {
    if (threadIdx.x == 0) drawn[turn] = next;
    __syncthreads();
    const int i = drawn[turn];
    if (i >= tiles.size()) break;
    if (threadIdx.x == 0) next = atomicAdd(counter, 1);
    body(tiles(i));
  }
}

template <class Kernel>
unsigned resident(Kernel kernel, bool single, unsigned block_threads = threads) {
  int blocks = 1, processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  if (!single) {
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(block_threads), 0));
  }
  return static_cast<unsigned>(blocks * processors);
}

/// Times `enqueue`, after `prepare`, which is not timed.
template <class Prepare, class Enqueue>
void add(const std::string& name, Prepare prepare, Enqueue enqueue) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 heddle_bench::event_timer seconds;
                                 prepare();
                                 seconds(enqueue);
                                 double sum = 0;
                                 for (auto _ : state) {
                                   prepare();
                                   const double once = seconds(enqueue);
                                   state.SetIterationTime(once);
                                   sum += once;
                                 }
                                 state.counters["ns_per_tile"] =
                                     sum / static_cast<double>(state.iterations()) / order.size() * 1e9;
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

void nothing() {}

template <class Scheduler>
void add_forms(const std::string& name, const Scheduler& scheduler) {
  for (const bool single : {false, true}) {
    if (single && !Scheduler::persistent) continue;
    launch_config grid = scheduler.grid(walk<Scheduler>, threads);
    check(grid.error);
    if (single) grid.config.gridDim.x = resident(walk<Scheduler>, single);
    add((single ? "single/" : "full/") + name, nothing,
        [=] { check(launch(grid, nullptr, walk<Scheduler>, scheduler)); });
  }
  const launch_config grid = scheduler.grid(walk_in_roles<Scheduler>, 64);
  check(grid.error);
  add("roles/" + name, nothing, [=] { check(launch(grid, nullptr, walk_in_roles<Scheduler>, scheduler)); });
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  if (!heddle_bench::has_gpu()) return 0;

  void *tickets = nullptr, *runs = nullptr;
  int* counter = nullptr;
  check(cudaMalloc(&tickets, ticket<>::state_bytes()));
  check(cudaMalloc(&runs, sm_affine<>::state_bytes()));
  check(cudaMalloc(&counter, sizeof(int)));
  check(cudaMemset(tickets, 0, ticket<>::state_bytes()));
  check(cudaMemset(runs, 0, sm_affine<>::state_bytes()));
  const auto reset = [=] { check(cudaMemsetAsync(counter, 0, sizeof(int))); };

  add("full/by_hand_one_shot", nothing, [] { one_shot_by_hand<<<order.size(), threads>>>(order); });
  for (const bool single : {false, true}) {
    const std::string form = single ? "single/" : "full/";
    add(form + "by_hand_strided", nothing,
        [=] { strided_by_hand<<<resident(strided_by_hand, single), threads>>>(order); });
    add(form + "by_hand_atomic", reset,
        [=] { atomic_by_hand<<<resident(atomic_by_hand, single), threads>>>(order, counter); });
    add(form + "by_hand_atomic_ahead", reset,
        [=] { atomic_ahead_by_hand<<<resident(atomic_ahead_by_hand, single), threads>>>(order, counter); });
  }
  add_forms("one_shot", one_shot{order});
  add_forms("strided", strided{order});
  add_forms("chunked", chunked{order});
  add_forms("ticket", ticket{order, tickets});
  add_forms("sm_affine_run_8", sm_affine{order, runs, 8});
  add_forms("sm_affine_run_64", sm_affine{order, runs, 64});
  add_forms("cluster_launch", cluster_launch{order});

  benchmark::RunSpecifiedBenchmarks();
  check(cudaFree(tickets));
  check(cudaFree(runs));
  check(cudaFree(counter));
}
