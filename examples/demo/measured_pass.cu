#include <algorithm>
#include <memory>

#include "convolution/passes.hpp"
#include "measured.hpp"

// A level of the denoiser, in milliseconds.

namespace {

using namespace convolution;

/// Pixels that differ from one to the next.
__global__ void fill(image<float4> out) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  if (x >= out.width) return;
  const auto noise = [&](int of) { return static_cast<float>((x * 131 + y * 257 + of * 71) % 1021) / 1021; };
  out(x, y) = {noise(0), noise(1), noise(2), noise(3)};
}

struct pixels {
  explicit pixels(const heddle::predict::stencil_problem& pass) : view{nullptr, pass.cols, pass.rows, pass.cols} {
    error = cudaMalloc(&view.pixels,
                       sizeof(float4) * static_cast<std::size_t>(pass.rows) * static_cast<std::size_t>(pass.cols));
    if (error != cudaSuccess) return;
    const dim3 blocks((static_cast<unsigned>(pass.cols) + 255) / 256, static_cast<unsigned>(pass.rows));
    fill<<<blocks, 256>>>(view);
    error = cudaGetLastError();
  }
  pixels(const pixels&) = delete;
  ~pixels() { cudaFree(view.pixels); }

  memory_source<float4> source() const { return {{view.pixels, view.width, view.height, view.pitch}}; }

  image<float4> view;
  cudaError_t error;
};

/// The median of seven, of several launches each.
template <class Enqueue>
cudaError_t time_of(const Enqueue& enqueue, double& milliseconds) {
  constexpr int launches = 3;
  cudaEvent_t begin = nullptr, end = nullptr;
  cudaError_t error = cudaEventCreate(&begin);
  if (error == cudaSuccess) error = cudaEventCreate(&end);
  if (error == cudaSuccess) error = enqueue();
  std::vector<float> times(7);
  for (float& each : times) {
    if (error == cudaSuccess) error = cudaEventRecord(begin);
    for (int i = 0; i < launches && error == cudaSuccess; ++i) error = enqueue();
    if (error == cudaSuccess) error = cudaEventRecord(end);
    if (error == cudaSuccess) error = cudaEventSynchronize(end);
    if (error == cudaSuccess) error = cudaEventElapsedTime(&each, begin, end);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  milliseconds = static_cast<double>(times[times.size() / 2]) / launches;
  return error;
}

}  // namespace

demo::pass_measurement demo::measure_pass(const heddle::predict::stencil_problem& pass,
                                          const std::vector<heddle::predict::advice>& choices) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return {"", "there is no CUDA GPU", {}};
  cudaDeviceProp gpu;
  if (cudaGetDeviceProperties(&gpu, 0) != cudaSuccess) return {"", "the GPU does not answer", {}};
  if (gpu.major != 9 || gpu.minor != 0) return {"", std::string(gpu.name) + " is no Hopper", {}};
  const pixels color(pass), surface(pass), out(pass);
  const atrous_inputs<memory_source<float4>> in{color.source(), surface.source(), pass.step, 4, 2, 4};
  pass_measurement result{gpu.name, "", {}};
  cudaError_t error = std::max({color.error, surface.error, out.error});  // success is 0
  for (const heddle::predict::advice& choice : choices) {
    const placed by({choice, choice.schedule, choice.run}, pass.grid());
    if (error == cudaSuccess) error = by.error();
    double milliseconds = 0;
    if (error == cudaSuccess) {
      error = time_of([&] { return enqueue_atrous(by, in, out.view, nullptr); }, milliseconds);
    }
    result.times.push_back({to_string(choice), milliseconds});
  }
  if (error != cudaSuccess) return {"", cudaGetErrorString(error), {}};
  return result;
}
