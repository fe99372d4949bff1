#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

#include <heddle/heddle.hpp>

// C = alpha A B + beta C, as a user calls it: a plan for a problem, once, and products by it.
//
//   const gemm::plan plan({.m = m, .n = n, .k = k}, gemm::device::current());
//   … cudaMalloc and cudaMemset(0) of plan.workspace_bytes(), once …
//   gemm::gemm(plan, {.a = a, .lda = k, .b = b, .ldb = k, .c = c, .ldc = n, .workspace = workspace}, stream);

namespace gemm {

enum class element { bf16, fp16 };
enum class layout { row_major, column_major };

/// A is m x k, B is k x n, and C is m x n, row by row. For a C column by column ask for the transposed product, B A.
struct problem {
  int m, n, k;
  gemm::element element = element::bf16;
  layout a = layout::row_major, b = layout::column_major;
};

/// Leading dimensions are in elements. `workspace` is plan.workspace_bytes() on the device, zeroed once, for one
/// product at a time. C is not read where beta is 0; A and B are not read where alpha is.
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

struct device {
  int compute_capability;  // 90
  heddle::predict::device chip;
  heddle::chip_map map{};  // without multiprocessors where it is not known

  /// Looks at the chip, once, which waits for it; not while a stream is captured.
  static device current();
};

struct variant;  // a kernel that is built in

/// Which kernel, in which order of tiles, how many of its workers share what is left of the last wave, and, on Hopper,
/// how many with neighbouring numbers are to be neighbours on the chip: 0 where they need not.
struct choice {
  const gemm::variant* variant = nullptr;
  int width = 8;
  heddle::axis axis = heddle::axis::y;
  int sharers = 0;
  int run = 0;
  // On the device: any order of places_of(problem, choice), for bands.
  const heddle::tile_table::entry* table = nullptr;
};

/// What an order is over: the tiles of a kernel, or its clusters of them.
heddle::extent places_of(const problem& problem, const choice& choice);

/// What is decided once for all products of a kind. It asks `predict::advise` for the order, and takes the kernel of
/// which it expects the shortest time.
class plan {
 public:
  plan(const gemm::problem& problem, const gemm::device& device);

  /// As told. Where the choice is for Hopper, the portable kernel stands by for operands that Hopper's copies refuse.
  plan(const gemm::problem& problem, const gemm::device& device, const gemm::choice& told);

  const gemm::problem& problem() const { return problem_; }
  const gemm::choice& choice() const { return chosen_.kernel.variant ? chosen_.kernel : portable_.kernel; }
  std::size_t workspace_bytes() const;
  std::string text() const;  // in a line

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

/// Enqueues C = alpha A B + beta C. Throws heddle::invalid_argument where an operand cannot be right.
[[nodiscard]] cudaError_t gemm(const plan& plan, const operands& operands, cudaStream_t stream);

/// The kernels that are built in for a problem; those for Hopper first.
std::vector<const variant*> variants(const problem& problem, const device& device);

}  // namespace gemm
