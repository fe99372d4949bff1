#pragma once

#include <heddle/invalid_argument.hpp>

namespace heddle::inline HEDDLE_ABI {

namespace detail {

// For what the compiler evaluates, in kernels too: a refusal ends the compilation, or throws on the host.
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

/// What code is compiled for: a compute capability, and the suffix that opens the features of this chip
/// alone ('a') or of its family ('f'). `arch{90}` is sm_90, `arch{90, 'a'}` is sm_90a, `arch{100, 'f'}` is sm_100f.
///
/// Ordered by capability, and within one of them plain < f < a: each runs what stands before it, and more.
struct arch {
  int capability;
  char suffix;  // 'a', 'f', or '\0' where there is none

  HEDDLE_FN arch(int capability_number, char suffix_letter = '\0')
      : capability(detail::require_in_range("heddle::arch: capability", capability_number, 10, 255)),
        suffix(suffix_letter == '\0' || suffix_letter == 'f'
                   ? suffix_letter
                   : detail::require_in_range("heddle::arch: suffix", suffix_letter, 'a', 'a')) {}

  /// 4 x capability + 0, 1 or 2: a number that orders like the arch, and that __launch_bounds__ can hold.
  HEDDLE_FN int code() const { return 4 * capability + (suffix == 'a' ? 2 : suffix == 'f' ? 1 : 0); }
  HEDDLE_FN static arch of_code(int code) { return {code / 4, code % 4 == 2 ? 'a' : code % 4 == 1 ? 'f' : '\0'}; }

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

/// Capabilities of one family run each other's `f` code: those of one major number, but for 10.1, which left it
/// to become 11.0.
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

}  // namespace heddle::inline HEDDLE_ABI
