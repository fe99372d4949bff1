#pragma once

#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/level_base.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::expand {

/// The counters of one turn.
struct alignas(16) ordered_totals {
  unsigned arrived;       // blocks that have come to a barrier, of all barriers
  unsigned levels, last;  // levels that were visited; items of the list that stays
  word64 most;            // items of the largest level
};

}  // namespace detail::expand

/// Visits levels of items in one launch, in order: the children of an item are where an exclusive scan of the numbers
/// of children puts them, and the list of the last level stays for later kernels. Rays through an octree are such a
/// loop, with hits in the order of the rays. The host reads nothing back.
///
///   roots      a  b  c                2, 0 and 3 children
///   level 1    a0 a1 c0 c1 c2         0, 1, 0, 0 and 2
///   level 2    a10 c20 c21            the list that stays after two levels
///
/// **Preconditions**: the state is `state_bytes(most_items)` bytes of device memory, aligned to 16. `begin_async` comes
/// first in each turn, and then one launch as `grid` returns it: all its blocks are resident at once. In that launch
/// all threads of all blocks call `run` once, with the same numbers. An `Item` is of whole words, copied as bytes.
///
/// **Effects**: calls `root(i)` once for each root, `count(item, level)` once for each item of each level, and then
/// `child(item, rank, level)` once for each rank below that number. Writes of a level are visible in the next one, if
/// they are read as memory that changes: not through `__ldg`. If a level finds no room, none of it is made, `last` has
/// no items, and `required` returns the room of the largest level so far, exactly.
///
/// **Cost**: two items and 4 bytes of state per item of the capacity. Two barriers of the whole grid per level. A
/// warp makes the children of 32 items, each lane those that are next. `run` uses 272 bytes of shared memory.
///
/// **Example** (bench/wild/small.cuh):
///
///     work.run(
///         shared, roots, depth_of_tree, [](unsigned i) { return octree::root(i); },
///         [&](unsigned pair, unsigned) { return of.children(pair); },
///         [](unsigned pair, unsigned rank, unsigned) { return octree::child(pair, rank); });
///
/// **Offers** besides
///   grid(kernel, threads, dynamic_smem, cap)  the launch of `run`
///   begin_async(stream)                       clears the counters before each turn
///   capacity(), state()                       the room there is; its memory
template <class Item = unsigned>
class ordered_levels : public detail::expand::level_base<detail::expand::ordered_totals, unsigned long long> {
  static_assert(__is_trivially_copyable(Item) && sizeof(Item) % 4 == 0 && alignof(Item) <= 16);
  using word64 = detail::word64;

 public:
  /// Refuses a capacity of more than 2^31 items, and a null or misaligned state.
  HEDDLE_HOST ordered_levels(unsigned long long most_items, void* device_state)
      : level_base("heddle::ordered_levels: state", most_items, device_state) {
    detail::require_at_most(1LL << 31, "heddle::ordered_levels: items", detail::as_signed(most_items));
  }

  /// Returns the bytes of device memory that a capacity needs, in items of one level.
  HEDDLE_FN static decltype(sizeof 0) state_bytes(unsigned long long most_items) {
    return sizeof(totals) + sizeof(word64) * most_blocks + (2 * sizeof(Item) + sizeof(unsigned)) * most_items;
  }

  /// Returns the room that each level so far needs, exact in 64 bits: on the host from a copy of the totals. The turn
  /// is complete if it is within the capacity.
  HEDDLE_FN unsigned long long required(const totals& of) const { return of.most; }
  /// Returns how many levels of the turn had items and counted their children.
  HEDDLE_FN unsigned levels_visited(const totals& of) const { return of.levels; }

  /// Items one after another, in device memory.
  struct list {
    const Item* items;
    unsigned count;
  };
  /// Returns the list that the last level made, or none: on the host from a copy of the totals.
  HEDDLE_FN list last(const totals& of) const { return {items(of.levels), of.last}; }

  /// Shared memory of `run`: 272 bytes.
  struct storage {
    detail::expand::block_sums sums;
    word64 before, all;  // children: of the blocks before this one, of the level
  };

#if defined(__CUDACC__)
  /// Returns the list that the last level made, in a later kernel.
  HEDDLE_DEVICE list last() const {
    return last(*totals_);
  }

