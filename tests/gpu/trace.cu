// Traces of launches on the GPU: one slice per visited tile, in every form; replays of a graph, two streams, a buffer
// in use, and clocks of multiprocessors that pass a flag.

#include <heddle/trace.hpp>

#include "refusal.hpp"
#include "schedule.hpp"

using namespace heddle_test;

namespace {

/// A buffer with its memory, and a zone behind it that nothing may write.
class buffer_on_device {
 public:
  explicit buffer_on_device(trace::room room) : room_(room), bytes_(room.bytes()), memory_(bytes_ + zone, 0) {
    set_bytes(memory_.data() + bytes_, 0x5a, zone);
  }

  trace::buffer get() { return {room_, memory_.data(), bytes_}; }

  trace::report read(cudaStream_t on) {
    const auto [report, error] = trace::read(get(), on);
    check(error);
    std::vector<char> behind(zone);
    check(cudaMemcpy(behind.data(), memory_.data() + bytes_, zone, cudaMemcpyDeviceToHost));
    CHECK(std::count(behind.begin(), behind.end(), 0x5a) == static_cast<std::ptrdiff_t>(zone));
    return report;
  }

 private:
  static constexpr std::size_t zone = 4096;
  trace::room room_;
  std::size_t bytes_;
  device_array<char> memory_;
};

/// Returns what is wrong with the slices of a launch that took each index once, by each block of a worker.
std::string wrong_with(const trace::report& report, int launch, int size) {
  const auto& whole = report.launches[static_cast<std::size_t>(launch)];
  std::map<std::pair<int, int>, int> visits;  // by index and rank
  for (const auto& block : report.blocks) {
    if (block.launch != launch) continue;
    double before = block.begin;
    for (std::size_t i = block.first; i < block.first + block.count; ++i) {
      const auto& slice = report.slices[i];
      if (slice.begin < before - 1e-6 || slice.end < slice.begin)
        return "slices of block " + std::to_string(block.number);
      before = slice.end;
      ++visits[{slice.index, slice.rank}];
    }
    if (before > block.end + 1e-6) return "the end of block " + std::to_string(block.number);
  }
  if (whole.missing != 0) return std::to_string(whole.missing) + " blocks are missing";
  for (int index = 0; index < size; ++index) {
    for (int rank = 0; rank < whole.blocks_of_worker; ++rank) {
      const int count = visits[{index, rank}];
      if (count != 1) return "index " + std::to_string(index) + " has " + std::to_string(count) + " slices";
    }
  }
  return static_cast<int>(visits.size()) == size * whole.blocks_of_worker ? "" : "an index past the end";
}

/// Checks both forms of a scheduler, whole and left early.
template <class Scheduler>
void is_traced(const Scheduler& inner) {
  const int size = inner.order().size(), tiles = tiles_of(inner.order()).size();
  stream on;
  buffer_on_device log({.blocks = 8192, .tiles = 256, .launches = 8});
  const traced scheduler{inner, log.get()};
  device_array<int> visits(static_cast<std::size_t>(tiles), 0);
  for (const int patience : {-1, 1, -1}) {
    enqueue(on, scheduler, in_a_loop<traced<Scheduler>>, visits.data(), patience);
    enqueue(on, scheduler, in_roles<traced<Scheduler>>, visits.data(), patience);
  }
  finish(on);
  const trace::report report = log.read(on);
  CHECK(report.left_out == 0);
  CHECK(report.refused == 0);
  CHECK(report.damaged == 0);
  CHECK(report.unfinished == 0);
  REQUIRE(report.launches.size() == 6);
  for (const int launch : {0, 1, 4, 5}) CHECK(wrong_with(report, launch, size) == "");
  for (const auto& block : report.blocks) {
    if (block.launch != 2 && block.launch != 3) continue;
    CHECK(block.count <= 2);  // left early: a tile is done, and the next one is left
  }
}

constexpr extent wide{31, 33};

}  // namespace

GPU_TEST("A trace has one slice per tile under every scheduler on the GPU", "[trace]") {
  for_each_scheduler(all_schedules{}, [](const auto& over) {
    over(cta_swizzle{wide, 5, axis::x}, [](const auto& scheduler) { is_traced(scheduler); });
  });
}

CLUSTER_TEST("A trace has one slice per block of a cluster under every scheduler on the GPU", "[trace]") {
  const extent cluster{2, 1};
  const clustered order{row_major{ceil_div(wide, cluster)}, cluster, wide};
  for_each_scheduler(all_schedules{},
                     [&](const auto& over) { over(order, [](const auto& scheduler) { is_traced(scheduler); }); });
}

