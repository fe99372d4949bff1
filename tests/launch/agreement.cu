// Compiled several times for different architectures, with ASK as the prefix of its functions. Reports the parameters
// that the host finds and those that the kernel has.

#include <cuda_runtime.h>

#include <cstdio>
#include <thread>
#include <vector>

#include <heddle/launch/compiled_params.hpp>

#include "agreement.hpp"

#define JOINED(name, suffix) name##suffix
#define NAMED(name, suffix) JOINED(name, suffix)

/// Parameters that differ for any two architectures.
struct telling_box {
  struct params {
    int threads, min_blocks, code;
  };
  HEDDLE_FN params operator()(heddle::arch target) const { return {32 * (1 + target.code() % 31), 0, target.code()}; }
};

/// Parameters that differ in all but the threads.
struct quiet_box {
  using params = telling_box::params;
  HEDDLE_FN params operator()(heddle::arch target) const { return {64, 0, target.code()}; }
};

struct said {
  int code, threads;
};

namespace NAMED(ASK, _kernels) {

  template <heddle::launch_box Box>
  __global__ __launch_bounds__(heddle::box_params<Box>().threads, heddle::box_params<Box>().min_blocks) void say(
      said * result) {
    constexpr auto tuned = heddle::box_params<Box>();
    if (threadIdx.x == 0) *result = {tuned.code, tuned.threads};
  }

}  // namespace )

/// A kernel with the same name in every compilation.
template <heddle::launch_box Box>
__global__ __launch_bounds__(heddle::box_params<Box>().threads) void say_under_one_name(said* result) {
  constexpr auto tuned = heddle::box_params<Box>();
  if (threadIdx.x == 0) *result = {tuned.code, tuned.threads};
}

/// A kernel with other launch bounds than the box.
template <heddle::launch_box Box>
__global__ __launch_bounds__(96) void say_something_else(said* result) {
  *result = {heddle::box_params<Box>().code, 96};
}

template <heddle::launch_box Box = telling_box>
static agreement ask_kernel(void (*kernel)(said*)) {
  agreement answer;
  const auto found = heddle::compiled_params<Box>(kernel);
  std::snprintf(answer.why, sizeof answer.why, "%s", heddle::explain_params<Box>(kernel).c_str());
  answer.host = heddle::compiled_arch().value.code();
  answer.host_threads = found.value.threads;
  answer.error = found.error;
  if (found.error != cudaSuccess) return answer;
  cudaFuncAttributes attributes;
  answer.error = cudaFuncGetAttributes(&attributes, kernel);
  answer.ptx_version = attributes.ptxVersion;
  said *device = nullptr, result{};
  if (answer.error == cudaSuccess) answer.error = cudaMalloc(&device, sizeof result);
  if (answer.error == cudaSuccess) {
    kernel<<<1, found.value.threads>>>(device);
    answer.error = cudaGetLastError();
  }
  if (answer.error == cudaSuccess) answer.error = cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(device);
  answer.device = result.code;
  answer.device_threads = result.threads;
  return answer;
}

agreement ASK() {
  return ask_kernel(NAMED(ASK, _kernels)::say<telling_box>);
}
agreement NAMED(ASK, _under_one_name)() {
  return ask_kernel(say_under_one_name<telling_box>);
}
agreement NAMED(ASK, _with_equal_threads)() {
  return ask_kernel<quiet_box>(say_under_one_name<quiet_box>);
}
agreement NAMED(ASK, _something_else)() {
  return ask_kernel(say_something_else<telling_box>);
}

/// Asks for the first time while a stream is captured. The kernel's answer comes from the replay.
agreement NAMED(ASK, _while_capturing)() {
  agreement answer;
  said *device = nullptr, result{};
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  const auto done = [&](cudaError_t error) { return (answer.error = error) == cudaSuccess; };
  if (!done(cudaMalloc(&device, sizeof result)) || !done(cudaStreamCreate(&stream))) return answer;
  if (!done(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal))) return answer;
  const auto found = heddle::compiled_params<telling_box>(NAMED(ASK, _kernels)::say<telling_box>);
  std::snprintf(answer.why, sizeof answer.why, "%s",
                heddle::explain_params<telling_box>(NAMED(ASK, _kernels)::say<telling_box>).c_str());
  answer.host = heddle::compiled_arch().value.code();
  answer.host_threads = found.value.threads;
  if (found.error == cudaSuccess) {
    NAMED(ASK, _kernels)::say<telling_box><<<1, found.value.threads, 0, stream>>>(device);
  }
  if (!done(cudaStreamEndCapture(stream, &graph)) || !done(found.error)) return answer;
  if (!done(cudaGraphInstantiate(&executable, graph, 0)) || !done(cudaGraphLaunch(executable, stream))) return answer;
  if (!done(cudaStreamSynchronize(stream))) return answer;
  if (!done(cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost))) return answer;
  answer.device = result.code;
  answer.device_threads = result.threads;
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(device);
  return answer;
}

/// Returns how many of 8 threads that ask for one kernel at once get an error or another answer than the first thread.
int NAMED(ASK, _at_once)() {
  std::vector<int> threads(8), errors(8);
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < 8; ++i) {
    all.emplace_back([&, i] {
      for (int turn = 0; turn < 1000; ++turn) {
        const auto found = heddle::compiled_params<telling_box>(say_under_one_name<telling_box>);
        errors[i] += found.error != cudaSuccess;
        threads[i] = found.value.threads;
      }
    });
  }
  for (std::thread& each : all) each.join();
  int different = 0;
  for (std::size_t i = 0; i < 8; ++i) different += threads[i] != threads[0] || errors[i] != 0;
  return different;
}
