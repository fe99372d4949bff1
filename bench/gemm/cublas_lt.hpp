#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "common/device.hpp"
#include "cublas.hpp"

namespace gemm_bench {

/// The product as cublasLt runs it.
class cublas_lt {
 public:
  explicit cublas_lt(const cublas& library) : lt_(reinterpret_cast<cublasLtHandle_t>(library.handle())) {
    check(cublasLtMatmulDescCreate(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const cublasOperation_t transpose = CUBLAS_OP_T;
    check(cublasLtMatmulDescSetAttribute(product_, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof transpose));
  }
  cublas_lt(const cublas_lt&) = delete;
  ~cublas_lt() { cublasLtMatmulDescDestroy(product_); }

  /// Returns a launch of each of the up to 32 algorithms that are proposed.
  std::vector<std::function<void(cudaStream_t)>> launches(const shape& s, const void* a, const void* b, void* c) const {
    cublasLtMatrixLayout_t of_a, of_b, of_c;
    check(cublasLtMatrixLayoutCreate(&of_b, CUDA_R_16BF, static_cast<unsigned>(s.k), static_cast<unsigned>(s.n), s.k));
    check(cublasLtMatrixLayoutCreate(&of_a, CUDA_R_16BF, static_cast<unsigned>(s.k), static_cast<unsigned>(s.m), s.k));
    check(cublasLtMatrixLayoutCreate(&of_c, CUDA_R_16BF, static_cast<unsigned>(s.n), static_cast<unsigned>(s.m), s.n));
    cublasLtMatmulPreference_t preference;
    check(cublasLtMatmulPreferenceCreate(&preference));
    const std::size_t bytes = workspace_.size();
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                               sizeof bytes));
    cublasLtMatmulHeuristicResult_t found[32];
    int count = 0;
    check(cublasLtMatmulAlgoGetHeuristic(lt_, product_, of_b, of_a, of_c, of_c, preference, 32, found, &count));
    check(cublasLtMatmulPreferenceDestroy(preference));
    std::vector<std::function<void(cudaStream_t)>> all;
    for (int i = 0; i < count; ++i) {
      all.push_back([=, this, algorithm = found[i].algo](cudaStream_t stream) {
        const float one = 1, zero = 0;
        check(cublasLtMatmul(lt_, product_, &one, b, of_b, a, of_a, &zero, c, of_c, c, of_c, &algorithm,
                             workspace_.data(), workspace_.size(), stream));
      });
    }
    return all;
  }

 private:
  cublasLtHandle_t lt_;
  cublasLtMatmulDesc_t product_;
  heddle_bench::device_array<char> workspace_{64 << 20};
};

}  // namespace gemm_bench
