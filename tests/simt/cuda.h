#pragma once

// Tensor maps as tests/simt.hpp runs kernels: they are what they were made of.

#include <cstdint>

using cuuint32_t = std::uint32_t;
using cuuint64_t = std::uint64_t;
enum CUresult { CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE };
enum CUtensorMapDataType { CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16 };
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE };
enum CUtensorMapSwizzle { CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B };
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_L2_128B };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE };

struct CUtensorMap {
  char* memory = nullptr;
  unsigned rank = 0;
  std::int64_t extents[3] = {1, 1, 1}, bytes_to_next[3] = {2, 0, 0};
  int box[3] = {1, 1, 1};
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
};

/// Refuses what the driver refuses.
inline CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void* memory,
                                       const cuuint64_t* extents, const cuuint64_t* bytes_to_next,
                                       const cuuint32_t* box, const cuuint32_t* steps, CUtensorMapInterleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  *map = {static_cast<char*>(memory), rank};
  map->swizzle = swizzle;
  const cuuint32_t most_row = swizzle == CU_TENSOR_MAP_SWIZZLE_128B ? 128 : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 64 : 512;
  if (rank < 2 || rank > 3 || reinterpret_cast<std::uintptr_t>(memory) % 16 != 0 || box[0] * 2 > most_row ||
      box[0] * 2 % 16 != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (cuuint32_t i = 0; i < rank; ++i) {
    if (extents[i] == 0 || extents[i] > 1ull << 32 || box[i] == 0 || box[i] > 256 || steps[i] != 1) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    map->extents[i] = static_cast<std::int64_t>(extents[i]), map->box[i] = static_cast<int>(box[i]);
    if (i == 0) continue;
    if (bytes_to_next[i - 1] % 16 != 0 || bytes_to_next[i - 1] >= 1ull << 40) return CUDA_ERROR_INVALID_VALUE;
    map->bytes_to_next[i] = static_cast<std::int64_t>(bytes_to_next[i - 1]);
  }
  return CUDA_SUCCESS;
}
