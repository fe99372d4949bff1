#pragma once

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI {

/// What a thread takes from a queue. All threads of its warp (or of its block) have the same key; behind the last
/// element of a key some have none, and are there all the same.
struct queued {
  unsigned key, value;
  bool active;
};

}  // namespace heddle::inline HEDDLE_ABI
