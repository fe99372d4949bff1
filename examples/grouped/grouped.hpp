#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

#include <heddle/recipe/recipe.hpp>

#include "gemm/gemm.hpp"

// Products of groups of rows whose sizes only the device knows, as a user calls them: experts of a mixture.
//
//   const grouped::plan plan({.rows = tokens, .groups = experts, .n = n, .k = k}, gemm::device::current());
//   … cudaMalloc and cudaMemset(0) of plan.workspace_bytes(), once …
//   grouped::product(plan, {.a = a, .b = b, .ends = ends, .c = c, .workspace = workspace}, stream);
//
// Nothing returns to the host: a captured graph serves other sizes at its next replay.

namespace grouped {

using gemm::element;
using gemm::layout;

/// The products to plan: rows of group g of C = rows of group g of A times B_g. A is rows x k and C rows x n, row by
/// row, and the groups lie behind each other. B has groups matrices of k x n, packed.
struct problem {
  long long rows;  // of all groups together, at most
  int groups, n, k;
  grouped::element element = element::bf16;
  layout b = layout::column_major;  // column by column: k is contiguous
  bool is_gated = false;  // SwiGLU: B has 2 n columns, and C = silu(A times the first n) x (A times the others)
  long long a_rows = 0, c_rows = 0;  // of A where rows are gathered, of C where they are scattered; 0: `rows`
};

/// The products to plan of the gradient of B: C_g = (rows of group g of A)^T times (rows of group g of B). A is rows x
/// m and B rows x n, row by row, and C has groups matrices of m x n, row by row.
struct problem_by_k {
  long long rows;  // of all groups together, at most
  int groups, m, n;
  grouped::element element = element::bf16;
};

/// The operands, on the device. `ends` has for each group the row at which it ends, counted over all groups.
/// `workspace` has plan.workspace_bytes(), zeroed once, and serves one product at a time.
///
/// Products of groups of rows may gather them, in clusters of one block: row i of the groups is row rows_of_a[i] of A,
/// or zeros if there is none. They may scatter them: row i is stored as row rows_of_c[i] of C, or nowhere if there is
/// none. Two rows must not have the same row of C. Before it is stored, row i is multiplied by weights[i].
struct operands {
  const void* a;
  const void* b;
  const int* ends;
  void* c;
  void* workspace;
  const int* rows_of_a = nullptr;
  const int* rows_of_c = nullptr;
  const float* weights = nullptr;
};

/// How the tiles of a plan are walked: in bands of each group, dealt out (strided) or drawn (late_ticket), and in
/// clusters of one block or of two beside each other, which share the rows of A.
struct choice {
  heddle::recipe by{.order = heddle::recipe::thread_group_tiling,
                    .width = 16,
                    .axis = heddle::axis::y,
                    .schedule = heddle::recipe::late_ticket};
  bool is_low = true;  // the last rows of a group, 64 or fewer, have a lower body
};

/// Returns the choice that `predict::advise` makes for groups of about these rows, in clusters of so many blocks: where
/// the mean group has fewer than four tiles of rows, dealt tiles if groups are even and drawn ones if they are not.
choice advised(const problem& problem, const gemm::device& device, const std::vector<int>& rows, int cluster = 1);

/// What is decided once for all products of a problem, whatever the sizes of groups.
class plan {
 public:
  /// Deals tiles out if the mean group has two tiles of rows or more, and has one height of tiles from four on.
  plan(const grouped::problem& problem, const gemm::device& device);
  /// Follows a choice.
  plan(const grouped::problem& problem, const gemm::device& device, const grouped::choice& told);

  const grouped::problem& problem() const { return problem_; }
  const grouped::choice& choice() const { return choice_; }
  std::size_t workspace_bytes() const;
  std::string text() const;  // the choice in a line

 private:
  grouped::problem problem_;
  grouped::choice choice_;
};

/// Enqueues the products of all groups. Throws heddle::invalid_argument for an operand that cannot be right. Rows past
/// the last end are not written.
[[nodiscard]] cudaError_t product(const plan& plan, const operands& operands, cudaStream_t stream);

/// The plan of products by k.
class plan_by_k {
 public:
  plan_by_k(const grouped::problem_by_k& problem, const gemm::device& device);

  const grouped::problem_by_k& problem() const { return problem_; }
  std::size_t workspace_bytes() const;

 private:
  grouped::problem_by_k problem_;
};

/// Enqueues the products by k of all groups. A group without rows has a C of zeros.
[[nodiscard]] cudaError_t product_by_k(const plan_by_k& plan, const operands& operands, cudaStream_t stream);

}  // namespace grouped
