#pragma once

#include <heddle/expand/detail/level_walk.hpp>
#include <heddle/expand/expansion.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Visits levels of items in one launch: the items of a level spawn the sources of the next one, until a level has
/// none. Breadth-first search is such a loop, and so are hierarchical culling and refinement. The host reads nothing
/// back.
///
///   level 0    source 5, n = 2          items  5.0  5.1        5.1 spawns source 8, n = 3
///   level 1    source 8, n = 3          items  8.0  8.1  8.2   these spawn nothing
///   level 2    none: the end
///
/// **Preconditions**: the state is `state_bytes(capacity)` bytes of device memory, aligned to 16. `begin_async` comes
/// first in each turn, then kernels that push level 0, and then one launch as `grid` returns it: all its blocks are
/// resident at once. In that launch all threads of all blocks call `run` once.
///
/// **Effects**: in each level each pair of a source and a rank below its n is visited once, after all visits of the
/// level before it. Writes of a level are visible in the next one, if they are read as memory that changes: not through
/// `__ldg`. The capacity is that of one level. If a level finds no room, nothing of it is visited, the levels before it
/// are complete, and `required` returns the room of the largest level so far, exactly.
///
/// **Cost**: 16 bytes of state per source of the capacity. One barrier of the whole grid per level; a level of at most
/// one item per thread of a block is visited by one block, which waits for no other. `run` uses 16 KB of shared memory.
/// H200, a solve: 2.7 us for a level of two items, 3.8 for one of 4096; a search: 108 G edges/s in large levels.
///
/// **Example** (examples/levels/levels.cu):
///
///     __shared__ heddle::static_shared<heddle::levels::storage> smem;
///     work.run(smem, [&](unsigned first, unsigned rank, unsigned level) -> heddle::spawned {
///
/// **Offers** besides
///   grid(kernel, threads, dynamic_smem, cap)  the launch of `run`
///   begin_async(stream)                       clears the counters before each turn
///   capacity(), state()                       the room there is; its memory
class levels : public detail::expand::level_lists {
 public:
  /// Refuses a capacity of more than 2^32 - 2^26 - 1 sources or 2^32 - 64 items, one with which items could carry into
  /// the sources, and a null or misaligned state.
  HEDDLE_HOST levels(expansion capacity, void* device_state) : level_lists(capacity, device_state) {
    detail::require_at_most(detail::most_items, "heddle::levels: items", detail::as_signed(capacity.items));
  }

  /// Returns the bytes of device memory that a capacity needs.
  HEDDLE_FN static decltype(sizeof 0) state_bytes(expansion capacity) {
    return sizeof(totals) + 2 * sizeof(detail::expand::level_entry) * capacity.sources;
  }

  /// Returns the room that each level so far needs, exact in 64 bits: on the host from a copy of the totals. The turn
  /// is complete if it is within the capacity.
  HEDDLE_FN expansion required(const totals& of) const { return {of.visited.most_sources, of.visited.most_items}; }
  /// Returns how many levels the turn visited.
  HEDDLE_FN unsigned levels_visited(const totals& of) const { return of.visited.levels; }
  /// Returns how many items the turn visited, in all levels.
  HEDDLE_FN unsigned long long items_visited(const totals& of) const { return of.visited.items; }

  /// Shared memory of `run`: 16.1 KB.
  using storage = detail::expand::level_storage;

#if defined(__CUDACC__)
  /// Pushes a source of level 0, from any thread of a launch before that of `run`.
  HEDDLE_DEVICE void push_some(unsigned source, unsigned n) const {
    if (n == 0) return;
    const detail::expand::pushed_by_some mine(n);
    detail::expand::packed_totals& of_list = totals_->of_list[0];
    const detail::word64 taken = mine.by_one([&] { return counter_.take(of_list, mine.all, mine.all.sources()); });
    const auto [admitted, index, begin] = counter_.admit(of_list, taken, mine.sources_before, mine.items_before, n);
    if (admitted) list(0)[index] = {source, begin};
  }

  /// Calls `visit(source, rank, level)` for each item of each level, in any thread; it returns the source that the item
  /// spawns, as a `spawned`. It has no barriers and meets no other threads.
  template <class Visit>
  HEDDLE_DEVICE void run(storage& shared, Visit visit) const {
    detail::expand::check_items(shared);
    check_launch();
    if (detail::warp::thread() == 0) shared.visited = {};
    read_level(shared, {0, 0, 1});
    unsigned others_read = 0;  // the counters that another block may not yet have read
    for (unsigned barriers = 1; shared.items > 0;) {
      const bool is_alone = is_for_one_block(shared);
      place at = place::of(shared.place);
      if (!is_alone || blockIdx.x == 0) {
        const unsigned free = at.spare() == others_read ? at.here : at.spare();
        if (is_first()) totals_->of_list[free] = {};
        visit_level(shared, is_alone ? 0 : blockIdx.x, is_alone ? 1 : gridDim.x, visit);
        at = {at.level + 1, at.next, free};
      }
      if (is_alone && blockIdx.x == 0) {
        read_level(shared, at);
        if (shared.items > 0 && is_for_one_block(shared)) continue;  // the others wait for a level that needs them
      }
      meet(shared, at, barriers++);
      others_read = place::of(shared.place).here;
    }
    if (is_first()) totals_->visited = shared.visited;
  }

 private:
  using place = detail::expand::level_place;

  /// Returns whether a level has at most one item per thread of a block.
  HEDDLE_DEVICE static bool is_for_one_block(const storage& shared) {
    return shared.items <= detail::warp::threads_in_block();
  }

  /// Visits the share of one of `blocks` blocks. Neighbouring runs are in different blocks.
  template <class Visit>
  HEDDLE_DEVICE void visit_level(storage& shared, unsigned block, unsigned blocks, Visit& visit) const {
    const unsigned level = place::of(shared.place).level, warps = detail::warp::threads_in_block() / 32;
    if (detail::warp::thread() == 0) {
      shared.visited.levels = level + 1;
      shared.visited.items += shared.items;
    }
    walk(shared, detail::warp::thread() / 32 * blocks + block, warps * blocks,
         [&](unsigned source, unsigned rank) { return visit(source, rank, level); });
  }

  /// Reads the size of a level into shared memory: 0 items if it has none, or no room. It has two barriers.
  HEDDLE_DEVICE void read_level(storage& shared, place at) const {
    __syncthreads();
    if (detail::warp::thread() == 0) shared.read(at, counter_.required(totals_->of_list[at.here]), capacity_);
    __syncthreads();
  }

  /// Waits for all blocks, and reads where the first one goes on. It writes to two words in turn: a block may still
  /// read the word of the barrier before.
  HEDDLE_DEVICE void meet(storage& shared, place at, unsigned barriers) const {
    __syncthreads();
    if (detail::warp::thread() == 0) {
      if (blockIdx.x == 0) totals_->places[barriers % 2] = at.word();
      meet_blocks(barriers);
      expansion needed = counter_.required(totals_->of_list[at.here]);  // read with the place, which is mostly this one
      const place next = place::of(totals_->places[barriers % 2]);
      if (next.here != at.here) needed = counter_.required(totals_->of_list[next.here]);
      shared.read(next, needed, capacity_);
    }
    __syncthreads();
  }
#endif
};

}}  // namespace heddle::HEDDLE_ABI
