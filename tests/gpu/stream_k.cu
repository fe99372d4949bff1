// The law of stream_k on the GPU: each step of each tile is done once, and the block that arrives last adds up its
// sums.

#include "schedule.hpp"

using namespace heddle_test;

namespace {

constexpr int loop_threads = 64;

/// Each thread of a block stores how many steps of a tile the block did; the block that arrives last adds these up.
template <split_scheduler Scheduler>
__global__ void in_parts(const __grid_constant__ Scheduler scheduler, int* steps_done, int* finished, int* sums,
                         int patience) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  __shared__ int is_last;
  const auto space = tiles_of(scheduler.order());
  const int thread = static_cast<int>(threadIdx.x);
  const auto arrivals = thread == 0 ? scheduler.enter() : typename Scheduler::arriving();
  int turn = 0;
  for (const auto [where, begin, end, share] : scheduler.tiles(smem)) {
    if (turn++ == patience) break;
    const bool inside = space.contains(where);
    const int tile = inside ? space.number(where) : 0;
    if (inside) {
      for (int step = begin + thread; step < end; step += loop_threads) {
        atomicAdd(&steps_done[tile * scheduler.k_steps() + step], 1);
      }
    }
    int total = end - begin;
    if (share.count > 1) {
      __stcg(&sums[share.slot * loop_threads + thread], total);
      __syncthreads();
      if (thread == 0) is_last = arrivals.arrive(share);
      __syncthreads();
      const bool last = is_last != 0;
      __syncthreads();
      if (!last) continue;
      total = 0;
      for (int slot = share.first; slot < share.first + share.count; ++slot) {
        total += __ldcg(&sums[slot * loop_threads + thread]);
      }
    }
    if (inside && total == scheduler.k_steps()) atomicAdd(&finished[tile], 1);
  }
}

template <class Order>
void obeys(Order order, int k_steps, int sharers, void* state, int blocks_in_cluster) {
  const stream_k scheduler{order, k_steps, sharers, state};
  using Scheduler = std::remove_const_t<decltype(scheduler)>;
  const auto tiles = static_cast<std::size_t>(tiles_of(order).size());
  CAPTURE(tiles, k_steps, sharers);
  stream on;
  device_array<int> steps_done(tiles * static_cast<std::size_t>(k_steps), 0), finished(tiles, 0);
  device_array<int> sums(static_cast<std::size_t>(stream_k<>::slots(sharers, blocks_in_cluster)) * loop_threads, 0xff);
  const auto enqueue = [&](int patience, int workers) {
    launch_config launch_of = scheduler.grid(in_parts<Scheduler>, loop_threads);
    check(launch_of.error);
    if (workers > 0 && launch_of.config.gridDim.x > 0) {
      launch_of.config.gridDim.x = static_cast<unsigned>(workers * blocks_in_cluster);
    }
    check(launch(launch_of, on, in_parts<Scheduler>, scheduler, steps_done.data(), finished.data(), sums.data(),
                 patience));
  };
  for (const int workers : {0, 1, 3, 40, order.size() + 5}) {
    CAPTURE(workers);
    steps_done.fill(0);
    finished.fill(0);
    enqueue(-1, workers);
    finish(on);
    CHECK(wrong(steps_done, 1) == "");
    CHECK(wrong(finished, loop_threads) == "");
    enqueue(1, workers);  // leaves early
    finish(on);
  }
  const int times = kernels_overlap() ? 100 : 3;
  finished.fill(0);
  replay(times, on, [&] { enqueue(-1, 0); });
  CHECK(wrong(finished, times * loop_threads) == "");
}

}  // namespace

GPU_TEST("stream_k does each step of each tile once on the GPU", "[schedule]") {
  device_array<char> state(stream_k<>::state_bytes(), 0);  // zeroed once, for all launches
  for (const extent grid : ragged_grids()) {
    for (const int k_steps : {1, 29, 64}) {
      for (const int sharers : {0, 7, 132, 1024}) {
        obeys(hilbert{grid}, k_steps, sharers, state.data(), 1);
        obeys(cta_swizzle{grid, 4, axis::x}, k_steps, sharers, state.data(), 1);
      }
    }
  }
}

CLUSTER_TEST("stream_k does each step of each tile once over clusters on the GPU", "[schedule]") {
  device_array<char> state(stream_k<>::state_bytes(4), 0);
  for (const extent grid : ragged_grids()) {
    for (const extent cluster : {extent{1, 1}, extent{2, 1}, extent{2, 2}}) {
      const clustered order{cta_swizzle{ceil_div(grid, cluster), 3, axis::y}, cluster, grid};
      obeys(order, 40, 66, state.data(), cluster.size());
    }
  }
}

GPU_TEST("stream_k does each step of each tile of batches and triangles once on the GPU", "[schedule]") {
  device_array<char> state(stream_k<>::state_bytes(), 0);
  for (const auto& [plane, count, interleave] : ragged_batches()) {
    CAPTURE(plane.rows(), plane.cols(), plane.diagonal(), count, interleave);
    const triangular order{cta_swizzle{plane.folded(), 3, axis::x}, row_major{plane.full()}, plane};
    for (const int sharers : {0, 132}) obeys(batched{order, count, interleave}, 29, sharers, state.data(), 1);
  }
}
