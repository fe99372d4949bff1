#pragma once

#include <heddle/invalid_argument.hpp>

namespace heddle::inline v0 {

/// What code is compiled for: a compute capability, and the suffix that opens the features of this chip
/// alone ('a') or of its family ('f'). `arch{90}` is sm_90, `arch{90, 'a'}` is sm_90a, `arch{100, 'f'}` is sm_100f.
///
/// Ordered by capability, and within one of them plain < f < a: each runs what stands before it, and more.
struct arch {
  int capability;
  char suffix;  // 'a', 'f', or '\0' where there is none

  HEDDLE_HOST explicit arch(int capability_number, char suffix_letter = '\0')
      : capability(detail::require_at_least(10, "heddle::arch: capability", capability_number)), suffix(suffix_letter) {
    detail::require_at_most(255, "heddle::arch: capability", capability);
    if (suffix != '\0' && suffix != 'f') detail::require_equal('a', "heddle::arch: suffix", suffix);
  }

  /// 4 x capability + 0, 1 or 2: a number that orders like the arch and that __launch_bounds__ can hold.
  HEDDLE_FN int code() const { return 4 * capability + (suffix == 'a' ? 2 : suffix == 'f' ? 1 : 0); }

  HEDDLE_FN friend bool operator==(arch a, arch b) { return a.code() == b.code(); }
  HEDDLE_FN friend bool operator<(arch a, arch b) { return a.code() < b.code(); }
  HEDDLE_FN friend bool operator<=(arch a, arch b) { return a.code() <= b.code(); }
  HEDDLE_FN friend bool operator>(arch a, arch b) { return a.code() > b.code(); }
  HEDDLE_FN friend bool operator>=(arch a, arch b) { return a.code() >= b.code(); }
};

namespace detail {

// The one place that asks the compiler which pass this is: the `code()` of what is being compiled, 0 on the host.
#if !defined(__CUDA_ARCH__)
inline constexpr int compiled_code = 0;
#elif defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL) || \
    defined(__CUDA_ARCH_FEAT_SM101_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)  // 12.8 has no _SPECIFIC_
inline constexpr int compiled_code = 4 * (__CUDA_ARCH__ / 10) + 2;
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
inline constexpr int compiled_code = 4 * (__CUDA_ARCH__ / 10) + 1;
#else
inline constexpr int compiled_code = 4 * (__CUDA_ARCH__ / 10);
#endif

/// Whether the device pass at hand compiles for this capability or a newer one.
HEDDLE_FN bool compiling_for(int capability) {
  return compiled_code >= 4 * capability;
}

}  // namespace detail

}  // namespace heddle::inline v0
