// Measures what orders of spaces cost, and what groups of sizes on the device cost before a launch.
//
//   tiles     ns per tile of 10^6 empty tiles, the launch included: `ticket` with as many blocks of 128 threads as are
//             resident, and as many such blocks over the items of an expansion
//   single    the same with one block per multiprocessor: how long a block waits for its next tile
//   blocks    the same with one block per tile, and blocks without a tile where only a bound is known
//   prepare   what a preparation adds to a graph of one small kernel, in us per replay: with_us and alone_us, in turns,
//             and added_us, the difference of their medians. 131072 rows in tiles of 128, and eight columns of tiles;
//             by where groups end, and by their lengths in 64 bits; a strategy of expansion pushes each group, with as
//             many items as it has tiles; costly_first has a tile per group, which costs its rows
//
// Uneven groups have rows in proportion to 1, 1/2, 1/3 and so on. The time of `tiles` and its like excludes the
// preparation and the first pass of an expansion.

#include <benchmark/benchmark.h>

#include <heddle/expand.hpp>
#include <heddle/order.hpp>
#include <heddle/schedule.hpp>

#include "../../examples/common/stream.hpp"
#include "common/google_benchmark.hpp"

using namespace heddle;
using namespace heddle_bench;

namespace {

constexpr int threads = 128;

__device__ void body(coord tile) {
  asm volatile("" ::"r"(tile.row), "r"(tile.col));
}
__device__ void body(batch_coord tile) {
  asm volatile("" ::"r"(tile.batch), "r"(tile.row), "r"(tile.col));
}
__device__ void body(group_coord tile) {
  asm volatile("" ::"r"(tile.group), "r"(tile.row), "r"(tile.col));
}
__device__ void body(item one) {
  asm volatile("" ::"r"(one.source), "r"(one.rank));
}

template <class Scheduler>
__global__ void walk(const __grid_constant__ Scheduler scheduler) {
  __shared__ typename Scheduler::storage smem;
  for (const auto tile : scheduler.tiles(smem)) body(tile);
}

template <class Work>
__global__ void walk_items(const __grid_constant__ Work work) {
  __shared__ typename Work::storage smem;
  for (const auto one : work.template items<granularity::block>(smem)) body(one);
}

/// The first pass of an expansion: a source per group.
template <class Work>
__global__ void push_groups(const __grid_constant__ Work work, const int* ends, int groups, int tile_rows, int cols) {
  const int group = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int rows = group < groups ? ends[group] - (group > 0 ? ends[group - 1] : 0) : 0;
  __shared__ typename Work::push_storage smem;
  work.push(smem, static_cast<unsigned>(group), static_cast<unsigned>((rows + tile_rows - 1) / tile_rows * cols));
}

/// The small kernel of a graph. It reads a word of what is prepared before it.
__global__ void small(const int* from, int* to) {
  *to = *from;
}

/// Keeps the device busy while the host enqueues what is timed.
__global__ void busy() {
  const long long begin = clock64();
  while (clock64() - begin < 100'000) continue;
}

/// Where each group ends if the groups have so many rows together: all alike, or in proportion to 1, 1/2, 1/3 and so
/// on.
std::vector<int> ends_of(int groups, int rows, bool even) {
  const auto share = [&](int group) { return even ? 1.0 : 1.0 / (1 + 7919LL * group % groups); };
  double all = 0, before = 0;
  for (int group = 0; group < groups; ++group) all += share(group);
  std::vector<int> ends(static_cast<std::size_t>(groups));
  for (int group = 0; group < groups; ++group) {
    before += share(group);
    ends[static_cast<std::size_t>(group)] = static_cast<int>(rows * (before / all) + 1e-6);
  }
  ends.back() = rows;
  return ends;
}

/// Groups on the device: their shape, and where each ends.
struct sized_groups {
  group_shape shape;
  device_array<int> ends;
  device_array<long long> lengths;

  sized_groups(group_shape of, const std::vector<int>& all_ends)
      : shape(of), ends(all_ends.size()), lengths(all_ends.size()) {
    std::vector<long long> all_lengths;
    for (std::size_t i = 0; i < all_ends.size(); ++i)
      all_lengths.push_back(all_ends[i] - (i > 0 ? all_ends[i - 1] : 0));
    ends.copy_from(all_ends.data(), all_ends.size());
    lengths.copy_from(all_lengths.data(), all_lengths.size());
  }
};

/// What a tile costs: the rows of a group.
struct rows_of_group {
  const long long* lengths;
  __device__ long long operator()(coord tile) const { return lengths[tile.row]; }
};

/// An order over groups, with its state.
struct prepared_order {
  device_array<char> state;
  grouped order;

  prepared_order(const sized_groups& of, group_sequence sequence)
      : state(grouped::state_bytes(of.shape)), order(of.shape, state.data(), 8, axis::y, sequence) {
    check(order.prepare_async(of.ends.data(), nullptr));
  }

  /// The number of tiles. Wrong ends or a wrong number end the program.
  int tiles(int expected) const {
    prepared_groups found;
    check(cudaMemcpy(&found, state.data(), sizeof found, cudaMemcpyDeviceToHost));
    if (found.wrong != 0 || found.tiles != expected) refuse("a preparation found other tiles");
    return found.tiles;
  }
};

/// A strategy of expansion over groups, with its state.
template <class Work>
struct expanded_groups {
  const sized_groups& of;
  expansion room;
  device_array<char> state;
  Work work;

  explicit expanded_groups(const sized_groups& groups)
      : of(groups),
        room(room_for_launch(blocks(), threads, 1, 1ull * groups.shape.most_row_tiles() * groups.shape.cols)),
        state(Work::state_bytes(room)),
        work(room, state.data()) {}

  unsigned blocks() const { return static_cast<unsigned>((of.shape.groups - 1) / threads + 1); }

  void push(cudaStream_t on) const {
    check(work.begin_async(on));
    push_groups<<<blocks(), threads, 0, on>>>(work, of.ends.data(), static_cast<int>(of.shape.groups),
                                              static_cast<int>(of.shape.tile_rows), static_cast<int>(of.shape.cols));
    check(cudaGetLastError());
  }

  /// The number of items. A wrong number ends the program.
  int items(int expected) const {
    typename Work::totals totals;
    check(cudaMemcpy(&totals, work.state(), sizeof totals, cudaMemcpyDeviceToHost));
    if (work.required(totals).items != static_cast<unsigned long long>(expected)) {
      refuse("a first pass pushed other items");
    }
    return expected;
  }
};

/// Returns the time of one replay on the device, in microseconds.
double microseconds(const captured_graph& graph, event_timer& timer) {
  busy<<<1, 1>>>();
  return 1e3 * static_cast<double>(timer.milliseconds([&] { graph.replay(); }));
}

template <class Enqueue>
void add_tiles(const std::string& name, int tiles, Enqueue enqueue) {
  add_timed(name, [=](benchmark::State& state) {
    state.counters["ns_per_tile"] = mean_seconds(state, enqueue) / tiles * 1e9;
  });
}

/// Adds a launch as `grid` says, and one with a block per multiprocessor.
template <class... Params, class Policy>
void add_forms(const std::string& name, int tiles, const launch_config& grid, void (*kernel)(Params...),
               const Policy& policy) {
  check(grid.error);
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  for (const bool single : {false, true}) {
    launch_config here = grid;
    if (single) here.config.gridDim.x = static_cast<unsigned>(processors);
    add_tiles((single ? "single/" : "tiles/") + name, tiles, [=] { check(launch(here, nullptr, kernel, policy)); });
  }
}

template <class Order>
void add_drawn(const std::string& name, int tiles, const Order& order, void* tickets) {
  const ticket scheduler{order, tickets};
  add_forms(name, tiles, scheduler.grid(walk<ticket<Order>>, threads), walk<ticket<Order>>, scheduler);
}

template <class Order>
void add_blocks(const std::string& name, int tiles, const Order& order) {
  const one_shot scheduler{order};
  const launch_config grid = scheduler.grid(walk<one_shot<Order>>, threads);
  check(grid.error);
  add_tiles("blocks/" + name, tiles, [=] { check(launch(grid, nullptr, walk<one_shot<Order>>, scheduler)); });
}

/// Adds what `prepare` costs. `word` is in the memory that it writes.
template <class Prepare>
void add_preparation(const std::string& name, const void* word, int* sink, Prepare prepare) {
  const auto run_small = [=](cudaStream_t on) {
    small<<<1, 1, 0, on>>>(static_cast<const int*>(word), sink);
    check(cudaGetLastError());
  };
  const auto alone = std::make_shared<captured_graph>(run_small);
  const auto with = std::make_shared<captured_graph>([=](cudaStream_t on) {
    prepare(on);
    run_small(on);
  });
  add_timed("prepare/" + name, [=](benchmark::State& state) {
    event_timer timer;
    microseconds(*alone, timer);
    microseconds(*with, timer);
    std::vector<double> of_alone, of_with;
    for (auto _ : state) {
      of_alone.push_back(microseconds(*alone, timer));
      of_with.push_back(microseconds(*with, timer));
      state.SetIterationTime(of_with.back() * 1e-6);
    }
    state.counters["alone_us"] = median(of_alone);
    state.counters["with_us"] = median(of_with);
    state.counters["added_us"] = median(of_with) - median(of_alone);
  })->Iterations(300);
}

template <class Value>
using many = std::vector<std::unique_ptr<Value>>;

template <class Value, class... Args>
const Value& keep(many<Value>& in, Args&&... args) {
  in.push_back(std::make_unique<Value>(args...));
  return *in.back();
}

}  // namespace

int main(int count, char** arguments) {
  initialize(count, arguments);
  if (!has_gpu(program_invocation_short_name)) return skipped;

  // What the benchmarks use lives until they have run.
  const device_array<char> state_of_tickets(ticket<>::state_bytes());
  const device_array<int> sink(1);
  state_of_tickets.set_bytes(0);
  void* const tickets = state_of_tickets.data();
  many<sized_groups> groups;
  many<prepared_order> orders;
  many<device_array<char>> states;
  many<expanded_groups<append>> appended;
  many<expanded_groups<packed_prefix>> packed;

  constexpr int tiles = 1'000'000;
  const row_major raster{{1000, 1000}};
  const thread_group_tiling bands{{100, 250}, 8, axis::x};
  const triangle below{1413};  // 998 991 tiles
  add_drawn("row_major", tiles, raster, tickets);
  add_drawn("thread_group_tiling", tiles, thread_group_tiling{{1000, 1000}, 8, axis::x}, tickets);
  add_drawn("batched", tiles, batched{bands, 40}, tickets);
  add_drawn("batched_in_turn", tiles, batched{bands, 40, 8}, tickets);
  add_drawn("triangular", below.size(), triangular{thread_group_tiling{below.folded(), 8, axis::x}, below}, tickets);
  add_blocks("row_major", tiles, raster);
  for (const bool even : {true, false}) {
    // 250 groups of 250 000 rows of tiles together, each of whole tiles, and four columns.
    constexpr int tile_rows = 100;
    std::vector<int> ends = ends_of(250, 250'000, even);
    for (int& end : ends) end *= tile_rows;
    const group_shape shape{.rows = ends.back(), .groups = 250, .tile_rows = tile_rows, .cols = 4};
    const sized_groups& here = keep(groups, shape, ends);
    const std::string how = even ? "_even" : "_uneven";
    const auto add_grouped = [&](const std::string& name, group_sequence sequence) {
      const prepared_order& prepared = keep(orders, here, sequence);
      add_drawn(name, prepared.tiles(tiles), prepared.order, tickets);
      add_blocks(name, tiles, prepared.order);
    };
    add_grouped("grouped" + how, group_sequence::as_numbered);
    if (!even) add_grouped("grouped_heaviest_first", group_sequence::heaviest_first);
    const auto add_items = [&](const std::string& name, const auto& of) {
      of.push(nullptr);
      using work = decltype(of.work);
      add_forms(name, of.items(tiles), of.work.grid(walk_items<work>, threads), walk_items<work>, of.work);
    };
    add_items("items_append" + how, keep(appended, here));
    add_items("items_packed_prefix" + how, keep(packed, here));
  }

  for (const int number : {1, 64, 256, 1024, 16384}) {
    constexpr int rows = 131072;
    const group_shape shape{.rows = rows, .groups = number, .tile_rows = 128, .cols = 8};
    const std::vector<int> ends = ends_of(number, rows, /*even*/ false);
    const sized_groups& here = keep(groups, shape, ends);
    const std::string begin = std::to_string(number) + "/";
    for (const auto sequence : {group_sequence::as_numbered, group_sequence::heaviest_first}) {
      const prepared_order& prepared = keep(orders, here, sequence);
      add_preparation(begin + (sequence == group_sequence::as_numbered ? "as_numbered" : "heaviest_first"),
                      prepared.state.data(), sink.data(),
                      [&](cudaStream_t on) { check(prepared.order.prepare_async(here.ends.data(), on)); });
    }
    const prepared_order& by_lengths = keep(orders, here, group_sequence::as_numbered);
    add_preparation(begin + "as_numbered_by_lengths", by_lengths.state.data(), sink.data(), [&](cudaStream_t on) {
      check(by_lengths.order.prepare_async(group_rows::lengths(here.lengths.data()), on));
    });
    const row_major column{{number, 1}};
    const device_array<char>& state = keep(states, costly_first<row_major>::state_bytes(column));
    const costly_first costly{column, state.data()};
    add_preparation(begin + "costly_first", state.data(), sink.data(), [=, &here](cudaStream_t on) {
      check(costly.prepare_async(rows_of_group{here.lengths.data()}, on));
    });
    const auto add_push = [&](const std::string& name, const auto& of) {
      add_preparation(begin + name, of.state.data(), sink.data(), [&](cudaStream_t on) { of.push(on); });
    };
    add_push("append", keep(appended, here));
    add_push("packed_prefix", keep(packed, here));
  }

  benchmark::RunSpecifiedBenchmarks();
}
