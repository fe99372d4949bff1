// Calls collectives again: two loops with one storage, roles in every launch, and launches that overlap.

#include <heddle/launch/programmatic.hpp>

#include "expand.hpp"
#include "schedule.hpp"

using namespace heddle_test;

namespace {

/// Two loops, one after the other without a barrier between, each over its own scheduler.
template <class Scheduler>
__global__ void in_two_loops(const __grid_constant__ Scheduler first, const __grid_constant__ Scheduler second,
                             int* visits, int* visits_then, int patience) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  const extent grid = tiles_of(first.order());
  const auto walk = [&](const Scheduler& scheduler, int* found, int most) {
    int turn = 0;
    for (const auto [row, col] : scheduler.tiles(smem)) {
      if (turn++ == most) break;
      if (!grid.contains({row, col})) continue;
      if (threadIdx.x % 32 == turn % 32) __nanosleep(500);  // the warps diverge
      atomicAdd(&found[row * grid.cols + col], 1);
    }
  };
  walk(first, visits, patience);
  walk(second, visits_then, -1);
}

template <class Make>
void serves_two_loops(extent grid, Make make) {
  device_array<char> state(sm_affine<>::state_bytes(), 0), other_state(sm_affine<>::state_bytes(), 0);
  const auto first = make(state.data()), second = make(other_state.data());
  using scheduler = std::decay_t<decltype(first)>;
  device_array<int> visits(static_cast<std::size_t>(grid.size()), 0), then(static_cast<std::size_t>(grid.size()), 0);
  const auto kernel = in_two_loops<scheduler>;
  stream on;
  for (const int patience : {-1, 1, 0}) {
    CAPTURE(grid.rows, grid.cols, patience);
    visits.fill(0);
    then.fill(0);
    const int launches = kernels_overlap() ? 200 : 3;
    for (int turn = 0; turn < launches; ++turn) {
      check(launch(first.grid(kernel, block_threads), on, kernel, first, second, visits.data(), then.data(), patience));
    }
    finish(on);
    if (patience == -1) CHECK(wrong(visits, launches * everyone) == "");
    CHECK(wrong(then, launches * everyone) == "");
  }
}

/// One thread leads. The others follow, if there are any.
template <class Scheduler>
__global__ void leads_in_any_launch(const __grid_constant__ Scheduler scheduler, int* visits) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  if (threadIdx.x == 0) scheduler.start(smem, static_cast<int>(blockDim.x) - 1);
  __syncthreads();
  const auto count = [&](auto place) {
    for (; place; ++place) atomicAdd(&visits[place.index()], 1);
  };
  if (threadIdx.x == 0) {
    for (const auto [row, col] : scheduler.lead(smem))
      atomicAdd(&visits[row * scheduler.order().space().cols + col], 1);
  } else {
    for (const auto [row, col] : scheduler.follow(smem)) {
      atomicAdd(&visits[row * scheduler.order().space().cols + col], 1);
    }
  }
}

/// A kernel that may begin before the launch before it has ended.
template <class Scheduler>
__global__ void overlapping(const __grid_constant__ Scheduler scheduler, int* visits) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  let_next_launch_start();
  wait_for_launch_before();
  for (const auto [row, col] : scheduler.tiles(smem)) {
    if (threadIdx.x == 0) atomicAdd(&visits[row * scheduler.order().space().cols + col], 1);
  }
}

template <class Scheduler>
void overlaps(const Scheduler& scheduler) {
  const extent grid = scheduler.order().space();
  device_array<int> visits(static_cast<std::size_t>(grid.size()), 0);
  const auto kernel = overlapping<Scheduler>;
  const launch_config config = scheduler.grid(kernel, 64).with(programmatic_launch());
  stream on;
  const auto enqueue = [&] { check(launch(config, on, kernel, scheduler, visits.data())); };
  for (int turn = 0; turn < 100; ++turn) enqueue();
  finish(on);
  CHECK(wrong(visits, 100) == "");
  replay(10, on, [&] {
    for (int turn = 0; turn < 10; ++turn) enqueue();
  });
  CHECK(wrong(visits, 200) == "");
}

