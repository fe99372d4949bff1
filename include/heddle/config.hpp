#pragma once

// The only macro of heddle.

/// A function that host and device share, and that constant evaluation may call.
#if defined(__CUDACC__)
#define HEDDLE_FN __host__ __device__ constexpr
#else
#define HEDDLE_FN constexpr
#endif
