#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <string>
#include <vector>

#include <heddle/concepts.hpp>

#include "common/device.hpp"

// The two kernels with which a strategy is timed, and what a contestant is.

namespace heddle_bench {

struct contestant {
  std::string name;
  double bytes;  // of memory, without the counts of the sources and the items
  std::function<void()> run;
  int at_once = 1;  // runs that are timed together
  std::vector<float> warm{}, cold{};
};

constexpr int of_pass_1 = 128, of_pass_2 = 256;  // threads per block
constexpr unsigned few = 1 << 20;                // sources

/// Returns the sources per thread of the first pass. More of them mean fewer blocks that wait for their addition; too
/// few blocks leave multiprocessors idle.
constexpr unsigned at_once(unsigned sources) {
  return sources < few ? 4 : 8;
}

// Static, since a file of relocatable code needs its own copy.

/// The first pass, with at most 48 registers, so that ten blocks fit in a multiprocessor.
template <unsigned AtOnce, heddle::expander Work>
static __global__ void __launch_bounds__(of_pass_1, 10)
    produce(const __grid_constant__ Work work, const unsigned* n, unsigned size) {
  __shared__ typename Work::push_storage smem;
  unsigned sources[AtOnce], of_each[AtOnce];
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x / 32 * 32) * AtOnce + threadIdx.x % 32;
#pragma unroll
  for (unsigned i = 0; i < AtOnce; ++i) {  // one row of 32 after another, warp by warp
    sources[i] = first + i * 32;
    of_each[i] = sources[i] < size ? n[sources[i]] : 0;
  }
  work.push(smem, sources, of_each);
}

template <heddle::expander Work, class Use>
static __global__ void consume(const __grid_constant__ Work work, Use use) {
  __shared__ typename Work::storage smem;
  for (auto place = work.items(smem); place; ++place) use(place.slot(), *place);
}

}  // namespace heddle_bench
