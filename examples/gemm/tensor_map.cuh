#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <type_traits>

namespace gemm {

struct [[nodiscard]] tensor_map {
  CUtensorMap map;
  cudaError_t error;
};

/// Returns the tensor map of 2-byte elements in two or three extents, the first of which is contiguous, for copies of
/// dense boxes. The other extents have the bytes from one element to the next.
template <class Element>
tensor_map encode_tensor_map(const void* memory, unsigned rank, const cuuint64_t* extents,
                             const cuuint64_t* bytes_to_next, const cuuint32_t* box, CUtensorMapSwizzle swizzle) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result;
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &result);
    return error == cudaSuccess ? reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function) : nullptr;
  }();
  if (encode == nullptr) return {{}, cudaErrorNotSupported};
  const auto type =
      std::is_same_v<Element, __nv_bfloat16> ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  const cuuint32_t dense[] = {1, 1, 1};
  tensor_map result{{}, cudaSuccess};
  const CUresult error = encode(&result.map, type, rank, const_cast<void*>(memory), extents, bytes_to_next, box, dense,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (error != CUDA_SUCCESS) result.error = cudaErrorInvalidValue;
  return result;
}

}  // namespace gemm
