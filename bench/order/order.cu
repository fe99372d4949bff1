// What an order costs: ns for each tile mapped, on the host and on a GPU.
//
//   host        one thread, index to tile
//   gpu         every thread of a full GPU maps its own indices: what the arithmetic takes from the chip
//   gpu_chain   one thread, each index from the tile before: the latency that a block waits for its tile
//
// `index` is the kernel without an order, to be subtracted.

#include <benchmark/benchmark.h>

#include <heddle/heddle.hpp>

#include "common/gpu.hpp"
#include "common/timing.hpp"

using namespace heddle;
using heddle_bench::check;

namespace {

constexpr extent grid{96, 131};  // no power of two anywhere
constexpr int width = 7;

/// No order: what the loops around it cost.
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
    i += 1 + ((row | col) >> 31);  // always one more, which the compiler cannot know
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
  int* sums = nullptr;
  check(cudaMalloc(&sums, sizeof(int) * blocks * threads));
  heddle_bench::event_timer timer;
  timer.seconds([&] { throughput<<<blocks, threads>>>(order, sums); });
  const double mapped = 1.0 * blocks * threads * mapped_by_a_thread;
  double sum = 0;
  for (auto _ : state) {
    const double once = timer.seconds([&] { throughput<<<blocks, threads>>>(order, sums); });
    state.SetIterationTime(once);
    sum += once;
  }
  state.counters["ps_per_tile"] = sum / state.iterations() / mapped * 1e12;
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, throughput<Order>));
  state.counters["registers"] = attributes.numRegs;
  check(cudaFree(sums));
}

template <class Order>
void on_gpu_chain(benchmark::State& state, Order order) {
  int* last = nullptr;
  long long* cycles = nullptr;
  check(cudaMalloc(&last, sizeof(int)));
  check(cudaMalloc(&cycles, sizeof(long long)));
  heddle_bench::event_timer timer;
  timer.seconds([&] { chain<<<1, 1>>>(order, last, cycles); });
  long long sum = 0;
  for (auto _ : state) {
    state.SetIterationTime(timer.seconds([&] { chain<<<1, 1>>>(order, last, cycles); }));
    long long once = 0;
    check(cudaMemcpy(&once, cycles, sizeof once, cudaMemcpyDeviceToHost));
    sum += once;
  }
  state.counters["cycles_per_tile"] = 1.0 * sum / state.iterations() / mapped_by_a_thread;
  check(cudaFree(last));
  check(cudaFree(cycles));
}

template <class Order>
void add(const char* name, Order order, bool gpu) {
  const std::string suffix = name;
  if constexpr (!detail::is_same<Order, tile_table>) {
    benchmark::RegisterBenchmark(("host/" + suffix).c_str(), [=](benchmark::State& s) { on_host(s, order); });
  }
  if (!gpu) return;
  benchmark::RegisterBenchmark(("gpu/" + suffix).c_str(), [=](benchmark::State& s) { on_gpu(s, order); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark(("gpu_chain/" + suffix).c_str(), [=](benchmark::State& s) { on_gpu_chain(s, order); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const bool gpu = heddle_bench::has_gpu();

  add("index", index_only{}, gpu);
  add("row_major", row_major{grid}, gpu);
  add("thread_group_tiling", thread_group_tiling{grid, width, axis::x}, gpu);
  add("cta_swizzle", cta_swizzle{grid, width, axis::x}, gpu);
  add("constant_row_major", constant<row_major, 96, 131>{}, gpu);
  add("constant_thread_group_tiling", constant<thread_group_tiling, 96, 131, width, axis::x>{}, gpu);
  add("constant_cta_swizzle", constant<cta_swizzle, 96, 131, width, axis::x>{}, gpu);
  add("hilbert", hilbert{grid}, gpu);
  add("morton", morton{grid}, gpu);
  add("dilated", dilated{grid, {4, 4}, 2}, gpu);

  const tile_table::entries entries = make_tile_table(hilbert{grid});
  benchmark::RegisterBenchmark("host/tile_table", [&](benchmark::State& s) {
    on_host(s, tile_table{grid, entries.data()});
  });
  tile_table::entry* device = nullptr;
  if (gpu) {
    check(cudaMalloc(&device, entries.bytes()));
    check(cudaMemcpy(device, entries.data(), entries.bytes(), cudaMemcpyHostToDevice));
    add("tile_table", tile_table{grid, device}, gpu);
  }

  benchmark::RunSpecifiedBenchmarks();
  if (gpu) check(cudaFree(device));
}
