#pragma once

#include <heddle/concepts.hpp>

#include "gemm.hpp"

// Problems and operands that cannot be right are refused.

namespace gemm {

inline void require_at_least(long long limit, const char* name, long long value) {
  if (value < limit) throw heddle::invalid_argument(name, value, "at least", limit);
}

inline void require_at_most(long long limit, const char* name, long long value) {
  if (value > limit) throw heddle::invalid_argument(name, value, "at most", limit);
}

/// Refuses an address that is not aligned, or null for an operand that the product uses.
inline void require_address(const char* name, const void* data, int alignment, bool is_used) {
  const auto address = static_cast<long long>(reinterpret_cast<unsigned long long>(data));
  if (is_used && address == 0) throw heddle::invalid_argument(name, 0, "at least", 1);
  if (address % alignment != 0) throw heddle::invalid_argument(name, address, "a multiple of", alignment);
}

/// The most rows or columns of C, whose last cluster of tiles reaches up to 511 further, and the most k: `stream_k`
/// takes so many steps of 32.
inline constexpr int most_rows = 0x7fffffff - 511, most_k = 4194303 * 32;

inline void check(const problem& p) {
  require_at_least(0, "gemm::problem: m", p.m);
  require_at_least(0, "gemm::problem: n", p.n);
  require_at_least(0, "gemm::problem: k", p.k);
  require_at_most(most_rows, "gemm::problem: m", p.m);
  require_at_most(most_rows, "gemm::problem: n", p.n);
  require_at_most(most_k, "gemm::problem: k", p.k);
}

inline void check(const problem& p, const operands& o, std::size_t workspace_bytes) {
  const bool reads = p.m > 0 && p.n > 0 && p.k > 0 && o.alpha != 0;
  require_address("gemm::operands: a", o.a, 2, reads);
  require_address("gemm::operands: b", o.b, 2, reads);
  require_address("gemm::operands: c", o.c, 2, p.m > 0 && p.n > 0);
  require_at_least(p.a == layout::row_major ? p.k : p.m, "gemm::operands: lda", o.lda);
  require_at_least(p.b == layout::row_major ? p.n : p.k, "gemm::operands: ldb", o.ldb);
  require_at_least(p.n, "gemm::operands: ldc", o.ldc);
  require_address("gemm::operands: workspace", o.workspace, 16, workspace_bytes > 0);
}

/// Returns whether the tensor memory accelerator can copy the operands.
inline bool suits_copies(const problem& p, const operands& o) {
  const auto suits = [](const void* data, long long pitch) {
    return reinterpret_cast<unsigned long long>(data) % 16 == 0 && pitch % 8 == 0 && pitch * 2 < 1LL << 40;
  };
  return p.k > 0 && suits(o.a, o.lda) && suits(o.b, o.ldb) && suits(o.c, o.ldc);
}

}  // namespace gemm
