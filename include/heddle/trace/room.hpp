#pragma once

#include <heddle/invalid_argument.hpp>
#include <heddle/trace/detail/block_log.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace trace {

/// Says which slices and launches a full log keeps.
enum class keep {
  first,  // those that came first
  newest  // those that came last
};

/// Says for how much a trace has room. Each block of a launch writes a log of its own.
///
/// **Example** (examples/trace/trace.cu):
///
///     const heddle::trace::room room{.blocks = static_cast<int>(grid.config.gridDim.x), .tiles = 1024, .launches = 2};
///     const device_array<char> memory(room.bytes());
///     memory.fill(0);
struct room {
  int blocks;                // logs: block b of a launch has log b, and blocks past the last log are not traced
  int tiles;                 // slices per log, of all its launches together
  int launches = 16;         // launches per log
  keep kept = keep::newest;  // what a full log keeps
  bool by_leader = false;    // in roles the leader notes tiles, in place of the first follower

  /// Refuses numbers that no trace can have.
  HEDDLE_HOST void check() const {
    heddle::detail::require_at_least(1, "heddle::trace::room: blocks", blocks);
    heddle::detail::require_at_least(1, "heddle::trace::room: tiles", tiles);
    heddle::detail::require_at_least(1, "heddle::trace::room: launches", launches);
    heddle::detail::require_at_most(1 << 28, "heddle::trace::room: tiles", tiles);
    heddle::detail::require_at_most(1 << 20, "heddle::trace::room: launches", launches);
  }

  /// Returns the bytes of memory that the logs take.
  HEDDLE_HOST unsigned long long bytes() const {
    check();
    return static_cast<unsigned>(blocks) * bytes_of_log();
  }

  /// Returns the bytes of one log.
  HEDDLE_FN unsigned long long bytes_of_log() const {
    return sizeof(detail::log_header) + sizeof(detail::log_launch) * static_cast<unsigned long long>(launches) +
           sizeof(detail::log_slice) * static_cast<unsigned long long>(tiles);
  }
};

}}}  // namespace heddle::HEDDLE_ABI::trace
