#pragma once

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI {

/// What a thread takes from a queue of `grid_queues`. All threads of its warp (or of its block) have the same key. In
/// the last row of a key some threads have no value: they are not active, but take part in the loop.
///
/// **Example** (tests/gpu/queues.cu):
///
///     for (const auto [key, value, active] : from.rows(smem)) {
///       if (!active) continue;
///       …
///     }
struct queued {
  unsigned key, value;  // of the row; of this thread, and 0 if it is not active
  bool active;          // whether the thread has a value
};

}  // namespace heddle::inline HEDDLE_ABI
