#pragma once

#include <heddle/predict/device.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Calls f(name, member, least) for each member of a device, with the least value that it may have. The first three
/// have no default. A member that is missing here does not compile.
template <class Device, class F>
void for_each_member(Device& of, const F& f) {
  auto& [name, multiprocessors, l2_bytes, l2_copies, dram, l2, matrix, l1_bytes, l1, instructions, launch, atomic,
         atomics] = of;
  f("name", name, 0);
  f("multiprocessors", multiprocessors, 1);
  f("l2_bytes", l2_bytes, 0);
  f("l2_copies", l2_copies, 1);
  f("dram_bytes_per_second", dram, 0);
  f("l2_bytes_per_second", l2, 0);
  f("matrix_operations_per_second", matrix, 0);
  f("l1_bytes", l1_bytes, 0);
  f("l1_bytes_per_second", l1, 0);
  f("instructions_per_second", instructions, 0);
  f("launch_seconds", launch, 0);
  f("atomic_seconds", atomic, 0);
  f("atomics_per_second", atomics, 0);
}

}  // namespace heddle::inline HEDDLE_ABI::detail
