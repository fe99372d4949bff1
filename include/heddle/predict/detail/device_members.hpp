#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>

#include <heddle/invalid_argument.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// The finite values that a number may have.
struct limits {
  double least = 0, most = (std::numeric_limits<double>::max)();
  bool is_rate = false;  // 0, for unknown, or at least 1

  constexpr bool have(double value) const {
    return least <= value && value <= most && !(is_rate && 0 < value && value < 1);
  }
};
constexpr limits of_rate{.most = 1e18, .is_rate = true};  // per second
constexpr limits of_blocks{1, 64};  // a multiprocessor holds at most 64 warps, and a block has at least one

/// Refuses a number beyond its limits. The message has whole numbers.
[[noreturn]] inline void refuse_member(const char* of, const char* member, double value, limits allowed) {
  const line<96> text = line<96>() << "heddle::predict::" << of << ": " << member;
  const char* const name = text.c_str();
  if (!(value - value == 0)) refuse(name, " is not finite");
  value = std::clamp(value, -9e18, 9e18);
  const auto whole = static_cast<long long>(value);
  const auto part = static_cast<double>(whole) - value;
  if (value > allowed.most) refuse(name, whole + (part < 0 ? 1 : 0), "at most", static_cast<long long>(allowed.most));
  if (value > allowed.least) refuse(name, " is a fraction of 1; it must be 0 or at least 1");
  refuse(name, whole - (part > 0 ? 1 : 0), "at least", static_cast<long long>(allowed.least));
}

/// Refuses a member of a type, or an argument of a function, that is beyond its limits.
constexpr void require_member(const char* of, const char* member, double value, limits allowed) {
  if (!allowed.have(value)) refuse_member(of, member, value, allowed);
}

/// A member of a problem, and the whole numbers that it may be.
struct whole_member {
  const char* name;
  long long value, least = 0, most = 0x7fffffff;
};

/// Refuses members of a problem that are beyond their limits.
constexpr void require_members(const char* problem, std::initializer_list<whole_member> members) {
  for (const auto& [name, value, least, most] : members) {
    require_member(problem, name, static_cast<double>(value), {static_cast<double>(least), static_cast<double>(most)});
  }
}

/// Refuses a problem whose bytes, read and written together, do not fit in 64 bits. `bytes` is an upper bound of
/// either, for which a double is precise enough.
constexpr void require_countable(const char* problem, const char* what, double bytes) {
  constexpr long long exabytes = 4;
  if (bytes > 1e18 * exabytes) {
    refuse((line<96>() << "heddle::predict::" << problem << ": exabytes " << what).c_str(),
           bytes < 9e36 ? static_cast<long long>(bytes / 1e18) : 0x7fffffffffffffff, "at most", exabytes);
  }
}

/// Calls f(name, member, limits) for each member of a device. The first three have no default. A member that is missing
/// here does not compile.
template <class Device, class F>
constexpr void for_each_member(Device& of, const F& f) {
  auto& [name, multiprocessors, l2_bytes, l2_copies, l2_kept, dram, l2, matrix, l1_bytes, l1, instructions, launch,
         atomic, atomics, per_line, band_rows, overlap_of_l1, overlap_of_units, drawing] = of;
  f("name", name, limits{});
  f("multiprocessors", multiprocessors, limits{1, 1 << 14});  // a hundred times those of any card
  f("l2_bytes", l2_bytes, limits{});
  f("l2_copies", l2_copies, limits{1, 0x7fffffff});
  f("l2_kept_bytes", l2_kept, limits{});
  f("dram_bytes_per_second", dram, of_rate);
  f("l2_bytes_per_second", l2, of_rate);
  f("matrix_operations_per_second", matrix, of_rate);
  f("l1_bytes", l1_bytes, limits{});
  f("l1_bytes_per_second", l1, of_rate);
  f("instructions_per_second", instructions, of_rate);
  f("launch_seconds", launch, limits{});
  f("atomic_seconds", atomic, limits{});
  f("atomics_per_second", atomics, of_rate);
  f("matrix_operations_per_line", per_line, limits{});
  f("band_rows", band_rows, limits{1, 0x7fffffff});
  f("overlap_of_l1_and_l2", overlap_of_l1, limits{1, 16});
  f("overlap_of_units", overlap_of_units, limits{1, 16});
  f("drawing_instructions", drawing, limits{});
}

}}}  // namespace heddle::HEDDLE_ABI::detail
