#pragma once

#include <cublas_v2.h>
#include <errno.h>

#include <cstdio>
#include <cstdlib>

#include "shapes.hpp"

// cuBLAS, with which the benchmarks compare the product.

namespace gemm_bench {

inline void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, cublasGetStatusString(status));
  std::exit(1);
}

/// The product as cublasGemmEx picks it.
class cublas {
 public:
  cublas() { check(cublasCreate(&handle_)); }
  cublas(const cublas&) = delete;
  ~cublas() { cublasDestroy(handle_); }

  cublasHandle_t handle() const { return handle_; }

  /// Enqueues the product. cuBLAS is column-major: its C is the transpose of ours.
  void operator()(const shape& s, const void* a, const void* b, void* c) const {
    const float one = 1, zero = 0;
    check(cublasGemmEx(handle_, CUBLAS_OP_T, CUBLAS_OP_N, s.n, s.m, s.k, &one, b, CUDA_R_16BF, s.k, a, CUDA_R_16BF, s.k,
                       &zero, c, CUDA_R_16BF, s.n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  }

 private:
  cublasHandle_t handle_;
};

}  // namespace gemm_bench
