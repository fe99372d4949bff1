#include "measured_pass.hpp"

#include <memory>

#include "convolution/passes.hpp"
#include "on_gpu.cuh"

// A level of the denoiser, in milliseconds.

namespace {

using namespace convolution;

/// Fills the image with pixels that differ from their neighbours.
__global__ void fill(image<float4> out) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  if (x >= out.width) return;
  const auto noise = [&](int of) { return static_cast<float>((x * 131 + y * 257 + of * 71) % 1021) / 1021; };
  out(x, y) = {noise(0), noise(1), noise(2), noise(3)};
}

struct pixels {
  explicit pixels(const heddle::predict::stencil_problem& pass)
      : memory(static_cast<std::size_t>(pass.rows) * static_cast<std::size_t>(pass.cols)),
        view{memory.data(), pass.cols, pass.rows, pass.cols} {
    const dim3 blocks((static_cast<unsigned>(pass.cols) + 255) / 256, static_cast<unsigned>(pass.rows));
    fill<<<blocks, 256>>>(view);
    check(cudaGetLastError());
  }

  memory_source<float4> source() const { return {{view.pixels, view.width, view.height, view.pitch}}; }

  device_array<float4> memory;
  image<float4> view;
};

}  // namespace

demo::measurement<demo::pass_time> demo::measure_pass(const heddle::predict::stencil_problem& pass,
                                                      const std::vector<heddle::recipe>& choices) {
  return on_gpu(any_gpu, [&] {
    const pixels color(pass), surface(pass), out(pass);
    const atrous_inputs<memory_source<float4>> in{color.source(), surface.source(), pass.step, 4, 2, 4};
    std::vector<std::unique_ptr<placed>> all;
    std::vector<std::function<void()>> contestants;
    for (const heddle::recipe& choice : choices) {
      all.push_back(std::make_unique<placed>(choice, pass.grid()));
      check(all.back()->error());
      contestants.push_back([&, by = all.back().get()] { check(enqueue_atrous(*by, in, out.view, nullptr)); });
    }
    const std::vector<double> medians = medians_of(contestants);
    std::vector<pass_time> times;
    for (std::size_t i = 0; i < choices.size(); ++i) times.push_back({to_string(choices[i]), medians[i]});
    return times;
  });
}
