// Builds with checks: one state in two launches at once is a trap, not a wrong answer. Every case ends with
// its context dead, so that each runs in a process of its own.

#undef NDEBUG
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

/// Two launches of `blocks` blocks each, the second while the first is in its loop; what the first ends with.
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

}  // namespace

TEST_CASE("One ticket state in two launches at once traps in builds with checks", "[gpu][misuse]") {
  if (no_gpu()) return;
  device_array<char> state(ticket<>::state_bytes(), 0);
  const ticket scheduler{order, state.data()};
  CHECK(two_launches(scheduler, scheduler) == cudaErrorAssert);
}

TEST_CASE("One sm_affine state in two launches at once traps in builds with checks", "[gpu][misuse]") {
  if (no_gpu()) return;
  device_array<char> state(sm_affine<>::state_bytes(), 0);
  const sm_affine scheduler{order, state.data(), 4};
  CHECK(two_launches(scheduler, scheduler) == cudaErrorAssert);
}

TEST_CASE("A state that was not zeroed traps in builds with checks", "[gpu][misuse]") {
  if (no_gpu()) return;
  device_array<char> state(ticket<>::state_bytes(), 0x5a);
  const ticket scheduler{order, state.data()};
  const flags open(4);
  open.release();
  stopping<<<4, 32>>>(scheduler, open.started(), open.released());
  CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
}

TEST_CASE("Two launches at once with a state each pass the checks", "[gpu][misuse]") {
  if (no_gpu()) return;
  device_array<char> tickets(ticket<>::state_bytes(), 0), more(ticket<>::state_bytes(), 0);
  CHECK(two_launches(ticket{order, tickets.data()}, ticket{order, more.data()}) == cudaSuccess);
  device_array<char> runs(sm_affine<>::state_bytes(), 0), more_runs(sm_affine<>::state_bytes(), 0);
  CHECK(two_launches(sm_affine{order, runs.data(), 4}, sm_affine{order, more_runs.data(), 4}) == cudaSuccess);
}

TEST_CASE("Launches one after another and replays of a graph pass the checks", "[gpu][misuse]") {
  if (no_gpu()) return;
  device_array<char> tickets(ticket<>::state_bytes(), 0), runs(sm_affine<>::state_bytes(), 0);
  obeys_the_law(ticket{row_major{{31, 33}}, tickets.data()});
  obeys_the_law(sm_affine{row_major{{31, 33}}, runs.data(), 5});
}

TEST_CASE("A launch that the device cannot do is an error and not a launch", "[gpu][misuse]") {
  if (no_gpu()) return;
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
  const occupancy impossible = occupancy_of(in_a_loop<strided<row_major>>, 96, 10'000'000);
  CHECK(impossible.error != cudaSuccess);
  CHECK(std::string(impossible.text().c_str()) == cudaGetErrorString(impossible.error));
  (void)cudaGetLastError();
  const extent huge{8, 4}, tiles{100, 100};
  const strided of_clusters{clustered{row_major{ceil_div(tiles, huge)}, huge, tiles}};
  const launch_config grid = of_clusters.grid(in_a_loop<std::decay_t<decltype(of_clusters)>>, 96);
  CHECK(grid.error == cudaErrorInvalidClusterSize);
  CHECK(launch(grid, nullptr, in_a_loop<std::decay_t<decltype(of_clusters)>>, of_clusters, nullptr, -1) ==
        cudaErrorInvalidClusterSize);
}
