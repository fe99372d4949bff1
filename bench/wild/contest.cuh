#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../examples/common/stream.hpp"
#include "common/device.hpp"
#include "common/timing.hpp"

// Two forms of one kernel, as people write it and over a policy of heddle. Both leave the same words in the same
// memory.

namespace wild {

using heddle_bench::check;
using heddle_bench::device_array;
using words = device_array<unsigned>;

/// Memory that the functions of a contest share.
inline std::shared_ptr<words> make_words(std::size_t count) {
  return std::make_shared<words>(count);
}

/// What heddle says of a kernel, and the kernel by it.
struct advice {
  std::string by;
  std::function<void()> run;
};

struct contest {
  std::string kind, what, policy;  // of kernels; this one; what the pages of heddle recommend for it
  std::shared_ptr<words> result;
  std::function<void()> before, after;
  std::function<advice()> ask{};  // if heddle says beforehand what to do
};

/// Returns what a form takes, in seconds: the median of five bursts.
inline double seconds_of(const std::function<void()>& form) {
  heddle_bench::event_timer timer;
  std::vector<double> bursts;
  for (int round = 0; round < 5; ++round) bursts.push_back(1e-3 * timer.milliseconds_of_each(20, form));
  return heddle_bench::median(bursts);
}

/// Returns a function that replays a graph of what `enqueue` puts into the stream that it is given.
template <class Enqueue>
std::function<void()> replayed(const Enqueue& enqueue) {
  return [graph = std::make_shared<captured_graph>(enqueue), keep = enqueue] { graph->replay(); };
}

/// Spreads the bits of a number over all of them.
__host__ __device__ inline unsigned mix(unsigned bits) {
  bits = (bits ^ bits >> 16) * 0x7feb352du;
  bits = (bits ^ bits >> 15) * 0x846ca68bu;
  return bits ^ bits >> 16;
}

/// Returns a number from 0 to 1 for an index.
__host__ __device__ inline float unit(unsigned i) {
  return static_cast<float>(mix(i) >> 8) * 0x1p-24f;
}

/// Returns a number from 1 to `most` for an index, by a power law: half of them are below 3, and few are large.
__host__ __device__ inline unsigned skewed(unsigned i, unsigned most) {
  return static_cast<unsigned>(1 / (unit(i) + 1 / static_cast<float>(most)) + 0.5f);
}

/// Fills with numbers from 0 to 1.
__global__ void fill(float* values, std::size_t count) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all) {
    values[i] = unit(static_cast<unsigned>(i) * 0x9e3779b9u + 1);
  }
}

inline std::shared_ptr<words> make_floats(std::size_t count) {
  const auto made = make_words(count);
  fill<<<1024, 256>>>(reinterpret_cast<float*>(made->data()), count);
  check(cudaGetLastError());
  return made;
}

inline float* floats(const std::shared_ptr<words>& of) {
  return reinterpret_cast<float*>(of->data());
}

inline unsigned blocks_for(unsigned threads, unsigned of_block = 256) {
  return (threads - 1) / of_block + 1;
}

}  // namespace wild
