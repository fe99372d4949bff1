#pragma once

#include <heddle/invalid_argument.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Describes a chip to `traffic` and `advise`. Rates are those that kernels reach, not those of the data sheet; 0
/// stands for an unknown rate.
///
/// **Example** (tests/predict/advise.cpp):
///
///     const device small{.name = "small", .multiprocessors = 10, .l2_bytes = 1 << 20};
struct device {
  const char* name;     // for output of your own; heddle prints it nowhere
  int multiprocessors;  // their number
  long long l2_bytes;   // of all of L2
  /// How many parts of L2 keep a copy each of what all blocks read: an H200 has two halves, one for each side of the
  /// chip.
  int l2_copies = 1;
  double dram_bytes_per_second = 0;         // of the chip
  double l2_bytes_per_second = 0;           // of the chip
  double matrix_operations_per_second = 0;  // of 2-byte elements; larger elements take longer by their size
  long long l1_bytes = 0;                   // of one multiprocessor, with little shared memory
  double l1_bytes_per_second = 0;           // of all multiprocessors
  double instructions_per_second = 0;       // of all threads

  /// Refuses values that cannot be right with an `invalid_argument`, which names the value and the limit.
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
  /// Returns a whole number for a message: 0 for anything that is at least 0, else at most -1.
  static constexpr long long whole(double x) {
    return x >= 0 ? 0 : x <= -1 && x > -9e18 ? static_cast<long long>(x) : -1;
  }
};

/// Returns an H200, the one device that is calibrated.
///
/// Measured: products read as much as with 30 MB of cache (docs/gemm_study.md); a copy moves 4.2 TB/s; L2 delivers 112
/// GB in sectors in 10.8 ms; a bf16 product of 8192³ reaches 805 TFLOP/s. L1 and instructions are those of the hardware
/// at 1.98 GHz: 128 bytes and 128 threads' instructions per clock and multiprocessor.
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
