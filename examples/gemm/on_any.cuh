#pragma once

#include "gemm_mma.cuh"
#include "hopper/kernel.cuh"
#include "variant.hpp"

namespace gemm {

/// The portable product as a value, for any scheduler and any epilogue.
template <class Element, major A = major::k, major B = major::k, class Epilogue = identity>
struct on_any {
  static constexpr heddle::extent tile{mma_shape::tile_m, mma_shape::tile_n}, cluster{1, 1};
  static constexpr int tile_k = mma_shape::tile_k, blocks_per_multiprocessor = 2, sums = 128;
  static constexpr bool stores_in_turns = false;

  Epilogue epilogue{};

  /// Returns the launch of a scheduler over tiles.
  template <class Scheduler>
  heddle::launch_config grid(const Scheduler& scheduler) const {
    return kernel<Scheduler>().grid(scheduler);
  }

  /// Enqueues a product in a launch that `grid` made.
  template <class Scheduler>
  [[nodiscard]] cudaError_t launch(const heddle::launch_config& grid, const Scheduler& scheduler, const problem& p,
                                   const operands& o, cudaStream_t stream, const heddle::seats& = {}) const {
    const auto lines_of = [](const void* data, long long pitch) {
      return lines{data, pitch, reinterpret_cast<unsigned long long>(data) % 16 == 0 && pitch % 8 == 0};
    };
    float4* const sums = o.workspace == nullptr ? nullptr : sums_in(o.workspace);
    return kernel<Scheduler>().launch(
        grid, stream, scheduler,
        {lines_of(o.a, o.lda), lines_of(o.b, o.ldb), o.c, o.ldc, p.m, p.n, p.k, o.alpha, o.beta, sums, epilogue});
  }

  /// Returns the kernel for a type of scheduler.
  template <class Scheduler>
  static constexpr auto kernel() {
    return hopper::kernel{gemm_mma<Element, A, B, Scheduler, Epilogue>, mma_shape::threads,
                          sizeof(mma_smem<Scheduler>)};
  }
};

}  // namespace gemm
