// Situations that launches meet outside of tests: other streams, other threads, a busy GPU, odd multiprocessor numbers.

#include "schedule.hpp"

using namespace heddle_test;

namespace {

const extent grid{37, 53};

bool no_overlap() {
  if (no_gpu()) return true;
  if (kernels_overlap()) return false;
  skip("kernels do not run beside each other here");
  return true;
}

int multiprocessors() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

/// Returns the number of tiles, which is the bound for the groups of these tests: their tiles have one row.
template <class Order>
int tiles_that_host_knows(const Order& order) {
  if constexpr (bounds_tiles<Order>) {
    return order.most_tiles();
  } else {
    return tiles_of(order).size();
  }
}

/// Launches in a loop and in roles, and says what is wrong with the visits. It allocates memory and loads kernels in
/// its constructor: while another kernel holds the GPU, both may wait for it.
template <class Scheduler>
class watched {
 public:
  explicit watched(const Scheduler& scheduler)
      : scheduler_(scheduler), visits_(static_cast<std::size_t>(tiles_that_host_knows(scheduler.order())), 0) {
    (void)after(1);
  }

  std::string after(int launches) {
    check(cudaMemsetAsync(visits_.data(), 0, visits_.bytes(), on_));
    for (int turn = 0; turn < launches; ++turn) enqueue(on_, scheduler_, in_a_loop<Scheduler>, visits_.data(), -1);
    for (int turn = 0; turn < launches; ++turn) enqueue(on_, scheduler_, in_roles<Scheduler>, visits_.data(), -1);
    finish(on_);
    return wrong(visits_, launches * (everyone + everyone_of_roles));
  }

 private:
  Scheduler scheduler_;
  device_array<int> visits_;
  stream on_;
};

template <class Order>
void every_scheduler_beside_a_holder(const Order& order, int processors) {
  for_each_scheduler(all_schedules{}, [&](const auto& over) {
    over(order, [&](const auto& scheduler) {
      watched launches(scheduler);
      const held others(processors);
      CHECK(launches.after(3) == "");
      CHECK(others.still_holds());  // otherwise nothing was tested
    });
  });
}

/// A machine with numbers of multiprocessors that the test makes up.
struct renumbered : detail::gpu<false> {
  int kind;

  __device__ unsigned sm() const {
    switch (kind) {
      case 0:
        return 0;  // one number for all
      case 1:
        return blockIdx.x;  // one per block
      case 2:
        return 0xffffffffu - 977u * blockIdx.x;  // sparse
      default:
        return detail::ptx::gridid() + clock();  // anything
    }
  }
};

template <class Scheduler>
__global__ void on_renumbered(const __grid_constant__ Scheduler scheduler, int kind, int* visits) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  renumbered machine;
  machine.kind = kind;
  for (const auto [row, col] : scheduler.tiles(smem, machine)) {
    atomicAdd(&visits[row * scheduler.order().space().cols + col], 1);
  }
}

/// Records which multiprocessor visits which index.
template <class Scheduler>
__global__ void note_processor(const __grid_constant__ Scheduler scheduler, int* processor) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for (auto place = scheduler.tiles(smem); place; ++place) {
    if (threadIdx.x == 0) processor[place.index()] = static_cast<int>(detail::ptx::smid());
    __nanosleep(2000);
  }
}

}  // namespace

GPU_TEST("Launches in two streams from two host threads with a state each do not meet", "[schedule]") {
  device_array<char> tickets(ticket<>::state_bytes(), 0), more_tickets(ticket<>::state_bytes(), 0);
  device_array<char> runs(sm_affine<>::state_bytes(), 0), more_runs(sm_affine<>::state_bytes(), 0);
  const cta_swizzle order{grid, 8, axis::x};
  std::string of_one, of_two;
  std::thread first([&] { of_one = watched(ticket{order, tickets.data()}).after(50); });
  std::thread second([&] { of_two = watched(sm_affine{order, runs.data(), 7}).after(50); });
  CHECK(watched(ticket{order, more_tickets.data()}).after(50) == "");
  CHECK(watched(sm_affine{order, more_runs.data(), 16}).after(50) == "");
  first.join();
  second.join();
  CHECK(of_one == "");
  CHECK(of_two == "");
}

TEST_CASE("Every scheduler ends while another kernel holds half of the multiprocessors", "[gpu][schedule]") {
  if (no_overlap()) return;
  every_scheduler_beside_a_holder(cta_swizzle{grid, 8, axis::x}, multiprocessors() / 2);
}

TEST_CASE("Every scheduler ends over batches and groups while another kernel holds half of the multiprocessors",
          "[gpu][schedule]") {
  if (no_overlap()) return;
  const triangle plane{31, 53, 20};
  every_scheduler_beside_a_holder(batched{triangular{row_major{plane.folded()}, row_major{plane.full()}, plane}, 5, 3},
                                  multiprocessors() / 2);

  const std::vector<int> ends{7, 7, 300, 301, 500};
  const group_shape shape{.rows = 500, .groups = 5, .tile_rows = 1, .cols = 3};
  device_array<char> state(grouped::state_bytes(shape), 0xa5);
  device_array on_device(ends);
  const grouped order{shape, state.data(), 4, axis::y, group_sequence::heaviest_first};
  check(order.prepare_async(on_device.data(), nullptr));
  finish(nullptr);
  every_scheduler_beside_a_holder(order, multiprocessors() / 2);
}

TEST_CASE("Every scheduler ends while another kernel leaves one multiprocessor", "[gpu][schedule]") {
  if (no_overlap()) return;
  every_scheduler_beside_a_holder(cta_swizzle{grid, 8, axis::x}, multiprocessors() - 1);
}