GPU_TEST("A trace tells 100 replays of a graph apart on the GPU", "[trace]") {
  const int times = kernels_overlap() ? 100 : 3;
  const row_major order{wide};
  device_array<char> state(ticket<>::state_bytes(), 0);
  for (const trace::keep kept : {trace::keep::first, trace::keep::newest}) {
    CAPTURE(kept == trace::keep::first);
    stream on;
    const int launches = 40;  // fewer than there are
    buffer_on_device log({.blocks = 8192, .tiles = 1024, .launches = launches, .kept = kept});
    const traced scheduler{ticket{order, state.data()}, log.get()};
    device_array<int> visits(static_cast<std::size_t>(order.size()), 0);
    const auto enqueue_one = [&] { enqueue(on, scheduler, in_a_loop<traced<ticket<row_major>>>, visits.data(), -1); };
    enqueue_one();  // loads the kernel
    finish(on);
    replay(times, on, enqueue_one);
    CHECK(wrong(visits, (times + 1) * everyone) == "");
    const trace::report report = log.read(on);
    CHECK(report.refused == 0);
    CHECK(report.damaged == 0);
    REQUIRE(report.launches.size() == static_cast<std::size_t>(std::min(launches, times + 1)));
    for (int launch = 0; launch < static_cast<int>(report.launches.size()); ++launch) {
      CAPTURE(launch);
      CHECK(wrong_with(report, launch, order.size()) == "");
    }
    const long long all = 1LL * (times + 1) * order.size();
    CHECK(report.left_out == all - static_cast<long long>(report.slices.size()));
    std::vector<unsigned long long> numbers;
    for (const auto& launch : report.launches) numbers.push_back(launch.grid);
    std::sort(numbers.begin(), numbers.end());
    const auto distinct = std::unique(numbers.begin(), numbers.end()) - numbers.begin();
    std::printf("graph replays: %zu launches have %d numbers of grids\n", numbers.size(), static_cast<int>(distinct));
  }
}

GPU_TEST("A full log on the GPU keeps the first slices or the newest and counts the others", "[trace]") {
  const row_major order{wide};
  for (const trace::keep kept : {trace::keep::first, trace::keep::newest}) {
    stream on;
    buffer_on_device log({.blocks = 3, .tiles = 10, .launches = 2, .kept = kept});
    const traced scheduler{strided{order}, log.get()};
    device_array<int> visits(static_cast<std::size_t>(order.size()), 0);
    enqueue(on, scheduler, in_a_loop<traced<strided<row_major>>>, visits.data(), -1, 5);
    finish(on);
    const trace::report report = log.read(on);
    REQUIRE(report.slices.size() == 30);
    const auto of_log = [&](int block) { return (order.size() - block + 4) / 5; };  // tiles that it visits
    CHECK(report.left_out == of_log(0) + of_log(1) + of_log(2) - 30);
    for (const auto& slice : report.slices) {
      const int turn = slice.index / 5;
      CHECK(slice.index % 5 == slice.block);
      CHECK((kept == trace::keep::first ? turn < 10 : turn >= of_log(slice.block) - 10));
    }
  }
}

GPU_TEST("Two streams with a buffer each leave two traces on one clock on the GPU", "[trace]") {
  const row_major order{wide};
  stream streams[2];
  buffer_on_device one({.blocks = 64, .tiles = 1024}), other({.blocks = 64, .tiles = 1024});
  device_array<char> states[2] = {{ticket<>::state_bytes(), 0}, {ticket<>::state_bytes(), 0}};
  device_array<int> visits(static_cast<std::size_t>(order.size()), 0);
  for (int turn = 0; turn < 10; ++turn) {
    for (int i = 0; i < 2; ++i) {
      const traced scheduler{ticket{order, states[i].data()}, (i == 0 ? one : other).get()};
      enqueue(streams[i], scheduler, in_a_loop<traced<ticket<row_major>>>, visits.data(), -1, 50);
    }
  }
  trace::chrome_trace file;
  for (int i = 0; i < 2; ++i) {
    finish(streams[i]);
    const trace::report report = (i == 0 ? one : other).read(streams[i]);
    CHECK(report.refused == 0);
    REQUIRE(report.launches.size() == 10);
    for (int launch = 0; launch < 10; ++launch) CHECK(wrong_with(report, launch, order.size()) == "");
    file.add(i == 0 ? "one" : "other", report, order);
  }
  CHECK(file.str().find("one, multiprocessor ") != std::string::npos);
  CHECK(file.str().find("other, multiprocessor ") != std::string::npos);
  CHECK(wrong(visits, 20 * everyone) == "");
}

namespace {

/// Says that its blocks run, and holds their tiles until it is released.
template <tile_scheduler Scheduler>
__global__ void hold_tiles(const __grid_constant__ Scheduler scheduler, volatile int* started, volatile int* released) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for ([[maybe_unused]] const coord tile : scheduler.tiles(smem)) {
    if (threadIdx.x == 0) started[blockIdx.x] = 1;
    for (int turn = 0; *released == 0 && turn < 1'000'000; ++turn) __nanosleep(1000);
    __syncthreads();
  }
}

}  // namespace

GPU_TEST("A second launch into a buffer in use is counted and harms no slice on the GPU", "[trace]") {
  if (!kernels_overlap()) return skip("kernels run one by one here");
  constexpr int blocks = 4;
  const row_major order{{1, blocks}};
  stream one, other;
  buffer_on_device log({.blocks = blocks, .tiles = 16});
  const traced scheduler{strided{order}, log.get()};
  device_array<int> visits(blocks, 0);
  const auto second = [&] {
    enqueue(other, scheduler, in_a_loop<traced<strided<row_major>>>, visits.data(), -1, blocks);
    finish(other);
  };
  second();  // loads the kernel
  const flags shared(blocks);
  const auto kernel = hold_tiles<traced<strided<row_major>>>;
  launch_config grid = scheduler.grid(kernel, 32);
  grid.config.gridDim.x = blocks;
  check(launch(grid, one, kernel, scheduler, shared.started(), shared.released()));
  shared.wait_for_all();
  second();
  second();
  shared.release();
  finish(one);
  second();
  const trace::report report = log.read(one);
  CHECK(report.refused == 2 * blocks);
  CHECK(report.damaged == 0);
  REQUIRE(report.launches.size() == 3);
  for (int launch = 0; launch < 3; ++launch) CHECK(wrong_with(report, launch, order.size()) == "");
  CHECK(wrong(visits, 4 * everyone) == "");
}

namespace {

/// Takes as many ticks per tile as a table says.
template <tile_scheduler Scheduler>
__global__ void take_ticks(const __grid_constant__ Scheduler scheduler, const int* ticks) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for (const coord tile : scheduler.tiles(smem)) {
    const long long begin = clock64();
    while (clock64() - begin < ticks[tile.col]) __nanosleep(100);
    __syncthreads();
  }
}

/// Returns the summary of the second of two launches in which a scheduler takes so many ticks per tile.
template <class Scheduler>
trace::summary summary_of(const Scheduler& inner, const std::vector<int>& ticks, const recipe& by) {
  stream on;
  buffer_on_device log({.blocks = 8192, .tiles = 256, .launches = 2});
  const traced scheduler{inner, log.get()};
  device_array table(ticks);
  const auto kernel = take_ticks<traced<Scheduler>>;
  int memory = 0;  // of half a multiprocessor: two blocks on each
  check(cudaDeviceGetAttribute(&memory, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
  memory = memory / 2 - 4096;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, memory));
  for (int turn = 0; turn < 2; ++turn) {
    const launch_config grid = scheduler.grid(kernel, 32, static_cast<std::size_t>(memory));
    check(launch(grid, on, kernel, scheduler, static_cast<const int*>(table.data())));
  }
  finish(on);
  return trace::summarize(log.read(on), 1, inner.order(), by);
}

}  // namespace

// Draws are not in the times of tiles: a block of work_stealing reads 256 counters before it takes from another lane,
// which is 11 us. So tiles take 200 us.
GPU_TEST("A traced launch ends when makespan says of its own tiles on the GPU", "[trace]") {
  if (!kernels_overlap()) return skip("kernels run one by one here");
  for (const int tiles : {300, 2000}) {
    for (const std::string costs : {"even", "causal", "power law"}) {
      std::vector<int> ticks;
      for (int tile = 0; tile < tiles; ++tile) {
        const double share = (tile + 0.5) / tiles;
        ticks.push_back(static_cast<int>(costs == "even"     ? 4e5
                                         : costs == "causal" ? 8e5 * (1 - share)
                                                             : 8e4 * std::pow(std::fmod(share * 997, 1.0), -0.7)));
      }
      const row_major order{{1, tiles}};
      in_every_schedule([&](auto kind) {
        const recipe by{.schedule = kind(), .run = 8};
        if (kind() == recipe::cluster_launch) return;  // before sm_100 it is one_shot
        trace::summary all;
        const auto is_near = [&] { return std::abs(all.predicted - all.time) <= (std::max)(0.03 * all.time, 5000.0); };
        int turn = 0;
        do {  // another program may have the GPU for a while
          device_array<char> state(detail::all_schedules::state_bytes(), 0);
          all = summary_of(detail::scheduler_of<kind()>(order, state.data(), by.run), ticks, by);
        } while (!is_near() && ++turn < 5);
        CAPTURE(tiles, costs, to_string(by), all.time, all.predicted, all.predicted / all.time - 1);
        CHECK(is_near());
      });
    }
  }
}

namespace {

/// A flag that tiles pass on: tile i waits for it, and sets it for tile i + 1, which another multiprocessor has.
template <tile_scheduler Scheduler>
__global__ void pass_on(const __grid_constant__ Scheduler scheduler, unsigned* flag) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for (auto at = scheduler.tiles(smem); at; ++at) {
    if (threadIdx.x != 0) continue;
    const auto mine = static_cast<unsigned>(at.index());
    while (*static_cast<volatile unsigned*>(flag) != mine) {
    }
    atomicExch(flag, mine + 1);
  }
}

}  // namespace

GPU_TEST("Times of multiprocessors that pass a flag are in its order within the skew on the GPU", "[trace]") {
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  const int rounds = kernels_overlap() ? 20 : 1;
  stream on;
  for (int turn = 0; turn < 3; ++turn) {
    buffer_on_device log({.blocks = processors, .tiles = rounds});
    const row_major order{{rounds, processors}};
    const traced scheduler{strided{order}, log.get()};
    device_array<unsigned> flag(1, 0);
    const auto kernel = pass_on<traced<strided<row_major>>>;
    // All shared memory of a multiprocessor: one block on each.
    int smem = 0;
    check(cudaDeviceGetAttribute(&smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    const launch_config grid = scheduler.grid(kernel, 32, static_cast<std::size_t>(smem) - 1024);
    check(grid.error);
    REQUIRE(static_cast<int>(grid.config.gridDim.x) == processors);
    check(launch(grid, on, kernel, scheduler, flag.data()));
    finish(on);
    const trace::report report = log.read(on);
    REQUIRE(report.launches.size() == 1);
    CHECK(wrong_with(report, 0, order.size()) == "");
    std::vector<double> ends(static_cast<std::size_t>(order.size()));
    for (const auto& slice : report.slices) ends[static_cast<std::size_t>(slice.index)] = slice.end;
    std::vector<double> hops;
    for (std::size_t i = 1; i < ends.size(); ++i) hops.push_back(ends[i] - ends[i - 1]);
    std::sort(hops.begin(), hops.end());
    const double skew = report.launches[0].skew;
    std::printf("a flag from SM to SM: least %.0f, median %.0f, most %.0f ns; timer step %.0f, skew %.0f ns\n",
                hops.front(), hops[hops.size() / 2], hops.back(), report.step, skew);
    if (kernels_overlap()) CHECK(hops.front() > -skew);  // under a tool clocks wander long between two readings
  }
}

GPU_TEST("A buffer in memory of the host is refused by name", "[trace]") {
  const trace::room room{.blocks = 4, .tiles = 4};
  std::vector<unsigned long long> pageable(room.bytes() / 8 + 2);
  void* begin = pageable.data() + (reinterpret_cast<std::size_t>(pageable.data()) % 16 == 0 ? 0 : 1);
  void* pinned = nullptr;
  check(cudaMallocHost(&pinned, room.bytes()));
  for (void* memory : {begin, pinned}) {
    const traced scheduler{strided{row_major{{2, 2}}}, trace::buffer{room, memory, room.bytes()}};
    CHECK(refusal([&] { (void)scheduler.grid(in_a_loop<traced<strided<row_major>>>, block_threads); }) ==
          "heddle::traced: the memory of the buffer is not on the device");
  }
  check(cudaFreeHost(pinned));
  check(cudaGetLastError());
}

GPU_TEST("A trace is not read on a stream that is being captured on the GPU", "[trace]") {
  stream on;
  buffer_on_device log({.blocks = 4, .tiles = 4});
  const captured_graph graph(on, [&] { CHECK(trace::read(log.get(), on).error == cudaErrorStreamCaptureUnsupported); });
  CHECK(graph.nodes() == 0);
}