/// One kernel pushes two lists, another reads both, each with one storage.
template <class Work>
__global__ void push_two(const __grid_constant__ Work one, const __grid_constant__ Work other) {
  __shared__ heddle::static_shared<typename Work::push_storage> smem;
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  one.push(smem, source, source % 5);
  if (threadIdx.x / 32 == source % 3) __nanosleep(300);  // the warps diverge
  other.push(smem, source, source % 7 == 0 ? 11 : 0);
}

template <class Work>
__global__ void read_two(const __grid_constant__ Work one, const __grid_constant__ Work other, int* visits,
                         int* visits_then) {
  __shared__ heddle::static_shared<typename Work::storage> smem;
  for (const auto [source, rank] : one.items(smem)) atomicAdd(&visits[source * 16 + rank], 1);
  for (const auto [source, rank] : other.items(smem)) atomicAdd(&visits_then[source * 16 + rank], 1);
}

template <class Work>
void serves_two_lists() {
  constexpr unsigned threads = 256;
  const unsigned blocks = kernels_overlap() ? 500 : 6, size = blocks * threads;
  const expansion room = room_for_launch(blocks, threads, 1, 16ull * size);
  device_array<char> one(Work::state_bytes(room), 0xa5), other(Work::state_bytes(room), 0xa5);
  const Work works[] = {Work(room, one.data()), Work(room, other.data())};
  device_array<int> visits(16 * size, 0), then(16 * size, 0);
  stream on;
  for (int turn = 0; turn < 10; ++turn) {
    visits.fill(0);
    then.fill(0);
    for (const Work& each : works) check(each.begin_async(on));
    push_two<<<blocks, threads, 0, on>>>(works[0], works[1]);
    check(cudaGetLastError());
    check(
        launch(works[0].grid(read_two<Work>, 128), on, read_two<Work>, works[0], works[1], visits.data(), then.data()));
    finish(on);
    const std::vector<int> found = visits.read(), found_then = then.read();
    unsigned wrong_ones = 0;
    for (unsigned source = 0; source < size; ++source) {
      for (unsigned rank = 0; rank < 16; ++rank) {
        wrong_ones += found[source * 16 + rank] != (rank < source % 5 ? 1 : 0);
        wrong_ones += found_then[source * 16 + rank] != (rank < (source % 7 == 0 ? 11u : 0u) ? 1 : 0);
      }
    }
    CHECK(wrong_ones == 0);
  }
}

/// Pushes several sources per thread, many more than there is room for.
template <class Work>
__global__ void push_several(const __grid_constant__ Work work) {
  __shared__ heddle::static_shared<typename Work::push_storage> smem;
  unsigned source[8], n[8];
  for (unsigned i = 0; i < 8; ++i) {
    source[i] = (blockIdx.x * 8 + i) * blockDim.x + threadIdx.x;
    n[i] = source[i] % 3 + 1;
  }
  work.push(smem, source, n);
}

template <class Work>
__global__ void count_items(const __grid_constant__ Work work, unsigned* counts, int* wrong_ones) {
  __shared__ heddle::static_shared<typename Work::storage> smem;
  for (const auto [source, rank] : work.items(smem)) {
    if (rank >= source % 3 + 1) atomicAdd(wrong_ones, 1);
    atomicAdd(&counts[source], 1);
  }
}

template <class Work>
void overflows(expansion room) {
  const unsigned blocks = kernels_overlap() ? 2112 : 9, size = blocks * 128 * 8;
  device_array<char> state(Work::state_bytes(room), 0xa5);
  const Work work(room, state.data());
  device_array<unsigned> counts(size, 0);
  device_array<int> wrong_ones(1, 0);
  stream on;
  for (int turn = 0; turn < 20; ++turn) {
    counts.fill(0);
    check(work.begin_async(on));
    push_several<<<blocks, 128, 0, on>>>(work);
    check(cudaGetLastError());
    check(launch(work.grid(count_items<Work>, 128), on, count_items<Work>, work, counts.data(), wrong_ones.data()));
    finish(on);
    CHECK(wrong_ones.read()[0] == 0);
    const std::vector<unsigned> found = counts.read();
    unsigned long long sources = 0, items = 0;
    unsigned partly = 0;
    for (unsigned source = 0; source < size; ++source) {
      partly += found[source] != 0 && found[source] != source % 3 + 1;
      sources += found[source] > 0;
      items += found[source];
    }
    CHECK(partly == 0);
    CHECK(sources <= room.sources);
    CHECK(items <= room.items);
    CHECK((sources + 1024 >= std::min<unsigned long long>(size, room.sources) || items + 3072 >= room.items));
    typename Work::totals totals;
    check(cudaMemcpy(&totals, work.state(), sizeof totals, cudaMemcpyDeviceToHost));
    CHECK(work.items_pushed(totals) == 2ull * size - (size % 3 == 2 ? 1 : size % 3 == 1 ? 1 : 0));
  }
}

}  // namespace

