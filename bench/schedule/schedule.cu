// Measures what a scheduler costs: ns per tile for 10^6 empty tiles, the launch included.
//
//   full     as many blocks of 128 threads as are resident: the throughput of the chip
//   single   one block per multiprocessor: how long a block waits for its next tile
//   roles    full, with one warp that leads and one that follows
//   uneven   20 000 tiles of 2000 cycles, but one in 64 takes 30 times as long: how long a static schedule waits
//   beside   20 000 tiles of 2000 cycles, while another kernel holds a sixth of the multiprocessors
//
// `by_hand` are loops without the library. by_hand_atomic is the textbook's: draw, barrier, read, barrier.
// by_hand_atomic_ahead draws one tile ahead, and needs one barrier. The time of both excludes the reset of the counter.

#include <benchmark/benchmark.h>

#include <heddle/order.hpp>
#include <heddle/schedule.hpp>

#include "common/google_benchmark.hpp"

using namespace heddle;
using namespace heddle_bench;

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

/// Waits 2000 cycles per tile. If tiles are uneven, one in 64 takes 30 times as long.
template <class Scheduler>
__global__ void walk_slowly(const __grid_constant__ Scheduler scheduler, bool uneven) {
  __shared__ typename Scheduler::storage smem;
  for (auto place = scheduler.tiles(smem); place; ++place) {
    unsigned hash = static_cast<unsigned>(place.index()) * 2654435761u;
    hash = (hash ^ hash >> 15) * 2246822519u;  // twice: one multiplication spreads the long tiles evenly
    const long long begin = clock64(), cycles = uneven && (hash ^ hash >> 13) % 64 == 0 ? 60'000 : 2'000;
    while (clock64() - begin < cycles) continue;
  }
}

/// Holds one multiprocessor per block until it is released.
__global__ void hold(volatile int* flags) {
  if (threadIdx.x == 0) {
    flags[1 + blockIdx.x] = 1;
    while (flags[0] == 0) __nanosleep(1000);
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

/// Times `enqueue`. `prepare` comes before it, and is not timed.
template <class Prepare, class Enqueue>
void add(const std::string& name, Prepare prepare, Enqueue enqueue) {
  add_timed(name, [=](benchmark::State& state) {
    state.counters["ns_per_tile"] = mean_seconds(state, enqueue, prepare) / order.size() * 1e9;
  });
}

void nothing() {}

const row_major few{{100, 200}};
constexpr int most_of_shared_memory = 120 * 1024;  // one block per multiprocessor

/// Holds a sixth of the multiprocessors while it lives. Meanwhile no memory may be allocated, and no kernel loaded.
class sixth_held {
 public:
  sixth_held() {
    int processors = 0, all_memory = 0;
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    check(cudaDeviceGetAttribute(&all_memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    check(cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, all_memory));
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaHostAlloc(&flags_, sizeof(int) * static_cast<std::size_t>(1 + processors), cudaHostAllocMapped));
    for (int i = 0; i <= processors; ++i) flags_[i] = 0;
    hold<<<processors / 6, 32, all_memory, stream_>>>(flags_);
    check(cudaGetLastError());
    for (int i = 1; i <= processors / 6; ++i) {
      while (static_cast<volatile int*>(flags_)[i] == 0) continue;
    }
  }
  sixth_held(const sixth_held&) = delete;
  ~sixth_held() {
    static_cast<volatile int*>(flags_)[0] = 1;
    check(cudaStreamSynchronize(stream_));
    check(cudaFreeHost(flags_));
    check(cudaStreamDestroy(stream_));
  }

 private:
  cudaStream_t stream_ = nullptr;
  int* flags_ = nullptr;
};

template <class Scheduler>
void add_slow(const std::string& name, const Scheduler& scheduler) {
  const launch_config grid = scheduler.grid(walk_slowly<Scheduler>, 32, most_of_shared_memory);
  check(grid.error);
  for (const bool beside : {false, true}) {
    add_timed((beside ? "beside/" : "uneven/") + name, [=](benchmark::State& state) {
      event_timer timer;
      const auto once = [&] { check(launch(grid, nullptr, walk_slowly<Scheduler>, scheduler, !beside)); };
      timer.seconds(once);
      for (auto _ : state) {
        std::optional<sixth_held> others;
        if (beside) others.emplace();
        state.SetIterationTime(timer.seconds(once));
      }
    });
  }
}

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

int main(int count, char** arguments) {
  initialize(count, arguments);
  if (!has_gpu(program_invocation_short_name)) return skipped;

  const device_array<char> state_of_tickets(ticket<>::state_bytes()), state_of_runs(sm_affine<>::state_bytes());
  const device_array<int> drawn(1);
  state_of_tickets.set_bytes(0);
  state_of_runs.set_bytes(0);
  void *const tickets = state_of_tickets.data(), *const runs = state_of_runs.data();
  int* const counter = drawn.data();
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

  add_slow("one_shot", one_shot{few});
  add_slow("strided", strided{few});
  add_slow("chunked", chunked{few});
  add_slow("ticket", ticket{few, tickets});
  add_slow("sm_affine_run_4", sm_affine{few, runs, 4});

  benchmark::RunSpecifiedBenchmarks();
}
