// Builds with checks: misuse is a trap, not a wrong answer. Most cases end with a dead context, so each case runs in
// its own process.

#define HEDDLE_CHECKS 1
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/launch/occupancy.hpp>
#include <heddle/reorder/block_reorder.hpp>

#include "schedule.hpp"

using namespace heddle_test;

namespace {

/// Stops in the first tile until it is released.
template <class Scheduler>
__global__ void stopping(const __grid_constant__ Scheduler scheduler, volatile int* started, volatile int* released) {
  __shared__ typename Scheduler::storage smem;
  for (auto place = scheduler.tiles(smem); place; ++place) {
    if (threadIdx.x == 0) {
      started[blockIdx.x] = 1;
      while (*released == 0) __nanosleep(100);
    }
    __syncthreads();
  }
}

/// Runs a second launch while the first is in its loop. Returns the error of the second, or else of the first.
template <class Scheduler>
cudaError_t two_launches(const Scheduler& first, const Scheduler& second) {
  const flags of_one(4), of_other(4);
  of_other.release();
  stream one, other;
  stopping<<<4, 32, 0, one>>>(first, of_one.started(), of_one.released());
  check(cudaGetLastError());
  of_one.wait_for_all();
  stopping<<<4, 32, 0, other>>>(second, of_other.started(), of_other.released());
  check(cudaGetLastError());
  const cudaError_t of_second = cudaStreamSynchronize(other);
  of_one.release();
  const cudaError_t of_first = cudaStreamSynchronize(one);
  return of_second != cudaSuccess ? of_second : of_first;
}

const row_major order{{10, 10}};

/// Returns the error that a launch ends with. Where blocks fail at once, the driver sometimes reports the trap behind a
/// failed assertion, and not the assertion.
template <class... Params, class... Args>
cudaError_t ends_with(void (*kernel)(Params...), dim3 blocks, unsigned threads, Args... args) {
  kernel<<<blocks, threads>>>(args...);
  check(cudaGetLastError());
  const cudaError_t error = cudaDeviceSynchronize();
  return error == cudaErrorIllegalInstruction ? cudaErrorAssert : error;
}

template <class Scheduler>
__global__ void walks(const __grid_constant__ Scheduler scheduler, int* visits) {
  __shared__ typename Scheduler::storage smem;
  for (const auto [row, col] : scheduler.tiles(smem)) atomicAdd(visits, 1);
}

template <class Scheduler>
__global__ void walks_elsewhere(const __grid_constant__ Scheduler scheduler, int* visits) {
  typename Scheduler::storage storage;
  for (const auto [row, col] : scheduler.tiles(storage)) atomicAdd(visits, 1);
}

template <class Work>
__global__ void reads(const __grid_constant__ Work work, int* visits) {
  __shared__ typename Work::storage smem;
  for (const auto [source, rank] : work.items(smem)) atomicAdd(visits, 1);
}

__global__ void reorders(int* visits) {
  __shared__ block_reorder<256, 3>::storage smem;
  block_reorder<256, 3> reorder(smem);
  visits[threadIdx.x] = static_cast<int>(reorder.rank(threadIdx.x).rank);
}

/// Enters, waits until it is released, and arrives with each part.
__global__ void shares(const __grid_constant__ stream_k<row_major> scheduler, volatile int* started,
                       volatile int* released) {
  __shared__ stream_k<row_major>::storage smem;
  if (threadIdx.x != 0) return;
  const auto arriving = scheduler.enter();
  started[blockIdx.x] = 1;
  while (*released == 0) __nanosleep(100);
  for (const auto [tile, begin, end, share] : scheduler.tiles(smem)) {
    if (share.count > 1) arriving.arrive(share);
  }
}

}  // namespace

GPU_TEST("One stream_k state in two launches at once traps in builds with checks", "[misuse]") {
  device_array<char> state(stream_k<>::state_bytes(), 0);
  const stream_k scheduler{row_major{{1, 6}}, 64, 4, state.data()};
  const flags of_one(4), of_other(3);
  stream one, other;
  // The blocks of the first launch have entered and wait: it still uses the state when the second launch enters.
  shares<<<4, 32, 0, one>>>(scheduler, of_one.started(), of_one.released());
  check(cudaGetLastError());
  of_one.wait_for_all();
  of_other.release();
  shares<<<4, 32, 0, other>>>(scheduler, of_one.started(), of_other.released());
  check(cudaGetLastError());
  const cudaError_t of_second = cudaStreamSynchronize(other);
  shares<<<4, 32, 0, other>>>(scheduler, of_one.started(), of_other.released());
  const cudaError_t of_third = cudaStreamSynchronize(other);
  of_one.release();
  CHECK((of_second == cudaErrorAssert || of_third == cudaErrorAssert || cudaStreamSynchronize(one) == cudaErrorAssert));
}

GPU_TEST("A scheduler in a grid of two dimensions traps in builds with checks", "[misuse]") {
  device_array<int> visits(1, 0);
  CHECK(ends_with(walks<strided<row_major>>, dim3(4), 32, strided{order}, visits.data()) == cudaSuccess);
  CHECK(ends_with(walks<strided<row_major>>, dim3(4, 2), 32, strided{order}, visits.data()) == cudaErrorAssert);
}

GPU_TEST("one_shot in a grid smaller than its tiles traps in builds with checks", "[misuse]") {
  device_array<int> visits(1, 0);
  CHECK(ends_with(walks<one_shot<row_major>>, dim3(100), 32, one_shot{order}, visits.data()) == cudaSuccess);
  CHECK(ends_with(walks<one_shot<row_major>>, dim3(99), 32, one_shot{order}, visits.data()) == cudaErrorAssert);
}

