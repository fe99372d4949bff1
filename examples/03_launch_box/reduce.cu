// A kernel that is tuned per architecture, and a launch with the parameters of the loaded code.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include <heddle/launch/compiled_params.hpp>
#include <heddle/launch/occupancy.hpp>

#include "../common/cuda.hpp"

struct sum_box {
  struct params {
    int threads, min_blocks, values;
  };
  HEDDLE_FN params operator()(heddle::arch target) const {
    return heddle::box_match<params>(target, {{80, {256, 0, 8}}, {90, {512, 0, 8}}, {{90, 'a'}, {512, 2, 16}}});
  }
};

/// Adds up `threads * values` numbers per block.
template <heddle::launch_box Box>
__global__ __launch_bounds__(heddle::box_params<Box>().threads,
                             heddle::box_params<Box>().min_blocks) void sum(const int* numbers, int count,
                                                                            unsigned long long* total) {
  constexpr auto tuned = heddle::box_params<Box>();
  const int first = static_cast<int>(blockIdx.x) * tuned.threads * tuned.values + static_cast<int>(threadIdx.x);
  int values[tuned.values], mine = 0;
#pragma unroll
  for (int i = 0; i < tuned.values; ++i) {
    const int at = first + i * tuned.threads;
    values[i] = at < count ? numbers[at] : 0;
  }
#pragma unroll
  for (int i = 0; i < tuned.values; ++i) mine += values[i];
  mine = __reduce_add_sync(0xffffffff, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(total, static_cast<unsigned long long>(mine));
}

int main() try {
  if (!has_gpu("03_launch_box")) return skipped;
  std::vector<int> numbers(10'000'019);
  unsigned long long expected = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    expected += static_cast<unsigned>(numbers[i] = static_cast<int>(i * 7919 % 1000));

  const device_array<int> on_device(numbers);
  const device_array<unsigned long long> total(1, 0);
  const int count = static_cast<int>(numbers.size());

  const auto [tuned, error] = heddle::compiled_params<sum_box>(sum<sum_box>);
  if (error != cudaSuccess) {
    std::fprintf(stderr, "%s\n", heddle::explain_params<sum_box>(sum<sum_box>).c_str());
    return 1;
  }
  const int of_a_block = tuned.threads * tuned.values, blocks = (count + of_a_block - 1) / of_a_block;
  sum<sum_box><<<blocks, tuned.threads>>>(on_device.data(), count, total.data());
  check(cudaGetLastError());
  const unsigned long long result = total.read()[0];

  const auto [fits, not_known] = heddle::occupancy_of(sum<sum_box>, tuned.threads);
  check(not_known);
  const auto [target, not_found] = heddle::compiled_arch();
  check(not_found);
  std::printf("compiled for sm_%d%c: %d threads, %d values a thread\n%s\n%.1f waves\n", target.capability,
              target.suffix == '\0' ? ' ' : target.suffix, tuned.threads, tuned.values, fits.text().c_str(),
              fits.waves(blocks));
  std::printf("sum %llu, %s\n", result, result == expected ? "right" : "wrong");
  return result == expected ? 0 : 1;
} catch (const std::exception& error) {
  return failed("03_launch_box", error);
}
