#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

#include <heddle/candidate.hpp>
#include <heddle/launch/chip_map.hpp>
#include <heddle/launch/launch_shape.hpp>
#include <heddle/order/tile_table.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/recipe/recipe.hpp>
#include <heddle/schedule/seats.hpp>

// C = alpha A B + beta C, as a user calls it: make a plan for a problem once, then enqueue products by it.
//
//   const gemm::plan plan({.m = m, .n = n, .k = k}, gemm::device::current());
//   … cudaMalloc and cudaMemset(0) of plan.workspace_bytes(), once …
//   gemm::gemm(plan, {.a = a, .lda = k, .b = b, .ldb = k, .c = c, .ldc = n, .workspace = workspace}, stream);

namespace gemm {

/// The type of the elements of A, B and C; sums are fp32.
enum class element { bf16, fp16 };
/// Row by row, or column by column.
enum class layout { row_major, column_major };

/// A product to plan: A is m x k, B is k x n, and C is m x n, row by row. For a C column by column ask for the
/// transposed product: Cᵀ = Bᵀ Aᵀ. m and n are at most 2^31 - 512, and k is at most 2^27 - 32.
struct problem {
  int m, n, k;
  gemm::element element = element::bf16;
  layout a = layout::row_major, b = layout::column_major;
  bool sharing = false;  // other kernels run on the GPU at the same time: tiles are drawn
};

/// The operands of one product. Leading dimensions are in elements. `workspace` has plan.workspace_bytes() on the
/// device, zeroed once, and serves one product at a time. C is not read if beta is 0; A and B are not read if alpha is
/// 0.
struct operands {
  const void* a;
  long long lda;
  const void* b;
  long long ldb;
  void* c;
  long long ldc;
  float alpha = 1, beta = 0;
  void* workspace = nullptr;
};

/// The GPU that a plan is for.
struct device {
  int compute_capability;  // 90 for 9.0
  heddle::predict::device chip;
  heddle::chip_map map{};  // without multiprocessors if it is not known

  /// Returns the current device. The first call looks at the chip, which waits for the device and must not be captured.
  static device current();
};

struct variant;  // a kernel that is built in

/// A kernel, and its launch. The order is one of tiles or of clusters of tiles; of the scheduler the kernel decides all
/// but the sharers: workers that share what is left of the last wave, 0 for whole tiles only.
struct choice {
  const gemm::variant* variant = nullptr;
  heddle::recipe by{.order = heddle::recipe::cta_swizzle, .width = 8, .axis = heddle::axis::y};
  int seats = 0;  // Hopper: workers with neighbouring numbers that are to be neighbours on the chip; 0: anywhere
  // For an order that needs one: the table of places_of(problem, choice), on the device.
  const heddle::tile_table::entry* table = nullptr;
};

/// Returns the grid of an order: the tiles of a kernel, or its clusters of tiles.
heddle::extent places_of(const problem& problem, const choice& choice);

/// Returns the choices that a plan has, those that are expected to be fastest first, with the seconds that they are
/// expected to take: kernels, whole tiles or parts of tiles, and seats.
std::vector<heddle::candidate<choice>> candidates(const problem& problem, const device& device);

/// What is decided once for all products of a problem: the first of the candidates.
class plan {
 public:
  plan(const gemm::problem& problem, const gemm::device& device);

  /// Follows a choice. If its kernel is for Hopper, operands that Hopper's copies refuse go to the portable kernel.
  plan(const gemm::problem& problem, const gemm::device& device, const gemm::choice& told);

  const gemm::problem& problem() const { return problem_; }
  const gemm::choice& choice() const { return chosen_.kernel.variant ? chosen_.kernel : portable_.kernel; }
  std::size_t workspace_bytes() const;
  std::string text() const;  // the choice in a line

 private:
  friend cudaError_t gemm(const plan&, const operands&, cudaStream_t);

  struct launch {
    gemm::choice kernel;
    heddle::launch_config grid{};
    heddle::seats seats{};
  };
  launch launch_of(const gemm::choice& choice, const device& device) const;

  gemm::problem problem_;
  launch chosen_, portable_;
};

/// Enqueues C = alpha A B + beta C. Throws heddle::invalid_argument for an operand that cannot be right.
[[nodiscard]] cudaError_t gemm(const plan& plan, const operands& operands, cudaStream_t stream);

/// Returns the kernels that are built in for a problem, those for Hopper first.
std::vector<const variant*> variants(const problem& problem, const device& device);

}  // namespace gemm
