#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/detail/gpu.hpp>
#include <heddle/detail/most_items.hpp>
#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/item_unit.hpp>
#include <heddle/expand/detail/packed_counter.hpp>
#include <heddle/expand/detail/warp_items.hpp>
#include <heddle/launch/launch_shape.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::expand {

/// The counters of one launch of `warp_dealt`.
struct dealt_counters {
  packed_totals list;  // of sources with many items
  word64 taken;        // items that blocks have taken of it
  unsigned blocks;     // that push no more: below, all; above, those that pushed
  unsigned before;     // blocks of all launches before
};

/// A word in a line of its own.
struct dealt_line {
  unsigned word, rest_of_line[31];
};

/// Shared memory of a block.
struct dealt_storage {
  word64 taken[2];
  unsigned set, is_list;  // of counters; whether there is a list to walk
};

}  // namespace detail::expand

/// Visits the items of sources in one launch, without a first pass: a warp deals out the items of its 32 sources to its
/// lanes, unless a loop in each lane is as good. Sources of more than 64 items go to a list, which all blocks walk at
/// the end. For work that is small or even, and where a loop would be in doubt.
///
///   a warp's sources    0: n = 3   1: n = 0   2: n = 2   3: n = 90      turn 0    0.0 0.1 0.2 2.0 2.1 …
///   the list            3: n = 90                                       later     3.0 3.1 … 3.31, in another warp
///
/// **Preconditions**: the state is `state_bytes(listed)` bytes of device memory, aligned to 16, of which the first
/// `bytes_to_clear()` are zeroed once. One launch at a time uses it, in blocks of whole warps, at most 65535 of them;
/// all threads of all blocks call `run` or `run_in_rows` once.
///
/// **Effects**: `visit(source, rank)` is called once for each source below the number of sources, and each rank below
/// its `count(source)`. Nothing is left out: a source that finds no room in the list is visited by its warp. The state
/// is ready for the next launch.
///
/// **Cost**: 8 bytes of state per source that can be listed. Three barriers and two atomic additions per block, and no
/// memset. A block that ends waits for blocks that still push, and some 10 us for those that have not started. L2
/// performs the additions one after another, so that few large blocks are best: those of `threads()`.
///
/// **Example** (bench/wild/lists.cuh):
///
///     const auto count = [&](unsigned thing) { return all.parts_of(thing); };
///     const auto visit = [&](unsigned thing, unsigned part) { all.visit(thing, part); };
///     …
///     work.run(shared, count, visit);
///
/// **Offers**
///   run(smem, count, visit)                  all items, all threads of the grid
///   run_in_rows(smem, count, visit)          the same, for items with places that follow one another
///   grid(kernel, threads, dynamic_smem, cap) the launch
class warp_dealt {
 public:
  /// For so many sources, of which up to `listed` may be in the list. Refuses more than 2^28 of either, and a null or
  /// misaligned state.
  HEDDLE_HOST warp_dealt(unsigned long long sources, unsigned long long listed, void* device_state)
      : counter_("heddle::warp_dealt: listed", "heddle::warp_dealt: items",
                 {at_most("heddle::warp_dealt: listed", listed), detail::most_items}),
        sources_(at_most("heddle::warp_dealt: sources", sources)),
        state_(detail::require_state<state_words>("heddle::warp_dealt: state", device_state)) {}

  /// Returns the bytes of device memory for a list of so many sources.
  HEDDLE_FN static decltype(sizeof 0) state_bytes(unsigned long long listed) {
    return sizeof(state_words) + sizeof(detail::expand::level_entry) * listed;
  }
  /// Returns the bytes at the start of the state that the caller zeroes before the first launch.
  HEDDLE_FN static decltype(sizeof 0) bytes_to_clear() { return sizeof(state_words); }

  /// Returns the device memory.
  HEDDLE_FN void* state() const { return state_; }

  /// Returns the threads of a block: 1024, or as many as leave a block for each multiprocessor, but at least 256. A
  /// kernel that takes more than 64 registers needs `__launch_bounds__(1024)` for them.
  HEDDLE_FN unsigned threads() const { return sources_ >= 1u << 18 ? 1024 : sources_ >= 1u << 17 ? 512 : 256; }

