#pragma once

#include <limits>

#include <heddle/predict/device.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// The values that a member of a device may have.
struct limits {
  double least = 0, most = (std::numeric_limits<double>::max)();
};

/// Calls f(name, member, limits) for each member of a device. The first three have no default. A member that is missing
/// here does not compile.
template <class Device, class F>
void for_each_member(Device& of, const F& f) {
  auto& [name, multiprocessors, l2_bytes, l2_copies, l2_kept, dram, l2, matrix, l1_bytes, l1, instructions, launch,
         atomic, atomics, per_line, band_rows, overlap_of_l1, overlap_of_units, drawing] = of;
  f("name", name, limits{});
  f("multiprocessors", multiprocessors, limits{1, 0x7fffffff});
  f("l2_bytes", l2_bytes, limits{});
  f("l2_copies", l2_copies, limits{1, 0x7fffffff});
  f("l2_kept_bytes", l2_kept, limits{});
  f("dram_bytes_per_second", dram, limits{});
  f("l2_bytes_per_second", l2, limits{});
  f("matrix_operations_per_second", matrix, limits{});
  f("l1_bytes", l1_bytes, limits{});
  f("l1_bytes_per_second", l1, limits{});
  f("instructions_per_second", instructions, limits{});
  f("launch_seconds", launch, limits{});
  f("atomic_seconds", atomic, limits{});
  f("atomics_per_second", atomics, limits{});
  f("matrix_operations_per_line", per_line, limits{});
  f("band_rows", band_rows, limits{1, 0x7fffffff});
  f("overlap_of_l1_and_l2", overlap_of_l1, limits{1, 16});
  f("overlap_of_units", overlap_of_units, limits{1, 16});
  f("drawing_instructions", drawing, limits{});
}

}  // namespace heddle::inline HEDDLE_ABI::detail
