#pragma once

#include <heddle/config.hpp>

#if !defined(__CUDACC_RTC__)
namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Returns the bytes that a cache of at most `most` keeps of two sets that are read at random, from the rates of the
/// reads, or 0 if rates tell nothing.
///
/// A cache that keeps c of a set of s bytes misses 1 - c / s of the reads. Misses take what DRAM delivers, the same for
/// both sets: rate (1 - c / small) = other rate (1 - c / large).
constexpr long long kept_bytes(long long most, long long small, double rate_of_small, long long large,
                               double rate_of_large) {
  const double difference = rate_of_small - rate_of_large;
  const double per_byte = rate_of_small / static_cast<double>(small) - rate_of_large / static_cast<double>(large);
  if (!(difference > 0 && per_byte > 0 && rate_of_large > 0)) return 0;
  const double kept = difference / per_byte;
  return kept < static_cast<double>(most) ? static_cast<long long>(kept) : most;
}

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif
