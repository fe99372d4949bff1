#pragma once

#include <heddle/invalid_argument.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail {

// Also used in constant evaluation within kernels. A refusal ends the compilation, or throws on the host.
#if defined(__NVCC__) && !defined(__CUDACC_RTC__)
#pragma nv_exec_check_disable
#endif
template <class Number>
HEDDLE_FN Number require_in_range(const char* name, Number value, int least, int most) {
  if (value < least) refuse(name, value, "at least", least);
  if (value > most) refuse(name, value, "at most", most);
  return value;
}

}  // namespace detail

/// Names an architecture that code is compiled for: a compute capability, and a suffix. The suffix 'a' opens the
/// features of this chip alone, 'f' those of its family.
///
///   arch{90}           sm_90
///   arch{90, 'a'}      sm_90a
///   arch{100, 'f'}     sm_100f
///
/// Architectures are ordered by capability, and within one capability plain < f < a.
///
/// **Preconditions**: the capability is from 10 to 255, the suffix 'a', 'f' or '\0'. Others are refused.
///
/// **Example** (examples/03_launch_box/reduce.cu):
///
///     HEDDLE_FN params operator()(heddle::arch target) const {
///       return heddle::box_match<params>(target, {{80, {256, 0, 8}}, {90, {512, 0, 8}}, {{90, 'a'}, {512, 2, 16}}});
struct arch {
  int capability;  // 10 times the major number, plus the minor: 90 for 9.0
  char suffix;     // 'a', 'f', or '\0' for none

  /// Builds an architecture from its capability and its suffix.
  HEDDLE_FN arch(int capability_number, char suffix_letter = '\0')
      : capability(detail::require_in_range("heddle::arch: capability", capability_number, 10, 255)),
        suffix(suffix_letter == '\0' || suffix_letter == 'f'
                   ? suffix_letter
                   : detail::require_in_range("heddle::arch: suffix", suffix_letter, 'a', 'a')) {}

  /// Returns 4 × capability + 0, 1 or 2 for plain, f or a: a number that __launch_bounds__ can carry.
  HEDDLE_FN int code() const { return 4 * capability + (suffix == 'a' ? 2 : suffix == 'f' ? 1 : 0); }
  /// Returns the architecture of this code.
  HEDDLE_FN static arch of_code(int code) { return {code / 4, code % 4 == 2 ? 'a' : code % 4 == 1 ? 'f' : '\0'}; }

  /// Returns whether capability and suffix are the same.
  HEDDLE_FN friend bool operator==(arch a, arch b) { return a.code() == b.code(); }
  /// Orders by capability, then plain < f < a.
  HEDDLE_FN friend bool operator<(arch a, arch b) { return a.code() < b.code(); }
  HEDDLE_FN friend bool operator<=(arch a, arch b) { return a.code() <= b.code(); }
  HEDDLE_FN friend bool operator>(arch a, arch b) { return a.code() > b.code(); }
  HEDDLE_FN friend bool operator>=(arch a, arch b) { return a.code() >= b.code(); }
};

namespace detail {

/// The family of a capability. Chips of one family run each other's `f` code. A family is a major number, except
/// that 10.1 belongs to 11.0, its later name.
HEDDLE_FN int family_of(int capability) {
  return capability == 101 ? 110 / 10 : capability / 10;
}

/// Whether parameters for the architecture `tuned` may be used in code compiled for `target`.
HEDDLE_FN bool suits(arch tuned, arch target) {
  if (tuned.suffix == 'a') return tuned == target;
  if (tuned.capability > target.capability) return false;
  return tuned.suffix == '\0' || (target.suffix != '\0' && family_of(tuned.capability) == family_of(target.capability));
}

}  // namespace detail

}}  // namespace heddle::HEDDLE_ABI