TEST_CASE("Every scheduler of clusters ends while another kernel holds half of the multiprocessors",
          "[gpu][schedule]") {
  if (no_clusters() || no_overlap()) return;
  const extent cluster{2, 1};
  every_scheduler_beside_a_holder(clustered{row_major{ceil_div(grid, cluster)}, cluster, grid}, multiprocessors() / 2);
}

GPU_TEST("sm_affine visits each tile once whatever the numbers of the multiprocessors are", "[schedule]") {
  device_array<char> state(sm_affine<>::state_bytes(), 0);
  device_array<int> visits(static_cast<std::size_t>(grid.size()), 0);
  for (const int run : {1, 2, 16, 1000, 100000}) {
    const sm_affine scheduler{row_major{grid}, state.data(), run};
    for (const unsigned blocks : {1u, 5u, 300u, 3000u}) {
      for (int kind = 0; kind < 4; ++kind) {
        CAPTURE(run, blocks, kind);
        visits.fill(0);
        on_renumbered<<<blocks, 1>>>(scheduler, kind, visits.data());
        check(cudaGetLastError());
        finish(nullptr);
        CHECK(wrong(visits, 1) == "");
      }
    }
  }
}

GPU_TEST("sm_affine gives a run to one multiprocessor", "[schedule]") {
  device_array<char> state(sm_affine<>::state_bytes(), 0);
  device_array<int> processor(static_cast<std::size_t>(grid.size()), 0xff);
  const int run = 24;
  const sm_affine scheduler{row_major{grid}, state.data(), run};
  const launch_config config = scheduler.grid(note_processor<sm_affine<row_major>>, 64);
  check(launch(config, nullptr, note_processor<sm_affine<row_major>>, scheduler, processor.data()));
  finish(nullptr);
  const std::vector<int> by = processor.read();
  for (std::size_t i = 0; i < by.size(); ++i) CHECK(by[i] == by[i - i % run]);
}

GPU_TEST("A launch is as large as its tiles and the GPU allow and no larger than its cap", "[schedule]") {
  const row_major many{{1000, 1000}}, few{{1, 3}}, none{{0, 7}};
  const auto blocks = [](const auto& scheduler, int threads, std::size_t smem, auto... cap) {
    const launch_config grid =
        scheduler.grid(in_a_loop<std::decay_t<decltype(scheduler)>>, static_cast<unsigned>(threads), smem, cap...);
    check(grid.error);
    return grid.config.gridDim.x;
  };
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, in_a_loop<strided<row_major>>, 96, 0));
  const auto all = static_cast<unsigned>(resident * multiprocessors());
  CHECK(blocks(strided{many}, 96, 0) == all);
  CHECK(blocks(strided{many}, 96, 0, 1) == static_cast<unsigned>(resident));
  CHECK(blocks(strided{many}, 96, 0, 5) == static_cast<unsigned>(5 * resident));
  CHECK(blocks(strided{many}, 96, 0, 100000) == all);
  CHECK(blocks(strided{few}, 96, 0) == 3);
  CHECK(blocks(strided{none}, 96, 0) == 0);
  CHECK(blocks(one_shot{many}, 96, 0) == 1000000);
  CHECK(blocks(one_shot{none}, 96, 0) == 0);
  CHECK(blocks(strided{many}, 96, 150 * 1024) == static_cast<unsigned>(multiprocessors()));  // allowed by `grid`
  CHECK_THROWS_AS(blocks(strided{many}, 96, 0, 0), invalid_argument);
}

GPU_TEST("A launch keeps its shared memory when another of the same kernel asks for less", "[schedule]") {
  const strided scheduler{row_major{grid}};
  device_array<int> visits(static_cast<std::size_t>(grid.size()), 0);
  const auto kernel = in_a_loop<strided<row_major>>;
  const launch_config large = scheduler.grid(kernel, block_threads, 150 * 1024);
  const launch_config small = scheduler.grid(kernel, block_threads, 60 * 1024);
  check(launch(large, nullptr, kernel, scheduler, visits.data(), -1));
  check(launch(small, nullptr, kernel, scheduler, visits.data(), -1));
  // With its static shared memory, 48 KB of dynamic shared memory are more than the kernel gets by default.
  check(launch(scheduler.grid(kernel, block_threads, 48 * 1024), nullptr, kernel, scheduler, visits.data(), -1));
  finish(nullptr);
  CHECK(wrong(visits, 3 * everyone) == "");
}

CLUSTER_TEST("A launch of clusters is a whole number of them and capped likewise", "[schedule]") {
  const extent tiles{1000, 1001};
  for (const extent cluster : {extent{2, 1}, extent{2, 2}, extent{4, 2}, extent{4, 4}}) {
    CAPTURE(cluster.rows, cluster.cols);
    const clustered order{row_major{ceil_div(tiles, cluster)}, cluster, tiles};
    const strided scheduler{order};
    const auto grid = [&](int cap) {
      const launch_config config = scheduler.grid(in_a_loop<strided<clustered<row_major>>>, block_threads, 0, cap);
      check(config.error);
      return config;
    };
    const unsigned size = static_cast<unsigned>(cluster.size());
    REQUIRE(grid(1000).config.numAttrs == 1);
    CHECK(grid(1000).config.attrs[0].val.clusterDim.x == size);
    CHECK(grid(1000).config.gridDim.x % size == 0);
    CHECK(grid(1).config.gridDim.x >= size);
    CHECK(grid(66).config.gridDim.x < grid(132).config.gridDim.x);
    device_array<int> visits(static_cast<std::size_t>(tiles.size()), 0);
    check(launch(grid(1000), nullptr, in_a_loop<strided<clustered<row_major>>>, scheduler, visits.data(), -1));
    finish(nullptr);
    CHECK(wrong(visits, everyone) == "");
  }
}