  /// Visits up to `levels` levels, of which the first has the items `root(0)` to `root(roots - 1)`.
  template <class Root, class Count, class Child>
  HEDDLE_DEVICE void run(storage& shared, unsigned roots, unsigned levels, Root root, Count count, Child child) const {
    detail::expand::check_items(shared);
    check_launch();
    word64 size = roots, most = roots;
    part own = part_of(size);
    for (unsigned i = own.begin + detail::warp::lane(); i < own.end; i += 32) items(0)[i] = root(i);
    __syncwarp();  // other lanes read them
    unsigned level = 0;
    for (; level < levels && 0 < size && size <= capacity_; ++level) {
      const word64 children = count_children(own, level, count);
      const auto of_warps = [&](detail::expand::live before, detail::expand::live all) {
        if (detail::warp::lane() == 0) of_blocks()[blockIdx.x] = all.word;
        return before.word;
      };
      const word64 before = detail::expand::add_up(shared.sums, {children}, of_warps);
      meet_all(2 * level + 1);
      if (detail::warp::thread() < 32) add_blocks(shared);
      __syncthreads();
      size = shared.all;
      most = size > most ? size : most;
      if (size <= capacity_) {
        make_children(own, static_cast<unsigned>(children), items(level + 1) + shared.before + before, level, child);
      }
      meet_all(2 * level + 2);
      own = part_of(size);
    }
    if (is_first()) {
      totals_->levels = level;
      totals_->last = size <= capacity_ ? static_cast<unsigned>(size) : 0;
      totals_->most = most;
    }
  }

 private:
  /// Items of a level that this warp has: whole rows of 32. A level that finds no room has none.
  struct part {
    unsigned begin, end;
  };
  HEDDLE_DEVICE part part_of(word64 size) const {
    using warps = detail::expand::unit<granularity::warp>;
    const auto items = static_cast<unsigned>(size <= capacity_ ? size : 0);
    const unsigned each = ((items + 31) / 32 + warps::count() - 1) / warps::count() * 32;
    const unsigned begin = each * warps::number();
    return {begin < items ? begin : items, begin < items && items - begin > each ? begin + each : items};
  }

  /// Writes how many children the warp has before each of its items, and returns how many in all.
  template <class Count>
  HEDDLE_DEVICE word64 count_children(part own, unsigned level, Count& count) const {
    word64 so_far = 0;
    for (unsigned i = own.begin + detail::warp::lane(); i - detail::warp::lane() < own.end; i += 32) {
      const detail::expand::pushed of(i < own.end ? count(items(level)[i], level) : 0);
      if (i < own.end) befores()[i] = detail::expand::clipped(so_far + of.items_before);
      so_far += __shfl_sync(detail::warp::all, of.all.items(), 31);
    }
    return so_far;
  }

  /// Adds up the children of the blocks before this one, and of all: one warp.
  HEDDLE_DEVICE void add_blocks(storage& shared) const {
    word64 before = 0, all = 0;
    constexpr unsigned at_once = 9;  // words that a lane waits for together
    for (unsigned first = detail::warp::lane(); first < gridDim.x; first += at_once * 32) {
#pragma unroll
      for (unsigned i = 0, block = first; i < at_once; ++i, block += 32) {
        const word64 its = block < gridDim.x ? of_blocks()[block] : 0;
        all += its;
        before += block < blockIdx.x ? its : 0;
      }
    }
    before = detail::warp::inclusive_sum(before);
    all = detail::warp::inclusive_sum(all);
    if (detail::warp::lane() == 31) shared.before = before, shared.all = all;
  }

  /// Makes the `all` children of the warp's items. Each row of 32 items deals out its own to the lanes, unless a loop
  /// in each lane is as good.
  template <class Child>
  HEDDLE_DEVICE void make_children(part own, unsigned all, Item* to, unsigned level, Child& child) const {
    namespace warp = detail::warp;
    const auto make = [&](unsigned of, unsigned rank, unsigned at) {
      const Item item = items(level)[of];
      to[at] = child(item, rank, level);
    };
    for (unsigned row = own.begin; row < own.end; row += 32) {
      const unsigned mine = row + warp::lane(), begin = mine < own.end ? befores()[mine] : all;
      const unsigned next = mine + 1 < own.end ? befores()[mine + 1] : all, end = __shfl_sync(warp::all, next, 31);
      if (__all_sync(warp::all, next - begin <= 2)) {
        for (unsigned at = begin; at < next; ++at) make(mine, at - begin, at);
        continue;
      }
      for (unsigned at = __shfl_sync(warp::all, begin, 0) + warp::lane(); at - warp::lane() < end; at += 32) {
        int of = 0;  // the last item of the row that begins here or before
#pragma unroll
        for (int step = 16; step > 0; step /= 2) of += __shfl_sync(warp::all, begin, of + step) <= at ? step : 0;
        const unsigned its_begin = __shfl_sync(warp::all, begin, of);
        if (at < end) make(row + static_cast<unsigned>(of), at - its_begin, at);
      }
    }
  }
#endif

  // The state: the totals, the children of each block, the items of two levels, and the children before each item.
  HEDDLE_FN word64* of_blocks() const {
    return reinterpret_cast<word64*>(totals_ + 1);
  }
  HEDDLE_FN Item* items(unsigned level) const {
    return reinterpret_cast<Item*>(of_blocks() + most_blocks) + level % 2 * capacity_;
  }
  HEDDLE_FN unsigned* befores() const {
    return reinterpret_cast<unsigned*>(items(1) + capacity_);
  }
};

}}  // namespace heddle::HEDDLE_ABI
