#pragma once

// All macros of heddle, and what its headers ask the compiler.

// A missing header is the one error after which every compiler stops, so that its name is the message. After an #error
// a compiler with an older language would report a hundred more errors. g++ 9 has -std=c++2a without concepts.
#if !defined(__cpp_concepts) || __cpp_concepts < 201907L
#include <heddle needs C++20: compile with -std=c++20>
#endif

#if defined(__CUDACC_VER_MAJOR__) && 100 * __CUDACC_VER_MAJOR__ + __CUDACC_VER_MINOR__ < 1208
#error "heddle needs a CUDA Toolkit 12.8 or newer"
#endif

/// Turns checks on (1) or off (0). With checks a misused kernel prints a line that names the misuse, and ends; without
/// them checks cost nothing. They are on where they are asked for, in device debug builds (nvcc -G), and in CMake's
/// Debug, in which the target heddle::heddle defines it. docs/checks.md lists the checks.
#if !defined(HEDDLE_CHECKS)
#if defined(__CUDACC_DEBUG__)
#define HEDDLE_CHECKS 1
#else
#define HEDDLE_CHECKS 0
#endif
#endif

/// Names the inline namespace of heddle. Builds with checks have another name, so that one program may contain both.
#if HEDDLE_CHECKS
#define HEDDLE_ABI v0_checked
#else
#define HEDDLE_ABI v0
#endif

/// Marks a function for host, device and constant evaluation.
#if defined(__CUDACC__)
#define HEDDLE_FN __host__ __device__ constexpr
#else
#define HEDDLE_FN constexpr
#endif

/// Marks a function that builds a policy, on the host or in constant evaluation. NVRTC compiles no host functions:
/// there it is a device function, and a value that it refuses at run time ends in a trap.
#if defined(__CUDACC_RTC__)
#define HEDDLE_HOST __device__ constexpr
#else
#define HEDDLE_HOST constexpr
#endif

/// Marks a function for the device only.
#if defined(__CUDACC__)
#define HEDDLE_DEVICE __device__
#else
#define HEDDLE_DEVICE
#endif

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

// The code of the architecture (`arch::code`) that this pass compiles for; 0 in the pass of the host. No other header
// asks the compiler.
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

inline constexpr int sm_80 = 4 * 80;  // its code

}}}  // namespace heddle::HEDDLE_ABI::detail
