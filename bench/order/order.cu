// Measures what an order costs: ns per mapped tile, on the host and on a GPU.
//
//   host        one thread, index to tile
//   gpu         every thread of a full GPU maps its own indices: throughput of the arithmetic
//   gpu_chain   one thread, each index from the tile before: latency of a block's next tile
//
// `index` is the kernel without an order: subtract it.

#include <benchmark/benchmark.h>

#include <heddle/order.hpp>
#include <heddle/schedule.hpp>

#include "common/google_benchmark.hpp"

using namespace heddle;
using namespace heddle_bench;

namespace {

constexpr extent grid{96, 131};  // no power of two anywhere
constexpr int width = 7;

/// In place of an order: what the loops around it cost.
struct index_only {
  HEDDLE_FN int size() const { return 96 * 131; }
  HEDDLE_FN coord operator()(int i) const { return {i, i}; }
};

template <class Order>
void on_host(benchmark::State& state, Order order) {
  int i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(order(i));
    if (++i == order.size()) i = 0;
  }
}

constexpr int mapped_by_a_thread = 512;

template <class Order>
__global__ void throughput(const __grid_constant__ Order order, int* sums) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int i = thread % order.size(), sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < mapped_by_a_thread; ++turn) {
    const auto [row, col] = order(i);
    sum += row ^ col;
    if (++i == order.size()) i = 0;
  }
  sums[thread] = sum;
}

template <class Order>
__global__ void chain(const __grid_constant__ Order order, int* last, long long* cycles) {
  int i = 1;
  const long long begin = clock64();
#pragma unroll 1
  for (int turn = 0; turn < mapped_by_a_thread; ++turn) {
    const auto [row, col] = order(i);
    i += 1 + ((row | col) >> 31);  // one more; opaque to the optimiser
    if (i >= order.size()) i = 0;
  }
  *cycles = clock64() - begin;
  *last = i;
}

template <class Order>
void on_gpu(benchmark::State& state, Order order) {
  constexpr int threads = 256;
  int blocks = 0, processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, throughput<Order>, threads, 0));
  blocks *= processors;
  const device_array<int> sums(static_cast<std::size_t>(blocks) * threads);
  const double mapped = 1.0 * blocks * threads * mapped_by_a_thread;
  state.counters["ps_per_tile"] =
      mean_seconds(state, [&] { throughput<<<blocks, threads>>>(order, sums.data()); }) / mapped * 1e12;
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, throughput<Order>));
  state.counters["registers"] = attributes.numRegs;
}

template <class Order>
void on_gpu_chain(benchmark::State& state, Order order) {
  const device_array<int> last(1);
  const device_array<long long> cycles(1);
  event_timer timer;
  const auto run = [&] { chain<<<1, 1>>>(order, last.data(), cycles.data()); };
  timer.seconds(run);
  long long sum = 0;
  for (auto _ : state) {
    state.SetIterationTime(timer.seconds(run));
    sum += cycles.first();
  }
  state.counters["cycles_per_tile"] = 1.0 * sum / state.iterations() / mapped_by_a_thread;
}

template <class Order>
void add_on_host(const std::string& name, Order order) {
  benchmark::RegisterBenchmark(("host/" + name).c_str(), [=](benchmark::State& s) { on_host(s, order); });
}

template <class Order>
void add_on_gpu(const std::string& name, Order order) {
  add_timed("gpu/" + name, [=](benchmark::State& s) { on_gpu(s, order); });
  add_timed("gpu_chain/" + name, [=](benchmark::State& s) { on_gpu_chain(s, order); });
}

}  // namespace

int main(int count, char** arguments) {
  initialize(count, arguments);
  const bool gpu = has_gpu(program_invocation_short_name);
  const auto add = [&](const std::string& name, const auto& order) {
    add_on_host(name, order);
    if (gpu) add_on_gpu(name, order);
  };
  add("index", index_only{});
  add("row_major", row_major{grid});
  add("thread_group_tiling", thread_group_tiling{grid, width, axis::x});
  add("cta_swizzle", cta_swizzle{grid, width, axis::x});
  add("constant_row_major", constant_order<row_major, 96, 131>{});
  add("constant_thread_group_tiling", constant_order<thread_group_tiling, 96, 131, width, axis::x>{});
  add("constant_cta_swizzle", constant_order<cta_swizzle, 96, 131, width, axis::x>{});
  add("hilbert", hilbert{grid});
  add("morton", morton{grid});
  add("dilated", dilated{grid, {4, 4}, 2});

  const tile_table::entries entries = make_tile_table(hilbert{grid});
  const auto size = static_cast<std::size_t>(entries.size());
  std::optional<device_array<tile_table::entry>> on_device;
  add_on_host("tile_table", tile_table{grid, entries.data()});
  if (gpu) {
    on_device.emplace(size).copy_from(entries.data(), size);
    add_on_gpu("tile_table", tile_table{grid, on_device->data()});
  }

  benchmark::RunSpecifiedBenchmarks();
  return gpu ? 0 : skipped;
}
