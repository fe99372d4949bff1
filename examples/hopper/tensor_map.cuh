#pragma once

#include <cuda_runtime.h>

#include <utility>

#include <heddle/coord.hpp>

#include "hopper/load.cuh"

// What the tensor memory accelerator must know of a matrix, made on the host.

namespace hopper {

struct [[nodiscard]] tensor_map {
  CUtensorMap map;
  cudaError_t error;
};

/// Matrices of 2-byte elements one behind the other, each row by row: `pitch` elements from a row to the next.
struct stack {
  long long rows, cols, pitch;
  long long matrices = 0;  // 0: one, which copies address without its number
  long long apart = 0;     // elements from a matrix to the next; 0: rows * pitch
};

/// Returns the tensor map for copies of boxes. Rows of a box of 128 or 64 bytes are swizzled.
template <class Element>
tensor_map make_tensor_map(const void* memory, const stack& of, heddle::extent box) {
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
  const auto swizzle = box.cols == 64   ? CU_TENSOR_MAP_SWIZZLE_128B
                       : box.cols == 32 ? CU_TENSOR_MAP_SWIZZLE_64B
                                        : CU_TENSOR_MAP_SWIZZLE_NONE;
  const auto pitch = static_cast<cuuint64_t>(of.pitch) * 2, rows = static_cast<cuuint64_t>(of.rows);
  const auto apart = of.apart > 0 ? static_cast<cuuint64_t>(of.apart) * 2 : pitch * rows;
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(of.cols), rows, static_cast<cuuint64_t>(of.matrices)};
  const cuuint64_t bytes_to_next[] = {pitch, apart};
  const cuuint32_t of_box[] = {static_cast<cuuint32_t>(box.cols), static_cast<cuuint32_t>(box.rows), 1};
  const cuuint32_t dense[] = {1, 1, 1};
  tensor_map result{{}, cudaSuccess};
  const CUresult error = encode(&result.map, type, of.matrices > 0 ? 3 : 2, const_cast<void*>(memory), extents,
                                bytes_to_next, of_box, dense, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (error != CUDA_SUCCESS) result.error = cudaErrorInvalidValue;
  return result;
}

/// Returns the tensor map of dense rows, of which a copy may end before its box does: what is behind is loaded as zero,
/// and not stored. `ragged_rows` address it. Each row ends a matrix of as many rows as a box has.
template <class Element>
tensor_map make_ragged_map(const void* memory, long long rows, long long cols, heddle::extent box) {
  const Element* const before_first = static_cast<const Element*>(memory) - box.rows * cols;
  return make_tensor_map<Element>(before_first, {box.rows, cols, cols, rows + 1, cols}, box);
}

/// Returns the tensor maps of an operand of so many rows of A (columns of B), for `boxes<Major, Rows, Sharers>`.
template <class Element, major Major, int Rows, int Sharers>
std::pair<operand_maps, cudaError_t> make_operand_maps(const void* matrix, int rows, int k, long long pitch) {
  const stack one = Major == major::k ? stack{rows, k, pitch} : stack{k, rows, pitch};
  const auto map_of = [&](int left) {
    return make_tensor_map<Element>(matrix, one, {rows_of_box<Major, Rows, Sharers>(left), 64});
  };
  const tensor_map whole = map_of(Rows);
  if (Major != major::k || rows % Rows == 0 || whole.error != cudaSuccess) return {{whole.map, whole.map}, whole.error};
  const tensor_map last = map_of(rows % Rows);
  return {{whole.map, last.map}, last.error};
}

}  // namespace hopper
