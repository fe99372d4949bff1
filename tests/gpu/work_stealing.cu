#include "schedule.hpp"

using namespace heddle_test;

namespace {

/// Notes which block visits which index. The last blocks wait before their first tile until the others are done.
__global__ void with_late_blocks(const __grid_constant__ work_stealing<row_major> scheduler, unsigned late, int* done,
                                 int* visitor) {
  __shared__ heddle::static_shared<work_stealing<row_major>::storage> smem;
  const unsigned others = gridDim.x - late;
  if (blockIdx.x >= others && threadIdx.x == 0) {
    while (*static_cast<volatile int*>(done) != static_cast<int>(others)) __nanosleep(1000);
  }
  __syncthreads();
  for (auto place = scheduler.tiles(smem); place; ++place) {
    if (threadIdx.x == 0) atomicAdd(&visitor[place.index()], 1 + static_cast<int>(blockIdx.x));
  }
  if (threadIdx.x == 0) atomicAdd(done, 1);
}

}  // namespace

GPU_TEST("work_stealing serves launches of any size on one state after blocks that leave early on the GPU",
         "[schedule]") {
  device_array<char> state(work_stealing<>::state_bytes(), 0);
  device_array<int> visits(37 * 41, 0);
  stream on;
  for (const int workers : {1, 31, 256, 257, 1600, 2}) {
    const work_stealing scheduler{cta_swizzle{{37, 41}, 8}, state.data()};
    const auto kernel = in_a_loop<work_stealing<cta_swizzle>>;
    CAPTURE(workers);
    enqueue(on, scheduler, kernel, visits.data(), 1, workers);  // leaves early
    finish(on);
    visits.fill(0);
    check(launch(scheduler.grid(kernel, block_threads), on, kernel, scheduler, visits.data(), -1));
    enqueue(on, scheduler, kernel, visits.data(), -1, workers);
    finish(on);
    CHECK(wrong(visits, 2 * everyone) == "");
  }
}

GPU_TEST("work_stealing takes the tiles of blocks that start when the others are done on the GPU", "[schedule]") {
  constexpr int tiles = 5000;
  device_array<char> state(work_stealing<>::state_bytes(), 0);
  device_array<int> visitor(tiles, 0), done(1, 0);
  const work_stealing scheduler{row_major{{1, tiles}}, state.data()};
  for (const auto& [blocks, late] : {std::pair{4u, 1u}, {9u, 8u}, {66u, 11u}, {64u, 0u}}) {  // all are resident
    CAPTURE(blocks, late);
    visitor.fill(0);
    done.fill(0);
    with_late_blocks<<<blocks, 32>>>(scheduler, late, done.data(), visitor.data());
    check(cudaGetLastError());
    finish(nullptr);
    const std::vector<int> by = visitor.read();
    const auto is_by_others = [&](int block) { return block >= 1 && block <= static_cast<int>(blocks - late); };
    CHECK(std::ranges::count_if(by, is_by_others) == tiles);
  }
}
