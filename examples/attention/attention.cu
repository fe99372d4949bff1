// Attention on Hopper, over orders and schedulers of heddle: checked against the portable kernel, and timed.

#include <heddle/order/column_major.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/schedule/draws_late.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>

#include <cmath>
#include <cstdio>

#include "../common/measure.hpp"
#include "on_any.cuh"
#include "on_hopper.cuh"
#include "section.hpp"

namespace {

using element = __nv_bfloat16;
constexpr int width = 128, heads = 16, all_tokens = 16384;
const attention::on_hopper<element, width> by;

/// Fills an array with sums of four uniform numbers: nearly normal, with a variance of 1.
__global__ void fill(element* to, unsigned count, unsigned seed) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    unsigned hash = (i + seed) * 2654435761u;
    hash = (hash ^ hash >> 15) * 2246822519u;
    hash ^= hash >> 13;
    int sum = -510;
    for (int byte = 0; byte < 32; byte += 8) sum += static_cast<int>(hash >> byte & 255);
    to[i] = __float2bfloat16(static_cast<float>(sum) / 148);
  }
}

/// The operands of a problem on the device.
struct pass {
  attention::problem p;
  std::size_t count = static_cast<std::size_t>(p.sequences * p.queries * heads * width);
  device_array<element> q{count}, k{count}, v{count}, o{count};

  explicit pass(const attention::problem& of) : p(of) {
    unsigned seed = 1;
    for (const auto* const each : {&q, &k, &v})
      fill<<<1024, 256>>>(each->data(), static_cast<unsigned>(count), seed += 77777);
    o.fill(0xff);  // NaN
  }
  attention::operands operands() const { return {q.data(), k.data(), v.data(), o.data(), nullptr}; }

  /// Returns how to enqueue the pass by a kernel over a scheduler.
  template <class Kernel, class Scheduler>
  auto over(const Kernel& kernel, const Scheduler& scheduler) const {
    return [=, grid = kernel.grid(scheduler), o = operands(), p = p] {
      return kernel.launch(grid, scheduler, p, o, nullptr);
    };
  }
};

attention::problem problem_of(int length, bool is_causal) {
  return {all_tokens / length,
          length,
          length,
          heads,
          heads,
          width,
          1 / std::sqrt(float{width}),
          attention::unlimited,
          is_causal ? 0 : attention::unlimited};
}

/// Returns whether both kernels make the same of a pass, but for the rounding of weights and results.
template <class Scheduler>
bool agree(const pass& some, const Scheduler& scheduler) {
  check(some.over(by, scheduler)());
  const std::vector<element> found = some.o.read();
  const attention::on_any<element, width> portable;
  check(some.over(portable, heddle::strided{heddle::column_major{portable.tiles(some.p)}})());
  const std::vector<element> expected = some.o.read();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const float difference = std::fabs(__bfloat162float(found[i]) - __bfloat162float(expected[i]));
    if (difference <= 0.02f + std::fabs(__bfloat162float(expected[i])) / 64) continue;
    return std::printf("element %zu: %f instead of %f\n", i, __bfloat162float(found[i]), __bfloat162float(expected[i])),
           false;
  }
  return true;
}

}  // namespace

int main() try {
  if (!has_gpu("attention", hopper_only)) return skipped;
  const device_array<char> draws(heddle::ticket<>::state_bytes(), 0);
  const auto [card, error] = heddle::current_device();
  check(error);
  std::printf("%d heads of %d elements, %d tokens, bf16, TFLOP/s\n         length  raster  in bands\n", heads, width,
              all_tokens);
  for (const bool is_causal : {true, false}) {
    for (int length = 1024; length <= all_tokens; length *= 2) {
      const pass some(problem_of(length, is_causal));
      const heddle::extent tiles = by.tiles(some.p);
      const heddle::thread_group_tiling bands{tiles, attention::section_of(some.p, false, card), heddle::axis::x};
      const heddle::draws_late longest_first{heddle::ticket{heddle::reversed{bands}, draws.data()}};
      if (length == 1024 && !agree(some, longest_first)) return 1;
      const float raster = median_time(9, some.over(by, heddle::one_shot{heddle::column_major{tiles}}));
      const float advised = is_causal ? median_time(9, some.over(by, longest_first))
                                      : median_time(9, some.over(by, heddle::strided{bands}));
      const double flops = (is_causal ? 2. : 4.) * all_tokens * length * heads * width;
      std::printf("%s  %6d  %6.0f  %8.0f\n", is_causal ? "causal" : "full  ", length, flops / raster / 1e9,
                  flops / advised / 1e9);
    }
  }
  return 0;
} catch (const std::exception& error) {
  return failed("attention", error);
}
