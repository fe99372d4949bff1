#pragma once

// The only macros of heddle.

// A missing header is the one error after which every compiler stops: its name is the message. Under an older language
// an #error would be followed by a hundred others. g++ 9 has -std=c++2a without concepts.
#if !defined(__cpp_concepts) || __cpp_concepts < 201907L
#include <heddle needs C++20: compile with -std=c++20>
#endif

#if defined(__CUDACC_VER_MAJOR__) && 100 * __CUDACC_VER_MAJOR__ + __CUDACC_VER_MINOR__ < 1208
#error "heddle needs a CUDA Toolkit 12.8 or newer"
#endif

/// 1: kernels end where they are misused, and print a line that says how; 0: checks cost nothing. Unless it is defined,
/// it follows assert: 1 without NDEBUG, 0 with it. docs/checks.md has what is checked.
#if !defined(HEDDLE_CHECKS)
#if defined(NDEBUG)
#define HEDDLE_CHECKS 0
#else
#define HEDDLE_CHECKS 1
#endif
#endif

/// heddle's inline namespace. With checks it has another name, so that one program may have both.
#if HEDDLE_CHECKS
#define HEDDLE_ABI v0_checked
#else
#define HEDDLE_ABI v0
#endif

/// A function that host and device share, and that constant evaluation may call.
#if defined(__CUDACC__)
#define HEDDLE_FN __host__ __device__ constexpr
#else
#define HEDDLE_FN constexpr
#endif

/// A function that builds a policy: of the host, or of constant evaluation. NVRTC knows no host functions,
/// so that there it is a device function, and what it refuses at run time is a trap.
#if defined(__CUDACC_RTC__)
#define HEDDLE_HOST __device__ constexpr
#else
#define HEDDLE_HOST constexpr
#endif

/// A function of the device alone.
#if defined(__CUDACC__)
#define HEDDLE_DEVICE __device__
#else
#define HEDDLE_DEVICE
#endif
