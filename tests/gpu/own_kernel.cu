// heddle in a kernel of one's own: a block's tile, storage in front of dynamic shared memory, and a launch in one call.

#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/scanned.hpp>
#include <heddle/launch/launch_shape.hpp>
#include <heddle/launch/programmatic.hpp>
#include <heddle/order/tile_of_block.hpp>
#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>
#include <heddle/reorder/grid_queues.hpp>
#include <heddle/trace/traced.hpp>

#include "schedule.hpp"

using namespace heddle_test;

namespace {

/// Every thread counts its block's tile, but for those that leave before, and those that find it in a branch of their
/// own.
template <class Order>
__global__ void counts_its_tile(const __grid_constant__ Order order, int* visits, unsigned leave) {
  const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
  if (thread < leave) return;
  tile_of<Order> tile;
  if (thread % 3 == 0) {
    tile = tile_of_block(order);
  } else {
    tile = tile_of_block(order);
  }
  atomicAdd(&visits[order.space().number(tile)], 1);
}

template <class Order>
void each_thread_finds_its_tile(Order order) {
  device_array<int> visits(static_cast<std::size_t>(order.size()), 0);
  for (const dim3 threads : {dim3(1), dim3(33), dim3(8, 8), dim3(5, 7), dim3(256)}) {
    for (const unsigned leave : {0u, 1u, 31u}) {
      const unsigned in_block = threads.x * threads.y;
      CAPTURE(in_block, leave);
      visits.fill(0);
      check(launch({.threads = threads}, counts_its_tile, order, visits.data(), leave));
      finish(nullptr);
      CHECK(wrong(visits, in_block > leave ? static_cast<int>(in_block - leave) : 0) == "");
    }
  }
}

template <class Work>
struct pushing {
  using storage = typename Work::push_storage;
};

/// Where dynamic shared memory begins behind the storage of these, which is used so that it exists.
template <class... Collectives>
__global__ void finds_dynamic(unsigned* address, int* beside) {
  extern __shared__ float dynamic[];
  const auto use = [&]<class Collective>(Collective*) {
    __shared__ static_shared<typename Collective::storage> smem;
    if (__is_empty(typename Collective::storage) || threadIdx.x > 0) return;
    reinterpret_cast<volatile char&>(smem) = 1;
    *beside += reinterpret_cast<volatile char&>(smem);
  };
  (use(static_cast<Collectives*>(nullptr)), ...);
  dynamic[threadIdx.x] = 1;
  *address = static_cast<unsigned>(__cvta_generic_to_shared(dynamic));
}

template <class... Collectives>
unsigned dynamic_behind() {
  device_array<unsigned> address(1, 0xff);
  device_array<int> beside(1, 0);
  finds_dynamic<Collectives...><<<1, 32, 4096>>>(address.data(), beside.data());
  check(cudaGetLastError());
  finish(nullptr);
  return address.read()[0];
}

template <class Storage>
struct of_a_kernel {
  char own[64];
  Storage last;
};

template <class Scheduler>
__global__ void in_static_clusters(const __grid_constant__ Scheduler scheduler, int* visits);

using swizzled = clustered<cta_swizzle>;

template <>
__global__ void __cluster_dims__(2, 1, 1)
    in_static_clusters<ticket<swizzled>>(const __grid_constant__ ticket<swizzled> scheduler, int* visits) {
  __shared__ static_shared<ticket<swizzled>::storage> smem;
  for (const auto tile : scheduler.tiles(smem)) {
    if (scheduler.order().contains(tile)) atomicAdd(&visits[scheduler.order().tiles().number(tile)], 1);
  }
}

template <class Scheduler>
__global__ void counts_with(const __grid_constant__ Scheduler scheduler, int* visits, float by,
                            unsigned blocks_at_most) {
  __shared__ static_shared<typename Scheduler::storage> smem;
  const auto space = tiles_of(scheduler.order());
  for (const auto tile : scheduler.tiles(smem)) {
    if (!space.contains(tile) || gridDim.x > blocks_at_most) continue;
    atomicAdd(&visits[space.number(tile)], static_cast<int>(by));
  }
}

/// Launches in one call, by the template and by its name with arguments, and in a graph.
template <class Scheduler>
void one_call_visits_all(const Scheduler& scheduler) {
  const int tiles = tiles_of(scheduler.order()).size();
  device_array<int> visits(static_cast<std::size_t>(tiles), 0);
  stream on;
  check(launch({.threads = 64, .stream = on}, counts_with, scheduler, visits.data(), 1.0f, ~0u));
  check(launch({.threads = {8, 8}, .stream = on}, counts_with<Scheduler>, scheduler, visits.data(), 1, ~0u));
  finish(on);
  CHECK(wrong(visits, 128) == "");
  replay(3, on, [&] {
    check(launch({.threads = 64, .dynamic_smem = 100'000, .stream = on}, counts_with, scheduler, visits.data(), 1.0f,
                 ~0u));
  });
  CHECK(wrong(visits, 128 + 3 * 64) == "");
}

}  // namespace

GPU_TEST("tile_of_block is the order's tile in every thread of blocks of any shape on the GPU", "[order]") {
  each_thread_finds_its_tile(cta_swizzle{{13, 17}, 4});
  each_thread_finds_its_tile(hilbert{{7, 31}});
  each_thread_finds_its_tile(row_major{{1, 97}});
  each_thread_finds_its_tile(batched{row_major{{3, 5}}, 7});
  check(launch({.threads = 32}, counts_its_tile, row_major{{0, 9}}, static_cast<int*>(nullptr), 0u));
}

GPU_TEST("static_shared leaves dynamic shared memory where it was, modulo 1024, on the GPU", "[schedule]") {
  using order = row_major;
  const unsigned alone = dynamic_behind<>();
  CHECK(dynamic_behind<one_shot<order>>() == alone);
  CHECK(dynamic_behind<strided<order>>() == alone);
  const auto keeps = [&](unsigned address, const char* of) {
    CAPTURE(of, address, alone);
    CHECK(address > alone);
    CHECK((address - alone) % 1024 == 0);
  };
  keeps(dynamic_behind<ticket<order>>(), "ticket");
  keeps(dynamic_behind<sm_affine<order>>(), "sm_affine");
  keeps(dynamic_behind<work_stealing<order>>(), "work_stealing");
  keeps(dynamic_behind<traced<ticket<order>>>(), "traced");
  keeps(dynamic_behind<seats>(), "seats");
  keeps(dynamic_behind<ticket<order>, seats>(), "ticket and seats");
  keeps(dynamic_behind<pushing<packed_prefix>>(), "push of packed_prefix");
  keeps(dynamic_behind<packed_prefix>(), "packed_prefix");
  keeps(dynamic_behind<pushing<scanned>>(), "push of scanned");
  keeps(dynamic_behind<scanned>(), "scanned");
  keeps(dynamic_behind<block_reorder<256, 3>>(), "block_reorder");
  keeps(dynamic_behind<block_exchange<float4, 256>>(), "block_exchange");
  keeps(dynamic_behind<grid_queues<4>>(), "grid_queues");

  // As a member, storage keeps its size and alignment.
  using storage = ticket<order>::storage;
  STATIC_REQUIRE(sizeof(of_a_kernel<storage>) == 64 + sizeof(storage));
  STATIC_REQUIRE(sizeof(static_shared<storage>) == 1024);
  STATIC_REQUIRE(detail::same_as<static_shared<strided<order>::storage>, strided<order>::storage>);
}

GPU_TEST("A launch in one call visits each tile under every scheduler, captured too, on the GPU", "[schedule]") {
  for_each_scheduler(all_schedules{}, [](const auto& over) {
    over(cta_swizzle{{13, 17}, 4}, [](const auto& scheduler) { one_call_visits_all(scheduler); });
  });
}

CLUSTER_TEST("A launch in one call has clusters, a cap and attributes on the GPU", "[schedule]") {
  const extent grid{13, 17}, cluster{2, 1};
  device_array<char> state(ticket<>::state_bytes(), 0);
  const ticket scheduler{clustered{cta_swizzle{ceil_div(grid, cluster), 4}, cluster, grid}, state.data()};
  one_call_visits_all(scheduler);
  device_array<int> visits(static_cast<std::size_t>(grid.size()), 0);
  check(launch({.threads = 64}, in_static_clusters<ticket<swizzled>>, scheduler, visits.data()));
  finish(nullptr);
  CHECK(wrong(visits, 64) == "");

  visits.fill(0);
  cudaLaunchAttribute priority{};
  priority.id = cudaLaunchAttributePriority;
  const launch_shape shape = launch_shape{.threads = 1024, .cap = 3}.with(priority).with(programmatic_launch());
  const ticket of_blocks{cta_swizzle{grid, 4}, state.data()};
  check(launch(shape, counts_with, of_blocks, visits.data(), 1.0f, 3u * 2));
  finish(nullptr);
  CHECK(wrong(visits, 1024) == "");
}

TEST_CASE("A launch in one call refuses a cap where all blocks are launched, and too many attributes",
          "[gpu][schedule]") {
  const one_shot all{row_major{{3, 4}}};
  CHECK_THROWS_WITH(launch({.threads = 64, .cap = 3}, counts_with, all, static_cast<int*>(nullptr), 1.0f, 0u),
                    "heddle::launch: cap, of a launch of a block per tile, is 3; it must be exactly 2147483647");
  launch_shape shape{.threads = 64};
  for (unsigned i = 0; i < launch_config::most_attributes; ++i) shape = shape.with(programmatic_launch());
  CHECK_THROWS_WITH(shape.with(programmatic_launch()), "heddle::launch_shape: attributes is 9; it must be at most 8");
}
