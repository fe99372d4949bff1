#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/device_state.hpp>
#include <heddle/detail/most_items.hpp>
#include <heddle/expand/expansion.hpp>
#include <heddle/launch/launch_config.hpp>

// What strategies have in common: room for so much work, in memory of the caller's, and two launches.

namespace heddle::inline HEDDLE_ABI::detail::expand {

inline constexpr const char* push_storage_elsewhere = "heddle: the push_storage of a strategy is not in shared memory";

template <class Work, class Totals, unsigned MostThreads = ~0u>
class expander_base {
 public:
  /// What is at the begin of the state: bring it to the host, and `required` reads it.
  using totals = Totals;

  HEDDLE_FN expansion capacity() const { return capacity_; }
  HEDDLE_FN void* state() const { return totals_; }

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
  /// Before the first pass, in every turn: nothing is pushed yet.
  [[nodiscard]] cudaError_t begin_async(cudaStream_t stream) const {
    return cudaMemsetAsync(totals_, 0, Work::bytes_to_clear(capacity_), stream);
  }

  /// The launch of the second pass on the current device: as many blocks as are resident at once, of whole warps, and
  /// no more than MostThreads of a multiprocessor. How much there is to do they find on the device. `cap` is how many
  /// multiprocessors it may fill.
  template <class... Params>
  launch_config grid(void (*kernel)(Params...), dim3 threads, decltype(sizeof 0) dynamic_smem = 0,
                     int cap = 0x7fffffff) const {
    require_whole_warps(threads);
    const auto most = capacity_.items < 0x7fffffff ? capacity_.items : 0x7fffffff;
    return resident_of(reinterpret_cast<const void*>(kernel), threads, dynamic_smem, static_cast<unsigned>(most), 1,
                       cap, MostThreads);
  }
#endif

#if defined(__CUDACC__)
  /// For every thread of the block, together: two barriers. `n` items of `source`; none is 0.
  ///
  /// A strategy also takes several sources of each thread at once, for less: `push(shared, sources, ns)` of two arrays
  /// of one length. They come in the order of blocks, of warps, of places in the arrays, and of threads.
  template <class Shared>
  HEDDLE_DEVICE void push(Shared& shared, unsigned source, unsigned n) const {
    const unsigned sources[] = {source}, of_each[] = {n};
    static_cast<const Work&>(*this).push(shared, sources, of_each);
  }
#endif

 protected:
  HEDDLE_HOST expander_base(const char* state_name, const char* items_name, expansion capacity, void* state)
      : capacity_(capacity), totals_(require_state<Totals>(state_name, state)) {
    require_at_most(most_items, items_name, as_signed(capacity.items));
  }

  expansion capacity_;
  Totals* totals_;
};

}  // namespace heddle::inline HEDDLE_ABI::detail::expand
