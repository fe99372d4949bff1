#pragma once

#include <heddle/invalid_argument.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// What `advise` must know of a chip. Rates are those that kernels reach, not those on the box; one that
/// is not known is 0.
struct device {
  const char* name;
  int multiprocessors;
  long long l2_bytes;
  // Of what blocks everywhere read: one for each part of an L2 that serves only its own side of the chip.
  int l2_copies = 1;
  double dram_bytes_per_second = 0;
  double l2_bytes_per_second = 0;
  double matrix_operations_per_second = 0;  // of 2-byte elements; taken as inverse to the element's size
  long long l1_bytes = 0;                   // of a multiprocessor, with little shared memory
  double l1_bytes_per_second = 0;           // of all multiprocessors
  double instructions_per_second = 0;       // of all threads

  constexpr void check() const {
    detail::require_at_least(1, "heddle::predict::device: multiprocessors", multiprocessors);
    detail::require_at_least(0, "heddle::predict::device: l2_bytes", l2_bytes);
    detail::require_at_least(1, "heddle::predict::device: l2_copies", l2_copies);
    detail::require_at_least(0, "heddle::predict::device: dram_bytes_per_second", whole(dram_bytes_per_second));
    detail::require_at_least(0, "heddle::predict::device: l2_bytes_per_second", whole(l2_bytes_per_second));
    detail::require_at_least(0, "heddle::predict::device: matrix_operations_per_second",
                             whole(matrix_operations_per_second));
    detail::require_at_least(0, "heddle::predict::device: l1_bytes", l1_bytes);
    detail::require_at_least(0, "heddle::predict::device: l1_bytes_per_second", whole(l1_bytes_per_second));
    detail::require_at_least(0, "heddle::predict::device: instructions_per_second", whole(instructions_per_second));
  }

 private:
  /// Rounded, for a message; anything that is not at least 0 is at most -1.
  static constexpr long long whole(double x) {
    return x >= 0 ? 0 : x <= -1 && x > -9e18 ? static_cast<long long>(x) : -1;
  }
};

/// Measured: products read what 30 MB would make them read (docs/gemm_study.md), a copy at 4.2 TB/s, 112 GB in sectors
/// from L2 in 10.8 ms, a bf16 product of 8192³ at 805 TFLOP/s. At 1.98 GHz, a multiprocessor takes 128 bytes a clock
/// from L1, and instructions of 128 threads.
constexpr device h200() {
  return {.name = "H200",
          .multiprocessors = 132,
          .l2_bytes = 60 << 20,
          .l2_copies = 2,
          .dram_bytes_per_second = 4.2e12,
          .l2_bytes_per_second = 10.4e12,
          .matrix_operations_per_second = 805e12,
          .l1_bytes = 192 << 10,
          .l1_bytes_per_second = 132 * 128 * 1.98e9,
          .instructions_per_second = 132 * 128 * 1.98e9};
}

}  // namespace heddle::inline HEDDLE_ABI::predict
