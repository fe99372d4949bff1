#pragma once

#include <heddle/config.hpp>

namespace heddle::inline v0 {

/// What a thread takes from a queue. All threads of its warp (or of its block) have the same key; behind the last
/// element of a key some have none, and are there all the same.
struct queued {
  unsigned key, value;
  bool active;
};

}  // namespace heddle::inline v0