GPU_TEST("Storage outside shared memory traps in builds with checks", "[misuse]") {
  device_array<int> visits(1, 0);
  device_array<char> state(ticket<>::state_bytes(), 0);
  CHECK(ends_with(walks_elsewhere<strided<row_major>>, dim3(4), 32, strided{order}, visits.data()) == cudaSuccess);
  CHECK(ends_with(walks_elsewhere<ticket<row_major>>, dim3(4), 32, ticket{order, state.data()}, visits.data()) ==
        cudaErrorAssert);
}

CLUSTER_TEST("A launch without the clusters of its order traps in builds with checks", "[misuse]") {
  device_array<int> visits(1, 0);
  const strided scheduler{clustered{row_major{{5, 10}}, {2, 1}, {10, 10}}};
  CHECK(ends_with(walks<std::decay_t<decltype(scheduler)>>, dim3(4), 32, scheduler, visits.data()) == cudaErrorAssert);
}

GPU_TEST("block_reorder of 256 threads in a block of 128 traps in builds with checks", "[misuse]") {
  device_array<int> visits(256, 0);
  CHECK(ends_with(reorders, dim3(1), 256, visits.data()) == cudaSuccess);
  CHECK(ends_with(reorders, dim3(1), 128, visits.data()) == cudaErrorAssert);
}

GPU_TEST("Items of blocks that are not whole warps trap in builds with checks", "[misuse]") {
  device_array<int> visits(1, 0);
  device_array<char> state(packed_prefix::state_bytes({64, 64}), 0);
  const packed_prefix work({64, 64}, state.data());
  CHECK(ends_with(reads<packed_prefix>, dim3(2), 64, work, visits.data()) == cudaSuccess);
  CHECK(ends_with(reads<packed_prefix>, dim3(2), 72, work, visits.data()) == cudaErrorAssert);
}

GPU_TEST("One ticket state in two launches at once traps in builds with checks", "[misuse]") {
  device_array<char> state(ticket<>::state_bytes(), 0);
  const ticket scheduler{order, state.data()};
  CHECK(two_launches(scheduler, scheduler) == cudaErrorAssert);
}

GPU_TEST("One sm_affine state in two launches at once traps in builds with checks", "[misuse]") {
  device_array<char> state(sm_affine<>::state_bytes(), 0);
  const sm_affine scheduler{order, state.data(), 4};
  CHECK(two_launches(scheduler, scheduler) == cudaErrorAssert);
}

GPU_TEST("One work_stealing state in two launches at once traps in builds with checks", "[misuse]") {
  device_array<char> state(work_stealing<>::state_bytes(), 0);
  const work_stealing scheduler{order, state.data()};
  CHECK(two_launches(scheduler, scheduler) == cudaErrorAssert);
}

GPU_TEST("A state that was not zeroed traps in builds with checks", "[misuse]") {
  device_array<char> state(ticket<>::state_bytes(), 0x5a);
  const ticket scheduler{order, state.data()};
  const flags open(4);
  open.release();
  stopping<<<4, 32>>>(scheduler, open.started(), open.released());
  CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
}

GPU_TEST("Two launches at once with a state each pass the checks", "[misuse]") {
  device_array<char> tickets(ticket<>::state_bytes(), 0), more(ticket<>::state_bytes(), 0);
  CHECK(two_launches(ticket{order, tickets.data()}, ticket{order, more.data()}) == cudaSuccess);
  device_array<char> runs(sm_affine<>::state_bytes(), 0), more_runs(sm_affine<>::state_bytes(), 0);
  CHECK(two_launches(sm_affine{order, runs.data(), 4}, sm_affine{order, more_runs.data(), 4}) == cudaSuccess);
  device_array<char> lanes(work_stealing<>::state_bytes(), 0), more_lanes(work_stealing<>::state_bytes(), 0);
  CHECK(two_launches(work_stealing{order, lanes.data()}, work_stealing{order, more_lanes.data()}) == cudaSuccess);
}

GPU_TEST("Launches one after another and replays of a graph pass the checks", "[misuse]") {
  using with_states = recipe::schedules<recipe::ticket, recipe::sm_affine, recipe::work_stealing>;
  for_each_scheduler(with_states{}, [](const auto& over) { over(row_major{{31, 33}}, law); });
}

GPU_TEST("A launch that the device cannot do is an error and not a launch", "[misuse]") {
  const strided scheduler{order};
  const auto error = [&](unsigned threads, std::size_t smem) {
    const cudaError_t result = scheduler.grid(in_a_loop<strided<row_major>>, threads, smem).error;
    (void)cudaGetLastError();
    return result;
  };
  CHECK(error(2000, 0) != cudaSuccess);
  CHECK(error(0, 0) != cudaSuccess);
  CHECK(error(96, 10'000'000) != cudaSuccess);
  CHECK(error(96, 0) == cudaSuccess);
  CHECK_FALSE(occupancy_of(in_a_loop<strided<row_major>>, 96, 10'000'000));
  (void)cudaGetLastError();
  const extent huge{8, 4}, tiles{100, 100};
  const strided of_clusters{clustered{row_major{ceil_div(tiles, huge)}, huge, tiles}};
  const launch_config grid = of_clusters.grid(in_a_loop<std::decay_t<decltype(of_clusters)>>, 96);
  CHECK(grid.error == cudaErrorInvalidClusterSize);
  CHECK(launch(grid, nullptr, in_a_loop<std::decay_t<decltype(of_clusters)>>, of_clusters, nullptr, -1) ==
        cudaErrorInvalidClusterSize);
}