GPU_TEST("Schedulers walk two loops with one storage on the GPU", "[schedule]") {
  for (const extent grid : {extent{13, 17}, extent{1, 97}}) {
    serves_two_loops(grid, [=](void*) { return strided{row_major{grid}}; });
    serves_two_loops(grid, [=](void* state) { return ticket{row_major{grid}, state}; });
    serves_two_loops(grid, [=](void* state) { return sm_affine{row_major{grid}, state, 4}; });
    serves_two_loops(grid, [=](void* state) { return work_stealing{row_major{grid}, state}; });
  }
}

CLUSTER_TEST("Schedulers of clusters walk two loops with one storage on the GPU", "[schedule]") {
  const extent grid{13, 17}, cluster{2, 1};
  serves_two_loops(grid, [=](void* state) {
    return ticket{clustered{row_major{ceil_div(grid, cluster)}, cluster, grid}, state};
  });
}

CLUSTER_TEST("Roles need no follower and keep to their block in a launch with clusters on the GPU", "[schedule]") {
  const extent grid{31, 33};
  device_array<char> state(ticket<>::state_bytes(), 0);
  const ticket scheduler{row_major{grid}, state.data()};
  const auto kernel = leads_in_any_launch<ticket<row_major>>;
  device_array<int> visits(static_cast<std::size_t>(grid.size()), 0);
  for (const unsigned threads : {1u, 33u, 96u}) {
    for (const unsigned blocks : {1u, 2u, 4u}) {
      CAPTURE(threads, blocks);
      visits.fill(0);
      launch_config config = detail::all_of(reinterpret_cast<const void*>(kernel), threads, 0, 24, blocks);
      check(launch(config, nullptr, kernel, scheduler, visits.data()));
      finish(nullptr);
      CHECK(wrong(visits, static_cast<int>(threads)) == "");
    }
  }
}

CLUSTER_TEST("Programmatic launches that wait for each other share one state on the GPU", "[schedule]") {
  using listed = recipe::schedules<recipe::ticket, recipe::sm_affine, recipe::work_stealing, recipe::strided>;
  for_each_scheduler(listed{}, [](const auto& over) {
    over(row_major{{13, 17}}, [](const auto& scheduler) { overlaps(scheduler); });
  });
}

CLUSTER_TEST("A launch keeps its clusters beside the attributes that it is given on the GPU", "[schedule]") {
  const extent grid{13, 17}, cluster{2, 1};
  device_array<char> state(ticket<>::state_bytes(), 0);
  const ticket scheduler{clustered{row_major{ceil_div(grid, cluster)}, cluster, grid}, state.data()};
  const auto kernel = in_a_loop<std::decay_t<decltype(scheduler)>>;
  device_array<int> visits(static_cast<std::size_t>(grid.size()), 0);
  cudaLaunchAttribute priority{};
  priority.id = cudaLaunchAttributePriority;
  priority.val.priority = 0;
  const launch_config config = scheduler.grid(kernel, block_threads).with(priority).with(programmatic_launch());
  check(launch(config, nullptr, kernel, scheduler, visits.data(), -1));
  finish(nullptr);
  CHECK(wrong(visits, everyone) == "");
}

GPU_TEST("Strategies push and read two lists with one storage on the GPU", "[expand]") {
  serves_two_lists<packed_prefix>();
  serves_two_lists<scanned>();
  serves_two_lists<append>();
  serves_two_lists<power_of_two>();
  serves_two_lists<fixed<11>>();
}

GPU_TEST("Strategies leave out whole sources where several of each thread find no room on the GPU", "[expand]") {
  overflows<packed_prefix>({1'048'000, 100'000'000});
  overflows<power_of_two>({1'048'000, 100'000'000});
  overflows<packed_prefix>({1000, 1000});
  overflows<packed_prefix>({0, 0});
  overflows<scanned>({1'048'000, 100'000'000});
}
