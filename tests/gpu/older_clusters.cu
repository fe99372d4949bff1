// Compiled as PTX for compute_80 alone, which has no clusters, and run on a GPU that has them.

#include "schedule.hpp"

using namespace heddle_test;

CLUSTER_TEST("An order of clusters in code older than sm_90 ends the kernel and leaves out no tile", "[schedule]") {
  const extent grid{13, 17};
  device_array<int> visits(static_cast<std::size_t>(grid.size()), 0);
  const auto ends_with = [&](extent cluster) {
    const strided scheduler{clustered{row_major{ceil_div(grid, cluster)}, cluster, grid}};
    const auto kernel = in_a_loop<std::decay_t<decltype(scheduler)>>;
    const launch_config config = scheduler.grid(kernel, block_threads);
    const cudaError_t error = launch(config, nullptr, kernel, scheduler, visits.data(), -1);
    return error != cudaSuccess ? error : cudaDeviceSynchronize();
  };
  CHECK(ends_with({1, 1}) == cudaSuccess);
  CHECK(wrong(visits, everyone) == "");
  CHECK(ends_with({2, 1}) != cudaSuccess);
}
