#pragma once

#include "gemm_mma.cuh"
#include "variant.hpp"

namespace gemm {

/// Enqueues a product with any scheduler and any epilogue, in a launch that `grid_of_mma` made.
template <class Element, major A, major B, class Scheduler, class Epilogue>
cudaError_t enqueue_mma(const heddle::launch_config& grid, const Scheduler& scheduler, const problem& p,
                        const operands& o, Epilogue epilogue, cudaStream_t stream) {
  const auto lines_of = [](const void* data, long long pitch) {
    return lines{data, pitch, reinterpret_cast<unsigned long long>(data) % 16 == 0 && pitch % 8 == 0};
  };
  float4* const sums = o.workspace == nullptr ? nullptr : sums_in(o.workspace);
  const mma_arguments<Epilogue> arguments{
      lines_of(o.a, o.lda), lines_of(o.b, o.ldb), o.c, o.ldc, p.m, p.n, p.k, o.alpha, o.beta, sums, epilogue};
  return heddle::launch(grid, stream, gemm_mma<Element, A, B, Scheduler, Epilogue>, scheduler, arguments);
}

/// Returns the launch of the portable kernel.
template <class Element, major A, major B, class Scheduler, class Epilogue>
heddle::launch_config grid_of_mma(const Scheduler& scheduler, Epilogue) {
  return scheduler.grid(gemm_mma<Element, A, B, Scheduler, Epilogue>, mma_shape::threads, sizeof(mma_smem<Scheduler>));
}

}  // namespace gemm