  /// Shared memory of `run`: 24 bytes.
  using storage = detail::expand::dealt_storage;

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
  /// Returns the launch on the current device: a thread per source, but at most as many blocks as are resident at once
  /// on `cap` multiprocessors. Blocks must be whole warps.
  template <class... Params>
  launch_config grid(void (*kernel)(Params...), dim3 threads, decltype(sizeof 0) dynamic_smem = 0,
                     int cap = 0x7fffffff) const {
    detail::require_whole_warps(threads);
    const unsigned in_block = threads.x * threads.y * threads.z;
    return detail::resident_of(reinterpret_cast<const void*>(kernel), threads, dynamic_smem,
                               sources_ / in_block + (sources_ % in_block > 0), 1, cap);
  }
#endif

#if defined(__CUDACC__)
  /// Calls `visit(source, rank)` for each item, in any thread. `count(source)` returns how many a source has; it is
  /// called once per source. Neither has a barrier.
  template <class Count, class Visit>
  HEDDLE_DEVICE void run(storage& shared, Count count, Visit visit) const {
    run_by<false>(shared, count, visit);
  }
  /// The same, and lanes that follow one another have items that do, also of even sources: for items whose places do.
  template <class Count, class Visit>
  HEDDLE_DEVICE void run_in_rows(storage& shared, Count count, Visit visit) const {
    run_by<true>(shared, count, visit);
  }

 private:
  using gpu = detail::gpu<false>;

  template <bool InRows, class Count, class Visit>
  HEDDLE_DEVICE void run_by(storage& shared, Count& count, Visit& visit) const {
    namespace warp = detail::warp;
    detail::expand::check_items(shared);
    detail::check(gridDim.x < 1u << 16, "heddle: warp_dealt in a launch of more than 65535 blocks");
    const unsigned threads = warp::threads_in_block(), step = threads * gridDim.x;
    const bool is_first = warp::thread() == 0;
    if (is_first) atomicAdd(&state_->started.word, 1u);  // at once: a load could wait behind what other blocks add
    unsigned first = blockIdx.x * threads, source = first + warp::thread(), blocks = 0;
    if (is_first) shared.set = gpu::load(&state_->sets[blockIdx.x % lines].word);
    unsigned n = source < sources_ ? count(source) : 0;
    __syncthreads();
    const unsigned set = shared.set;
    detail::expand::dealt_counters& counters = state_->both[set];
    for (bool pushes = false, is_last = false; !is_last; first += step, source += step) {
      is_last = first >= sources_ || sources_ - first <= step;
      detail::expand::warp_items all(source - warp::lane(), n);
      if (all.longest() > all.most_dealt()) {
        pushes = true;  // also without room: the first source without it says where the list ends
        if (pushed(counters, source, n > all.most_dealt() ? n : 0)) n = 0;
        all = detail::expand::warp_items(source - warp::lane(), n);
      }
      n = is_last || source + step >= sources_ ? 0 : count(source + step);
      if (is_last) {
        pushes = __syncthreads_or(pushes) != 0;
        // Without a push there is nothing to release, and a release would wait for what other warps store.
        const unsigned arrives = 1 + (pushes ? has_pushed : 0);
        if (is_first)
          blocks = arrives + (pushes ? detail::ptx::atom_release_add(&counters.blocks, arrives)
                                     : atomicAdd(&counters.blocks, arrives));
      }
      all.template visit<InRows>(visit);
    }
    if (is_first) shared.is_list = has_list(counters, set, blocks);
    __syncthreads();
    if (shared.is_list != 0) walk(shared, counters, visit);
  }

  // In the word of blocks; and at the number of those that have started, some 10 us.
  static constexpr unsigned has_pushed = 1 << 16, most_looks = 16;

