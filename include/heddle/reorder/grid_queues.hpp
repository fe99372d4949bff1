#pragma once

#include <heddle/detail/most_items.hpp>
#include <heddle/launch/launch_shape.hpp>
#include <heddle/reorder/detail/queue_cursor.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Regroups work by key across the whole grid, between two kernels: one queue per key. The first kernel pushes values
/// in any order; the second takes rows of values with one key, a row per warp or per block.
///
///   push_some(2, a) push_some(0, b) push_some(2, c)      rows   0: b – – …   2: a c – …
///
/// A value is any 32-bit number, such as the index of a path. Rows are drawn dynamically, those of low keys first: give
/// the low keys to the work that takes longest.
///
/// `capacity` is the room of each queue. Values past it are dropped, and `required` returns the capacity that would
/// have held them. If capacity is the number of all values, none is ever dropped.
///
/// **Preconditions**: the caller owns the state, `state_bytes(capacity)` bytes of device memory, and zeroes the first
/// `bytes_to_clear()` once. Every block of a launch that takes must call `rows`; it may leave the loop early. A kernel
/// does not push to the queues that it takes from.
/// **Effects**: a launch that takes leaves the queues empty and ready for the next turn; values that no thread took are
/// dropped.
/// **Cost**: device memory of 4 bytes * `Keys` * `capacity` and 32 + 32 * `Keys` for totals; shared memory of 24 + 8 *
/// `Keys` bytes. Per row, one atomic addition, issued while the row before is worked on.
/// **Example** (tests/gpu/queues.cu):
///
///     __shared__ heddle::static_shared<typename grid_queues<Keys>::storage> smem;
///     for (const auto [key, value, active] : from.rows(smem)) {
///       if (!active) continue;
///       …
///       to.push_some((key * 5 + 1) % Keys, value);
///     }
template <int Keys>
class grid_queues {
  static_assert(Keys >= 1 && Keys <= 256, "heddle::grid_queues: Keys is not from 1 to 256");
  static constexpr unsigned keys = Keys;

 public:
  /// The counters at the start of the state: copy them to the host for `size` and `required`.
  using totals = detail::reorder::queue_totals<keys>;

  /// Uses the memory at `device_state`, aligned to 32 bytes, for queues of `capacity` values each.
  HEDDLE_HOST grid_queues(unsigned long long capacity, void* device_state)
      : capacity_(static_cast<unsigned>(capacity)),
        totals_(detail::require_state<totals>("heddle::grid_queues: state", device_state)) {
    detail::require_at_most(detail::most_items / keys, "heddle::grid_queues: capacity", detail::as_signed(capacity));
  }

  /// Returns the bytes of a state for queues of `capacity` values each.
  HEDDLE_FN static decltype(sizeof 0) state_bytes(unsigned long long capacity) {
    return sizeof(totals) + sizeof(unsigned) * keys * capacity;
  }
  /// Returns the bytes at the start of the state that the caller zeroes before the first launch.
  HEDDLE_FN static decltype(sizeof 0) bytes_to_clear() { return sizeof(totals); }

  /// Returns the number of values that each queue has room for.
  HEDDLE_FN unsigned long long capacity() const { return capacity_; }
  /// Returns the device memory of the queues.
  HEDDLE_FN void* state() const { return totals_; }

  /// Returns the number of values in all queues: pushed since the last launch that took, and not dropped.
  HEDDLE_FN unsigned long long size(const totals& of) const {
    unsigned long long sum = 0;
    for (const detail::reorder::queue_counter& each : of.of_key)
      sum += each.pushed < capacity_ ? each.pushed : capacity_;
    return sum;
  }

  /// Returns the capacity with which no value would have been dropped in any turn so far.
  HEDDLE_FN unsigned long long required(const totals& of) const {
    unsigned long long most = 0;
    for (const detail::reorder::queue_counter& each : of.of_key) {
      most = each.most > most ? each.most : most;
      most = each.pushed > most ? each.pushed : most;
    }
    return most;
  }

  /// The shared memory of a block that takes rows.
  using storage = detail::reorder::queue_rows<keys>;

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
  /// Returns the launch of a kernel that takes, on the current device: as many blocks of whole warps as are resident at
  /// once, on at most `cap` multiprocessors. The number of values need not be known on the host.
  template <class... Params>
  launch_config grid(void (*kernel)(Params...), dim3 threads, decltype(sizeof 0) dynamic_smem = 0,
                     int cap = 0x7fffffff) const {
    detail::require_whole_warps(threads);
    // At least one block, since queues without room count what they drop, turn by turn.
    const auto most = 1 + 1ull * keys * ((capacity_ + 31ull) / 32);
    return detail::resident_of(reinterpret_cast<const void*>(kernel), threads, dynamic_smem,
                               static_cast<unsigned>(most), 1, cap);
  }
#endif

#if defined(__CUDACC__)
  /// Pushes a value; any thread may call it at any time. Threads of a warp that push together with one key share one
  /// atomic addition.
  HEDDLE_DEVICE void push_some(unsigned key, unsigned value) const {
    namespace warp = detail::warp;
    detail::check(key < keys, "heddle::grid_queues: key is not below Keys");
    const unsigned lanes = __activemask(), peers = __match_any_sync(lanes, key);
    const int taker = __ffs(static_cast<int>(peers)) - 1;
    detail::word64 begin = 0;
    if (static_cast<int>(warp::lane()) == taker) {
      begin = atomicAdd(&totals_->of_key[key].pushed, static_cast<detail::word64>(__popc(peers)));
    }
    begin = __shfl_sync(lanes, begin, taker);
    const auto place = begin + static_cast<unsigned>(__popc(peers & detail::ptx::lanemask_lt()));
    if (place < capacity_) values()[detail::word64{key} * capacity_ + place] = value;
  }

  /// Returns a range over the rows of this warp, or of this block: 32 values of one key, or as many as the block has
  /// threads.
  ///
  /// **Preconditions**: every thread of every block calls it, once per launch for the same queues. The grid has one
  /// dimension, and blocks are whole warps. Rows of several queues, one after another, may use the same storage.
  /// **Cost**: two barriers; with `granularity::block`, one more per row.
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

}}  // namespace heddle::HEDDLE_ABI
