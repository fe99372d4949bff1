#pragma once

// The law of schedulers on the GPU: every tile once, in the loop and in roles, over every order, in every launch.

#include <heddle/order.hpp>
#include <heddle/recipe.hpp>
#include <heddle/schedule.hpp>

#include "gpu.hpp"
#include "recipes.hpp"

namespace heddle_test {

using namespace heddle;
using heddle::detail::all_schedules;

/// The order of a recipe over a grid, with its table on the device.
class order_on_device {
 public:
  order_on_device(const recipe& by, extent grid)
      : by_(by), grid_(grid), table_(static_cast<std::size_t>(grid.size()), make_tile_table(by, grid).data()) {}
  any_order<> order() { return {by_, grid_, table_.data()}; }

 private:
  recipe by_;
  extent grid_;
  device_array<tile_table::entry> table_;
};

// The kernels stage every tile in shared memory, and count it if they read back what they staged. A step that lets a
// thread into the next tile early, or leaves one behind, spoils the count or is a race.

constexpr int block_threads = 96;
constexpr int everyone = block_threads;                                 // threads that count a tile in the loop
constexpr int role_threads = 64, everyone_of_roles = role_threads + 1;  // followers, and with the leader

/// The space of the tiles that blocks take.
template <class Order>
__host__ __device__ auto tiles_of(const Order& order) {
  if constexpr (cluster_order<Order>) {
    return order.tiles();
  } else {
    return order.space();
  }
}

template <tile_scheduler Scheduler>
__global__ void in_a_loop(const __grid_constant__ Scheduler scheduler, int* visits, int patience) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  __shared__ int staged[block_threads];
  const auto space = tiles_of(scheduler.order());
  const int thread = static_cast<int>(threadIdx.x);
  int turn = 0;
  for (const auto at : scheduler.tiles(smem)) {
    if (turn++ == patience) break;
    if (!space.contains(at)) continue;
    const int tile = space.number(at);
    staged[thread] = tile + thread;
    __syncthreads();
    const int other = (thread + 37) % block_threads;
    if (staged[other] == tile + other) atomicAdd(&visits[tile], 1);
    __syncthreads();
  }
}

/// One thread of one warp leads. Two warps follow, each at its own pace, so each stages tiles for itself.
template <tile_scheduler Scheduler>
__global__ void in_roles(const __grid_constant__ Scheduler scheduler, int* visits, int patience) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  __shared__ int staged[role_threads];
  const auto space = tiles_of(scheduler.order());
  const int thread = static_cast<int>(threadIdx.x);
  const auto synchronize = [] {
    if constexpr (cluster_order<std::decay_t<decltype(scheduler.order())>>) {
      detail::ptx::barrier_cluster();
    } else {
      __syncthreads();
    }
  };
  if (thread == 0) scheduler.start(smem, role_threads);
  synchronize();
  int turn = 0;
  if (thread == role_threads) {
    for (const auto at : scheduler.lead(smem)) {
      if (turn++ == patience) break;
      if (space.contains(at)) atomicAdd(&visits[space.number(at)], 1);
    }
  } else if (thread < role_threads) {
    for (const auto at : scheduler.follow(smem)) {
      if (turn++ == patience) break;
      if (!space.contains(at)) continue;
      const int tile = space.number(at), other = thread ^ 21;
      staged[thread] = tile + thread;
      __syncwarp();
      if (staged[other] == tile + other) atomicAdd(&visits[tile], 1);
      __syncwarp();
    }
  }
  __syncwarp();
  synchronize();  // no block of a cluster exits while another may still write to its memory
}

// Launches.

/// Enqueues a kernel in the launch of `grid`, or with this many workers.
template <class Scheduler, class Kernel>
void enqueue(cudaStream_t on, const Scheduler& scheduler, Kernel kernel, int* visits, int patience, int workers = 0) {
  launch_config grid = scheduler.grid(kernel, block_threads);
  check(grid.error);
  if (workers > 0 && grid.config.gridDim.x > 0) {
    const unsigned blocks = grid.config.numAttrs == 0 ? 1 : grid.config.attrs->val.clusterDim.x;
    grid.config.gridDim.x = static_cast<unsigned>(workers) * blocks;
  }
  check(launch(grid, on, kernel, scheduler, visits, patience));
}

/// Names the first tile that was not counted `expected` times; empty if there is none.
inline std::string wrong(const device_array<int>& visits, int expected) {
  const std::vector<int> counts = visits.read();
  for (std::size_t tile = 0; tile < counts.size(); ++tile) {
    if (counts[tile] != expected) {
      return "tile " + std::to_string(tile) + " of " + std::to_string(counts.size()) + " was counted " +
             std::to_string(counts[tile]) + " times, not " + std::to_string(expected);
    }
  }
  return {};
}

/// Replays what `enqueue` puts into the stream, captured once, without other host calls between the replays.
template <class Enqueue>
void replay(int times, cudaStream_t on, Enqueue enqueue) {
  const captured_graph graph(on, enqueue);
  for (int turn = 0; turn < times; ++turn) graph.replay(on);
  finish(on);
}

