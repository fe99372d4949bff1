// Chooses the block size of a simple kernel by timing a few, and remembers which it was.

#include <cuda_runtime.h>

#include <cstdio>
#include <string>
#include <vector>

#include <heddle/choose.hpp>

#include "../common/cuda.hpp"

/// Doubles every number.
__global__ void twice(float* numbers, long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) numbers[i] *= 2;
}

int main() try {
  if (!has_gpu("08_choose")) return skipped;
  const device_array<float> numbers(std::vector<float>(1 << 24, 0.0f));
  const cudaStream_t stream = nullptr;

  std::vector<heddle::candidate<int>> candidates;
  for (const int threads : {256, 128, 512, 64, 1024}) candidates.push_back({threads, 0, std::to_string(threads)});
  const auto launch = [&](int threads, cudaStream_t on) {
    const auto count = static_cast<long long>(numbers.size());
    twice<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, on>>>(numbers.data(), count);
    return cudaGetLastError();
  };
  const auto found = heddle::choose(candidates, launch, stream, {.most = 5});
  check(found.error);
  for (const auto& each : found.timed) {
    std::printf("%4d threads: %.1f us, %zu bursts\n", candidates[each.index].value, 1e6 * each.seconds,
                each.bursts.size());
  }
  std::printf("chosen: %d threads; differences below %.2f %% are noise\n", found.value, 100 * found.noise);

  // Asked again, here or in another process, the file knows.
  const auto [machine, error] = heddle::current_machine();
  check(error);
  const heddle::wisdom_key key{machine, "twice 1", {"twice", numbers.size(), "fp32"}};
  heddle::wisdom known("08_choose.json");
  const auto again = known.choose(key, candidates, launch, stream, {.most = 5});
  check(again.error);
  if (!known.message().empty()) std::printf("%s\n", known.message().c_str());
  std::printf("%d threads, %s\n", again.value, again.remembered ? "remembered" : "timed and remembered");
  const bool is_right = known.find(key) != nullptr && known.find(key)->chosen == std::to_string(again.value) &&
                        found.seconds <= found.timed.front().seconds;
  return is_right ? 0 : 1;
} catch (const std::exception& error) {
  return failed("08_choose", error);
}
