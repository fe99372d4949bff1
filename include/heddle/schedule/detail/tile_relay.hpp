#pragma once

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::detail::schedule {

/// Shared memory through which one thread tells a block, or a cluster, what it drew. Two halves, so that
/// the next index is told while the last one may still be read.
struct relay {
  unsigned long long told[2], read[2];  // barriers, for roles that go each at its own pace
  unsigned index[2];
  bool has_followers;
};

/// The same for a launch in which blocks take over others that have not started.
struct cancellation : relay {
  unsigned long long answered;  // a barrier
  alignas(16) unsigned long long answer[2];
};

}  // namespace heddle::inline HEDDLE_ABI::detail::schedule