/// Checks the law for one scheduler. Its state is as earlier launches left it.
template <class Scheduler>
void obeys_the_law(const Scheduler& scheduler) {
  stream on;
  const int tiles = tiles_of(scheduler.order()).size();
  CAPTURE(tiles);
  const auto in_each_form = [&](auto check_form) {
    check_form("in a loop", in_a_loop<Scheduler>, everyone);
    check_form("in roles", in_roles<Scheduler>, everyone_of_roles);
  };
  in_each_form([&](const char* form, auto kernel, int counted) {
    CAPTURE(form);
    device_array<int> visits(static_cast<std::size_t>(tiles), 0);
    const auto launch_with = [&](int workers) {
      CAPTURE(workers);
      visits.fill(0);
      enqueue(on, scheduler, kernel, visits.data(), -1, workers);
      finish(on);
      CHECK(wrong(visits, counted) == "");
    };
    launch_with(0);
    if constexpr (Scheduler::persistent) {
      launch_with(1);
      launch_with(3);
      launch_with(scheduler.order().size() + 5);
    }
    enqueue(on, scheduler, kernel, visits.data(), 1);  // leaves early
    finish(on);
    launch_with(0);
    if (tiles > 500 || tiles == 0) {
      const int times = kernels_overlap() ? 100 : 3;
      visits.fill(0);
      replay(times, on, [&] { enqueue(on, scheduler, kernel, visits.data(), -1); });
      CHECK(wrong(visits, times * counted) == "");
    }
  });
}

/// Calls `f(over)` for each scheduler of a list: `over(order, use)` calls `use` with it, over any order. All orders
/// share a state, zeroed once.
template <recipe::schedule_kind... Kinds, class F>
void for_each_scheduler(recipe::schedules<Kinds...> list, const F& f) {
  for (const recipe::schedule_kind kind : {Kinds...}) {
    CAPTURE(to_string(kind));
    device_array<char> state(list.state_bytes(), 0);
    f([&](const auto& order, const auto& use) {
      with_recipe<recipe::schedules<Kinds...>>({.schedule = kind, .run = 3}, order, state.data(), use);
    });
  }
}

inline constexpr auto law = [](const auto& scheduler) { obeys_the_law(scheduler); };

inline std::vector<extent> ragged_grids() {
  if (!kernels_overlap()) return {{31, 33}, {0, 5}};
  return {{1, 1}, {1, 97}, {131, 1}, {13, 17}, {31, 33}, {0, 5}, {5, 0}};
}

/// Batches of triangles: those of one plane are triangles, and those whose diagonal passes the last column are grids.
struct batch_of_triangles {
  triangle plane;
  int count, interleave;
};

inline std::vector<batch_of_triangles> ragged_batches() {
  const batch_of_triangles large{triangle{31, 33, -1}, 2, 1}, none{triangle{0, 5, 0}, 3, 2};
  if (!kernels_overlap()) return {large, none};
  return {large, none, {triangle{13, 17, 4, side::upper}, 3, 2}, {triangle{5, 3, 9}, 7, 3}, {triangle{1, 97, 0}, 1, 1}};
}

/// Checks the law over orders, batches and triangles.
template <class Schedules>
void obey_the_law(Schedules list) {
  for_each_scheduler(list, [](const auto& over) {
    for (const extent grid : ragged_grids()) {
      for (recipe by : recipes) {
        by.first = std::min(by.first, grid.size());
        CAPTURE(to_string(by));
        order_on_device placed(by, grid);
        over(placed.order(), law);
      }
    }
    over(constant_order<cta_swizzle, 29, 31, 4, axis::x>{}, law);
    for (const auto& [plane, count, interleave] : ragged_batches()) {
      CAPTURE(plane.rows(), plane.cols(), plane.diagonal(), count, interleave);
      const triangular order{cta_swizzle{plane.folded(), 3, axis::x}, row_major{plane.full()}, plane};
      over(batched{order, count, interleave}, law);
    }
    const tile_table::entries entries = make_tile_table(batched{hilbert{{13, 17}}, 3});
    device_array table(static_cast<std::size_t>(entries.size()), entries.data());
    over(any_order{batch{3, extent{13, 17}}, table.data()}, law);
  });
}

/// Checks the law over clusters of the same.
template <class Schedules>
void obey_the_law_over_clusters(Schedules list) {
  for_each_scheduler(list, [](const auto& over) {
    for (const extent grid : ragged_grids()) {
      for (const extent cluster : {extent{1, 1}, extent{2, 1}, extent{1, 2}, extent{2, 2}, extent{2, 4}}) {
        for (const recipe& by : {recipe{}, recipe{recipe::cta_swizzle, 3}, recipe{recipe::hilbert}}) {
          CAPTURE(cluster.rows, cluster.cols, to_string(by));
          order_on_device placed(by, ceil_div(grid, cluster));
          over(clustered{placed.order(), cluster, grid}, law);
        }
        const row_major clusters{ceil_div(grid, cluster)};
        over(clustered{reversed{clusters}, cluster, grid}, law);
        over(clustered{batched{clusters, 3, 2}, cluster, batch{3, grid}}, law);
      }
    }
    for (const auto& [plane, count, interleave] : ragged_batches()) {
      CAPTURE(plane.rows(), plane.cols(), plane.diagonal(), count, interleave);
      const triangle clusters = ceil_div(plane, {2, 2});
      const triangular order{row_major{clusters.folded()}, row_major{clusters.full()}, clusters};
      const batched planes{order, count, interleave};
      over(clustered{planes, {2, 2}, batch{count, plane}}, law);
    }
  });
}

}  // namespace heddle_test
