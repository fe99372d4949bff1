#pragma once

// Tensor maps and what else examples/hopper has of CUDA's headers, as tests/simt.hpp runs kernels. A map is what it was
// made of.

#include <cstdint>

using cuuint32_t = std::uint32_t;
using cuuint64_t = std::uint64_t;
enum CUresult { CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE };
enum CUtensorMapDataType { CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16 };
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE };
enum CUtensorMapSwizzle {
  CU_TENSOR_MAP_SWIZZLE_NONE = 1,
  CU_TENSOR_MAP_SWIZZLE_64B = 4,
  CU_TENSOR_MAP_SWIZZLE_128B = 8
};
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_L2_128B };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE };

struct CUtensorMap {
  char* memory = nullptr;
  unsigned rank = 0;
  CUtensorMapSwizzle pieces = CU_TENSOR_MAP_SWIZZLE_NONE;  // of 16 bytes, which a swizzle permutes
  long long extents[3] = {1, 1, 1}, bytes_to_next[3] = {2, 0, 0};
  int box[3] = {1, 1, 1};
};

inline CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void* memory,
                                       const cuuint64_t* extents, const cuuint64_t* bytes_to_next,
                                       const cuuint32_t* box, const cuuint32_t*, CUtensorMapInterleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  if (reinterpret_cast<std::uintptr_t>(memory) >> 56 != 0) return CUDA_ERROR_INVALID_VALUE;  // an offset from null
  *map = {static_cast<char*>(memory), rank, swizzle};
  for (cuuint32_t i = 0; i < rank; ++i) {
    map->extents[i] = static_cast<long long>(extents[i]), map->box[i] = static_cast<int>(box[i]);
    if (i > 0) map->bytes_to_next[i] = static_cast<long long>(bytes_to_next[i - 1]);
  }
  return CUDA_SUCCESS;
}

enum cudaError_t { cudaSuccess, cudaErrorInvalidValue, cudaErrorNotSupported };
using cudaStream_t = void*;
enum cudaDriverEntryPointQueryResult {};
inline constexpr int cudaEnableDefault = 0;

inline cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned, int,
                                                    cudaDriverEntryPointQueryResult*) {
  *function = reinterpret_cast<void*>(&cuTensorMapEncodeTiled);
  return cudaSuccess;
}

struct float2 {
  float x, y;
};
struct float4 {
  float x, y, z, w;
};
struct uint4 {
  unsigned x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
