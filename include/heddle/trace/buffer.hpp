#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/trace/room.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace trace {

/// Names the caller's memory in which launches of a `traced` scheduler note what ran.
///
/// **Preconditions**: the memory is on the device, aligned to 16 bytes, and zeroed by the caller: once, and again
/// whenever the trace should begin anew. One launch at a time writes it; each stream has a buffer of its own. A block
/// that finds its log in use by another launch leaves it alone, and `report::refused` counts it.
///
/// **Example** (examples/trace/trace.cu):
///
///     const heddle::trace::buffer buffer{room, memory.data(), memory.bytes()};
class buffer {
 public:
  /// Builds the description of memory of this many bytes, and refuses memory that is too small.
  HEDDLE_HOST buffer(trace::room room, void* device_memory, unsigned long long bytes)
      : room_(room),
        memory_(heddle::detail::require_state<detail::log_header>("heddle::trace::buffer: memory", device_memory)) {
    heddle::detail::require_at_least(detail::saturated(room.bytes()), "heddle::trace::buffer: bytes",
                                     detail::saturated(bytes));
  }

  /// Returns for how much it has room.
  HEDDLE_FN const trace::room& room() const { return room_; }

  /// Returns the memory.
  HEDDLE_FN void* memory() const { return memory_; }

 private:
  trace::room room_;
  void* memory_;
};

}}}  // namespace heddle::HEDDLE_ABI::trace
