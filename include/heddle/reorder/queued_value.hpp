#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// A value that a thread takes from a queue of `grid_queues`, with its key. All threads of a warp (or of a block) have
/// the same key. In the last row of a key some threads have no value: they are not active, but take part in the loop.
///
/// **Example** (tests/gpu/queues.cu):
///
///     for (const auto [key, value, active] : from.rows(smem)) {
///       if (!active) continue;
///       …
///     }
struct queued_value {
  unsigned key, value;  // of the row; of this thread, and 0 if it is not active
  bool active;          // whether the thread has a value
};

}}  // namespace heddle::HEDDLE_ABI