  /// Pushes a source, of many items or of none, and returns whether it found room. All lanes of the warp call it.
  HEDDLE_DEVICE bool pushed(detail::expand::dealt_counters& counters, unsigned source, unsigned n) const {
    const detail::expand::pushed sums(n);
    const detail::word64 taken =
        detail::warp::by_one(detail::warp::all, 31, [&] { return counter_.take(counters.list, sums.all, 32); });
    const auto [admitted, index, begin] =
        counter_.admit(counters.list, taken, sums.sources_before, sums.items_before, n);
    if (admitted) entries()[index] = {source, begin};
    return admitted;
  }

  /// Waits until no block pushes any more, and returns whether there is a list. If blocks do not start for a while,
  /// which may wait for this one to end, it returns false: the list is theirs. The last block to arrive prepares the
  /// next launch. There is no fence: beside one, ptxas compiles the additions of `visit` as atomics, which take longer.
  HEDDLE_DEVICE bool has_list(detail::expand::dealt_counters& counters, unsigned set, unsigned blocks) const {
    const auto arrived = [&] { return blocks % has_pushed; };
    detail::check(arrived() <= gridDim.x,
                  "heddle: a state in two launches at once, or not zeroed, or not entered by every block");
    if (arrived() == gridDim.x) {
      state_->both[1 - set] = {{}, 0, 0, counters.before + gridDim.x};
      for (auto& each : state_->sets) gpu::store(&each.word, 1 - set);
    }
    for (unsigned looks = 0; arrived() != gridDim.x; gpu::pause()) {
      blocks = gpu::load(&counters.blocks);
      if (arrived() == gridDim.x) break;
      if (gpu::load(&state_->started.word) - counters.before != gridDim.x && ++looks == most_looks) return false;
    }
    return blocks >= has_pushed && detail::ptx::ld_acquire(&counters.blocks) != 0;
  }

  /// The list, as a warp searches it.
  struct entry_list {
    const detail::expand::level_entry* all;
    detail::expand::packed_counter::position count;

    HEDDLE_DEVICE unsigned sources() const { return count.source; }
    HEDDLE_DEVICE unsigned items() const { return count.item; }
    HEDDLE_DEVICE detail::expand::level_entry at(unsigned i) const { return detail::ptx::ld_cg(&all[i]); }
  };

  /// Takes some items of the list after others, as many for each warp.
  template <class Visit>
  HEDDLE_DEVICE void walk(storage& shared, detail::expand::dealt_counters& counters, Visit& visit) const {
    namespace warp = detail::warp;
    const entry_list list{entries(), counter_.admitted(counters.list)};
    const unsigned warps = warp::threads_in_block() / 32, share = list.items() / (gridDim.x * warps) / 32 * 32 + 32;
    const unsigned each = share < 1024 ? share : 1024;
    for (bool odd = false;; odd = !odd) {
      if (warp::thread() == 0) shared.taken[odd] = atomicAdd(&counters.taken, detail::word64{each} * warps);
      __syncthreads();
      const detail::word64 taken = shared.taken[odd], begin = taken + each * (warp::thread() / 32);
      if (taken >= list.items()) break;
      if (begin >= list.items()) continue;
      const auto from = static_cast<unsigned>(begin), left = list.items() - from;
      detail::expand::for_rows_of_list(list, from, left < each ? list.items() : from + each,
                                       [&](unsigned source, unsigned rank, bool is_item) {
                                         if (is_item) visit(source, rank);
                                       });
    }
  }

  HEDDLE_DEVICE detail::expand::level_entry* entries() const {
    return reinterpret_cast<detail::expand::level_entry*>(state_ + 1);
  }
#endif

 private:
  static constexpr unsigned lines = 8;
  struct alignas(16) state_words {
    detail::expand::dealt_line started, sets[lines];  // blocks of all launches; which counters this one uses
    detail::expand::dealt_counters both[2];           // of a launch, and of the next
  };

  HEDDLE_HOST static unsigned at_most(const char* name, unsigned long long count) {
    detail::require_at_most(1 << 28, name, detail::as_signed(count));
    return static_cast<unsigned>(count);
  }

  detail::expand::packed_counter counter_;
  unsigned sources_;
  state_words* state_;
};

}}  // namespace heddle::HEDDLE_ABI
