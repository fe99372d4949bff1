#pragma once

#include <heddle/detail/device_state.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// What strategies and levels share: a capacity, and a state in the caller's memory, which each turn begins by
/// clearing.
template <class Work, class Totals, class Capacity>
class state_of_turns {
 public:
  /// The counters at the start of the state. What a turn did is read from a copy of them on the host.
  using totals = Totals;

  /// Returns the bytes at the start of the state that `begin_async` sets to zero.
  HEDDLE_FN static decltype(sizeof 0) bytes_to_clear(Capacity) { return sizeof(Totals); }
  /// Returns the room that the state has: that of one turn, or of one level.
  HEDDLE_FN Capacity capacity() const { return capacity_; }
  /// Returns the pointer to the state, with the totals at its start.
  HEDDLE_FN void* state() const { return totals_; }

#if defined(__CUDACC__)
  /// Returns the room that all pushed sources take, on the device, after the first pass.
  HEDDLE_DEVICE auto required() const {
    return static_cast<const Work&>(*this).required(*totals_);
  }

#if !defined(__CUDACC_RTC__)
  /// Enqueues a memset that clears the counters. Every turn begins with it.
  [[nodiscard]] cudaError_t begin_async(cudaStream_t stream) const {
    return cudaMemsetAsync(totals_, 0, Work::bytes_to_clear(capacity_), stream);
  }
#endif
#endif

 protected:
  HEDDLE_HOST state_of_turns(const char* name, Capacity capacity, void* state)
      : capacity_(capacity), totals_(require_state<Totals>(name, state)) {}

  Capacity capacity_;
  Totals* totals_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::expand
