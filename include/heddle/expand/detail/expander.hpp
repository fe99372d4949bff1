#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/device_state.hpp>
#include <heddle/detail/most_items.hpp>
#include <heddle/detail/range_for.hpp>
#include <heddle/expand/expansion.hpp>
#include <heddle/expand/item.hpp>
#include <heddle/launch/launch_shape.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

inline constexpr const char* push_storage_elsewhere = "heddle: the push_storage of a strategy is not in shared memory";

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

/// What all strategies share.
template <class Work, class Totals, unsigned MostThreads = ~0u>
class expander_base : public state_of_turns<Work, Totals, expansion> {
  using base = state_of_turns<Work, Totals, expansion>;

 public:
  /// Returns the number of items that were pushed, with those that found no room: on the host from a copy of the
  /// totals.
  HEDDLE_FN unsigned long long items_pushed(const Totals& of) const {
    return static_cast<const Work&>(*this).required(of).items;
  }

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
  /// Returns the launch of the second pass on the current device: as many blocks as are resident at once on `cap`
  /// multiprocessors, with at most MostThreads threads on each, and no more than the capacity has items. Blocks must be
  /// whole warps. The grid does not depend on what is pushed: blocks that find no items return at once.
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
  /// Pushes `n` items of `source`; n may be 0. All threads of the block call it together; it has two barriers.
  ///
  /// Each strategy also has `push(shared, sources, ns)`, which takes two arrays of one length: several sources per
  /// thread, at lower cost. Their order is by block, warp, place in the arrays, and thread.
  template <class Shared>
  HEDDLE_DEVICE void push(Shared& shared, unsigned source, unsigned n) const {
    const unsigned sources[] = {source}, of_each[] = {n};
    static_cast<const Work&>(*this).push(shared, sources, of_each);
  }
#else
  // For a host compiler, which has no kernels: contracts ask for the same members there.
  template <class Shared>
  void push(Shared&, unsigned, unsigned) const;
  template <class Shared>
  declared_range<item> items(Shared&) const;
#endif

 protected:
  HEDDLE_HOST expander_base(const char* state_name, const char* items_name, expansion capacity, void* state)
      : base(state_name, capacity, state) {
    require_at_most(most_items, items_name, as_signed(capacity.items));
  }

  using base::capacity_, base::totals_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::expand
