#pragma once

#include <heddle/predict/detail/require_number.hpp>
#include <heddle/predict/device.hpp>

// The rate at which a problem's kernel computes, if that is not the rate of the card's matrix unit.

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns the device as a kernel sees it that does so many operations per second, in 2-byte elements; 0: as many as
/// the matrix unit.
constexpr predict::device at_rate(double operations_per_second, predict::device device) {
  require_rate("heddle::predict::advice_rules: matrix_operations_per_second", operations_per_second);
  if (operations_per_second == 0) return device;
  double& of_matrix_unit = device.matrix_operations_per_second;
  if (of_matrix_unit > 0) device.matrix_operations_per_line *= operations_per_second / of_matrix_unit;
  of_matrix_unit = operations_per_second;
  return device;
}

}  // namespace heddle::inline HEDDLE_ABI::detail
