#pragma once

#include <heddle/detail/most_items.hpp>
#include <heddle/launch/launch_config.hpp>
#include <heddle/reorder/detail/queue_cursor.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Regroups work across the whole grid between two kernels: a queue for each key. One kernel appends, in any order; the
/// next takes rows of elements that have one key, a row for a warp or for a block.
///
///   push_some(2, a) push_some(0, b) push_some(2, c)      rows   0: b – – …   2: a c – …
///
///   __shared__ grid_queues<12>::storage smem;
///   for (const auto [key, value, active] : from.rows(smem)) {    // every thread of the warp comes along
///     if (active) to.push_some(next_key, value);
///   }
///
/// A value is a number of the caller's: which path, which ray. Rows are drawn one after another, those of low keys
/// first: let these be what takes longest.
///
/// The state is the caller's: `state_bytes(capacity)` bytes on the device, of which the first `bytes_to_clear()` are
/// zeroed once. A launch that takes leaves the queues empty for the next turn, also where blocks leave early: every
/// block must reach `rows`. It pushes to other queues than it takes from.
///
/// `capacity` is the room for each key. What finds none is left out; `required` says how much it would have taken, and
/// where capacity is the number of all elements nothing is ever left out.
template <int Keys>
class grid_queues {
  static_assert(Keys >= 1 && Keys <= 256, "heddle: queues for 1 to 256 keys");
  static constexpr unsigned keys = Keys;

 public:
  /// What is at the begin of the state: bring it to the host, and `required` reads it.
  using totals = detail::reorder::queue_totals<keys>;

  HEDDLE_HOST grid_queues(unsigned long long capacity, void* device_state)
      : capacity_(static_cast<unsigned>(capacity)),
        totals_(detail::require_state<totals>("heddle::grid_queues: state", device_state)) {
    detail::require_at_most(detail::most_items / keys, "heddle::grid_queues: capacity", detail::as_signed(capacity));
  }

  HEDDLE_FN static decltype(sizeof 0) state_bytes(unsigned long long capacity) {
    return sizeof(totals) + sizeof(unsigned) * keys * capacity;
  }
  HEDDLE_FN static decltype(sizeof 0) bytes_to_clear() { return sizeof(totals); }

  HEDDLE_FN unsigned long long capacity() const { return capacity_; }
  HEDDLE_FN void* state() const { return totals_; }

  /// How many elements have been pushed and not been taken.
  HEDDLE_FN unsigned long long size(const totals& of) const {
    unsigned long long sum = 0;
    for (const detail::reorder::queue_counter& each : of.of_key)
      sum += each.pushed < capacity_ ? each.pushed : capacity_;
    return sum;
  }

  /// The capacity with which no turn so far would have left anything out.
  HEDDLE_FN unsigned long long required(const totals& of) const {
    unsigned long long most = 0;
    for (const detail::reorder::queue_counter& each : of.of_key) {
      most = each.most > most ? each.most : most;
      most = each.pushed > most ? each.pushed : most;
    }
    return most;
  }

  using storage = detail::reorder::queue_rows<keys>;

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
  /// The launch of a kernel that takes, on the current device: as many blocks as are resident at once, of whole warps.
  /// How much there is to do they find on the device. `cap` is how many multiprocessors it may fill.
  template <class... Params>
  launch_config grid(void (*kernel)(Params...), dim3 threads, decltype(sizeof 0) dynamic_smem = 0,
                     int cap = 0x7fffffff) const {
    detail::require_whole_warps(threads);
    // One block at least: queues without room count what they leave out, turn by turn.
    const auto most = 1 + 1ull * keys * capacity_ / 32;
    return detail::resident_of(reinterpret_cast<const void*>(kernel), threads, dynamic_smem,
                               static_cast<unsigned>(most), 1, cap);
  }
#endif

#if defined(__CUDACC__)
  /// For any thread, at any time: those of a warp that come together with one key share an addition.
  HEDDLE_DEVICE void push_some(unsigned key, unsigned value) const {
    namespace warp = detail::warp;
    detail::check(key < keys, "heddle::grid_queues: a key for which there is no queue");
    const unsigned lanes = __activemask(), peers = __match_any_sync(lanes, key);
    const int taker = __ffs(static_cast<int>(peers)) - 1;
    detail::word64 begin = 0;
    if (static_cast<int>(warp::lane()) == taker) {
      begin = atomicAdd(&totals_->of_key[key].pushed, static_cast<detail::word64>(__popc(peers)));
    }
    begin = __shfl_sync(lanes, begin, taker);
    const auto place = begin + static_cast<unsigned>(__popc(peers & warp::below()));
    if (place < capacity_) values()[detail::word64{key} * capacity_ + place] = value;
  }

  /// The rows of this warp, or of this block, one after another: two barriers, and with granularity::block one more per
  /// row.
  ///
  /// **Preconditions**: every thread of every block calls it, once per launch and queues. It may be called again, for
  /// other queues, with the same storage.
  template <granularity Granularity = granularity::warp, class Machine = detail::gpu<false>>
  HEDDLE_DEVICE detail::reorder::queue_cursor<keys, Granularity, Machine> rows(storage& shared, Machine on = {}) const {
    return {shared, *totals_, values(), capacity_, on};
  }

 private:
  HEDDLE_DEVICE unsigned* values() const {
    return reinterpret_cast<unsigned*>(totals_ + 1);
  }
#endif

 private:
  unsigned capacity_;
  totals* totals_;
};

}  // namespace heddle::inline HEDDLE_ABI
