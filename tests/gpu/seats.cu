#include "schedule.hpp"

using namespace heddle_test;

namespace {

template <bool Clusters>
__global__ void take_a_seat(const __grid_constant__ seats all, int* taken) {
  __shared__ heddle::static_shared<seats::storage> smem;
  const auto on = all.take<Clusters>(smem);
  atomicAdd(&taken[on.worker()], 1);
}

template <class Scheduler>
__global__ void seated_in_a_loop(const __grid_constant__ Scheduler scheduler, const __grid_constant__ seats all,
                                 int* visits) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  __shared__ heddle::static_shared<seats::storage> seat;
  for (const auto [row, col] : scheduler.tiles(smem, all.take(seat))) {
    if (threadIdx.x == 0) atomicAdd(&visits[row * scheduler.order().space().cols + col], 1);
  }
}

chip_map found_map() {
  const auto [map, error] = find_chip_map();
  check(error);
  return map;
}

bool all_are(const std::vector<int>& counts, int expected) {
  return std::ranges::count(counts, expected) == static_cast<std::ptrdiff_t>(counts.size());
}

/// Each number below the count of workers is given once, launch after launch and from a graph, on one state.
template <bool Clusters>
void each_number_once(unsigned workers, unsigned blocks, int run) {
  CAPTURE(workers, blocks, run);
  device_array<char> state(seats::state_bytes(), 0);
  const seats all(found_map(), static_cast<int>(blocks), run, state.data());
  device_array<int> taken(workers, 0);
  const auto kernel = take_a_seat<Clusters>;
  const launch_config grid = detail::all_of(reinterpret_cast<const void*>(kernel), 64, 0, workers, blocks);
  stream on;
  for (int turn = 0; turn < 5; ++turn) check(launch(grid, on, kernel, all, taken.data()));
  replay(5, on, [&] { check(launch(grid, on, kernel, all, taken.data())); });
  CHECK(all_are(taken.read(), static_cast<int>(10 * 64 * blocks)));
  const std::vector<char> after = state.read();
  CHECK(std::ranges::count(after, 0) == static_cast<std::ptrdiff_t>(after.size()));
}

}  // namespace

GPU_TEST("seats give each block a number of its own on the GPU", "[schedule]") {
  for (const unsigned workers : {1u, 2u, 63u, 64u, 65u, 132u, 1000u, 9000u}) {
    for (const int run : {1, 8, 256}) each_number_once<false>(workers, 1, run);
  }
}

CLUSTER_TEST("seats give each cluster a number of its own on the GPU", "[schedule]") {
  for (const unsigned blocks : {1u, 2u, 4u, 8u}) {
    for (const unsigned workers : {1u, 7u, 66u, 200u}) each_number_once<true>(workers, blocks, 8);
  }
}

GPU_TEST("Workers are called by their seats and visit each tile once on the GPU", "[schedule]") {
  device_array<char> state(seats::state_bytes(), 0);
  const seats all(found_map(), 1, 8, state.data());
  const cta_swizzle order({37, 41}, 8);
  const auto visits_once = [&](const auto& scheduler) {
    using scheduler_type = std::decay_t<decltype(scheduler)>;
    device_array<int> visits(static_cast<std::size_t>(order.size()), 0);
    const auto kernel = seated_in_a_loop<scheduler_type>;
    for (int turn = 0; turn < 3; ++turn) {
      check(launch(scheduler.grid(kernel, 64), nullptr, kernel, scheduler, all, visits.data()));
    }
    check(cudaDeviceSynchronize());
    CHECK(all_are(visits.read(), 3));
  };
  using seated =
      recipe::schedules<recipe::one_shot, recipe::strided, recipe::chunked, recipe::ticket, recipe::work_stealing>;
  for_each_scheduler(seated{}, [&](const auto& over) { over(order, visits_once); });
}

GPU_TEST("work_stealing draws by seats on the GPU", "[schedule]") {
  device_array<char> state(work_stealing<>::state_bytes(), 0), places(seats::state_bytes(), 0);
  const seats all(found_map(), 1, 8, places.data());
  const work_stealing scheduler{cta_swizzle{{37, 41}, 8}, state.data()};
  device_array<int> visits(37 * 41, 0);
  const auto kernel = seated_in_a_loop<work_stealing<cta_swizzle>>;
  stream on;
  for (int turn = 0; turn < 3; ++turn) {
    check(launch(scheduler.grid(kernel, 64), on, kernel, scheduler, all, visits.data()));
  }
  replay(5, on, [&] { check(launch(scheduler.grid(kernel, 64), on, kernel, scheduler, all, visits.data())); });
  CHECK(wrong(visits, 8) == "");
}

CLUSTER_TEST("The chip map puts the blocks of a cluster together on the GPU", "[schedule]") {
  const chip_map map = found_map();
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(map.multiprocessors == multiprocessors);
  CHECK(*std::ranges::max_element(map.group) > 0);
  device_array<unsigned> of_block(128, 0);
  for (int turn = 0; turn < 3; ++turn) {
    const auto kernel = detail::tell_multiprocessor<0>;
    check(
        launch(detail::all_of(reinterpret_cast<const void*>(kernel), 32, 0, 16, 8), nullptr, kernel, of_block.data()));
    check(cudaDeviceSynchronize());
    const std::vector<unsigned> where = of_block.read();
    for (std::size_t block = 0; block < where.size(); ++block) {
      CHECK(map.group[where[block]] == map.group[where[block / 8 * 8]]);
    }
  }
}
