#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::schedule {

/// Shared memory through which one thread tells a block, or a cluster, what it drew. It has two halves: the next index
/// is written while the last one may still be read.
struct relay {
  unsigned long long told[2], read[2];  // mbarriers, for roles only
  unsigned index[2];
  bool has_followers;
};

/// The relay of `cluster_launch`, with the hardware's answer to a cancellation.
struct cancellation : relay {
  unsigned long long answered;  // an mbarrier
  alignas(16) unsigned long long answer[2];
};

}}}  // namespace heddle::HEDDLE_ABI::detail::schedule
