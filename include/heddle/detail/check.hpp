#pragma once

#include <heddle/invalid_argument.hpp>
#include <heddle/static_shared.hpp>

// Checks that HEDDLE_CHECKS turns on. docs/checks.md lists every line that a check prints.

#if HEDDLE_CHECKS && defined(__NVCC__) && !defined(__CUDACC_RTC__)
extern "C" __device__ void __assertfail(const char* message, const char* file, unsigned line, const char* function,
                                        decltype(sizeof 0) bytes_of_char);  // <cassert> hides it with NDEBUG
#endif

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

inline constexpr bool checks = HEDDLE_CHECKS != 0;

#if HEDDLE_CHECKS
#if defined(__CUDACC__)
HEDDLE_DEVICE inline void fail_in_kernel(const char* misuse) {
  __assertfail(misuse, __FILE__, __LINE__, "a check of heddle", 1);
}
#endif

/// Fails an assertion in a kernel. On the host, where laws run the decisions of schedulers, it throws an exception.
#if defined(__NVCC__) && !defined(__CUDACC_RTC__)
#pragma nv_exec_check_disable
#endif
template <int Code = compiled_code>
HEDDLE_FN void fail(const char* misuse) {
#if defined(__CUDACC_RTC__)
  fail_in_kernel(misuse);
#elif defined(__CUDACC__)
  if constexpr (Code != 0) {
    fail_in_kernel(misuse);
  } else {
    refuse(misuse, "");
  }
#else
  refuse(misuse, "");
#endif
}
#endif

/// In builds with checks, fails with the message `misuse` if `holds` is false. In other builds it does nothing.
HEDDLE_FN void check([[maybe_unused]] bool holds, [[maybe_unused]] const char* misuse) {
#if HEDDLE_CHECKS
  if (!holds) fail(misuse);
#endif
}

#if defined(__CUDACC__)

/// Checks that a collective's storage is in shared memory. An empty type may be anywhere.
template <class Storage>
HEDDLE_DEVICE void check_storage([[maybe_unused]] const Storage& storage, [[maybe_unused]] const char* misuse) {
  if constexpr (checks && !__is_empty(Storage)) check(__isShared(&storage) != 0, misuse);
}

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail
