#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>

#include "05_reorder/path.hpp"
#include "on_gpu.cuh"

// Paths through a switch: with threads as they are, and with threads sorted by the branch that they take.

namespace {

using demo::branching;

constexpr unsigned paths = 1 << 22, bounces = 8;

using reorder = heddle::block_reorder<branching::threads, 3>;
using exchange = heddle::block_exchange<path, branching::threads>;
static_assert(exchange::words == branching::words);

enum class mode { plain, gated, always };

/// The path with the branch that it takes next.
__host__ __device__ path drawn(path on, const branching& by, unsigned bounce) {
  on.material = by.key(on.number, on.seed, bounce);
  return on;
}

template <mode Mode>
__global__ void trace(unsigned* light, branching by) {
  __shared__ heddle::static_shared<reorder::storage> ranks;
  __shared__ heddle::static_shared<exchange::storage> states;
  reorder by_material(ranks);
  heddle::coherence_gate gate = reorder::gate(branching::clocks, exchange::words);
  path mine = drawn(path_of(blockIdx.x * blockDim.x + threadIdx.x), by, 0);
  if constexpr (Mode == mode::gated) {
#pragma unroll 1
    for (unsigned bounce = 0;;) {
#pragma unroll 1
      for (const unsigned end = gate.until(bounce, bounces); bounce < end; ++bounce) {
        mine = drawn(bounced(mine), by, bounce + 1);
      }
      if (bounce == bounces) break;
      const auto [pays, rank, active] = by_material.rank_if(gate, mine.material);
      if (pays) mine = exchange(states).to(mine, rank);
    }
  } else {
#pragma unroll 1
    for (unsigned bounce = 0; bounce < bounces; ++bounce) {
      if constexpr (Mode == mode::always) mine = exchange(states).to(mine, by_material.rank(mine.material).rank);
      mine = drawn(bounced(mine), by, bounce + 1);
    }
  }
  light[mine.number] = mine.light;
}

unsigned light_of(unsigned number, const branching& by) {
  path on = drawn(path_of(number), by, 0);
  for (unsigned bounce = 0; bounce < bounces; ++bounce) on = drawn(bounced(on), by, bounce + 1);
  return on.light;
}

template <mode Mode>
void enqueue(const device_array<unsigned>& light, const branching& by) {
  trace<Mode><<<paths / branching::threads, branching::threads>>>(light.data(), by);
  check(cudaGetLastError());
}

demo::reordering_times times_of(const branching& by) {
  const device_array<unsigned> light(paths);
  const std::vector<std::function<void()>> contestants{[&] { enqueue<mode::plain>(light, by); },
                                                       [&] { enqueue<mode::gated>(light, by); },
                                                       [&] { enqueue<mode::always>(light, by); }};
  std::vector<unsigned> first;
  for (const auto& contestant : contestants) {
    light.fill(0xff);
    contestant();
    const std::vector<unsigned> found = light.read();
    if (first.empty()) first = found;
    bool is_right = found == first;
    for (unsigned number = 0; number < paths; number += 997) is_right &= found[number] == light_of(number, by);
    if (!is_right) throw std::runtime_error("the paths are wrong");
  }
  const std::vector<double> medians = demo::medians_of(contestants);
  return {medians[0], medians[1], medians[2]};
}

}  // namespace

demo::measurement<demo::reordering_times> demo::measure_reordering(const std::vector<branching>& all) {
  return on_gpu(any_gpu, [&] {
    std::vector<reordering_times> times;
    for (const branching& by : all) times.push_back(times_of(by));
    return times;
  });
}
