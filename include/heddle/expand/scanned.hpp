#pragma once

#include <heddle/detail/expander.hpp>
#include <heddle/detail/item_walk.hpp>
#include <heddle/detail/slab_list.hpp>

namespace heddle::inline v0 {

/// Sources in their own order: that of the blocks of the first pass, and of their threads. The same every time.
///
/// A prefix sum without a pass of its own, and without anybody who waits: a block sorts its own sources and adds what
/// it has to a few sums. In the second pass each warp goes down these sums to where it begins, once.
///
///   block 0 pushes (5, 2), (6, 0), (7, 1)     slab 0: {5, ends at 2} {7, ends at 3}      3 items
///   block 1 pushes (8, 0), (9, 4), (3, 0)     slab 1: {9, ends at 4}                     4 items
///   the second pass                           items   5.0 5.1 7.0 9.0 9.1 9.2 9.3
///
/// The state is the caller's: `state_bytes(capacity)` bytes on the device. Room is for all sources of the first pass,
/// also for those that spawn nothing, each block counted as whole warps. A block for whose slab there is no room is
/// left out, and so is every source from the first on whose items do not fit. `required` says how much room all take.
class scanned : public detail::expander_base<scanned, detail::slab_totals> {
 public:
  HEDDLE_HOST scanned(expansion capacity, void* device_state)
      : expander_base("heddle::scanned: state", "heddle::scanned: items", capacity, device_state),
        slabs_(detail::require_state<detail::word64>("heddle::scanned: state", device_state), capacity.sources) {
    detail::require_at_most(detail::slabs::most, "heddle::scanned: sources", detail::as_signed(capacity.sources));
  }

  HEDDLE_FN static decltype(sizeof 0) state_bytes(expansion capacity) { return detail::slabs::bytes(capacity.sources); }
  HEDDLE_FN static decltype(sizeof 0) bytes_to_clear(expansion capacity) {
    return detail::slabs::bytes_to_clear(capacity.sources);
  }

  /// How much room all that was pushed takes.
  HEDDLE_FN expansion required(const totals& of) const {
    detail::word64 items = of.refused_items;
    for (const detail::word64 sum : of.top) items += sum;
    return {detail::word64{of.blocks} * of.pitch, items};
  }

  using push_storage = detail::block_sums;
  struct storage {};

#if defined(__CUDACC__)
  /// Of every block once, and always of as many sources.
  using expander_base::push;
  template <unsigned Count>
  HEDDLE_DEVICE void push(push_storage& shared, const unsigned (&source)[Count], const unsigned (&n)[Count]) const {
    namespace warp = detail::warp;
    const unsigned pitch = (warp::threads_in_block() + 31) / 32 * 32 * Count;
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const bool fits = (detail::word64{block} + 1) * pitch <= capacity_.sources;
    const detail::pushed_rows<Count> mine(n);
    const detail::live before{
        detail::add_up(shared, mine.all, [&](detail::live of_warps, detail::live total) -> detail::word64 {
          if (warp::lane() == 0) {
            const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
            if (block == 0) totals_->blocks = blocks;
            if (block == 0) totals_->pitch = pitch;
            if (fits) slabs_.add(block, blocks, total);
            if (!fits) atomicAdd(&totals_->refused_items, total.items());
          }
          return of_warps.word;
        })};
    if (!fits) return;
#pragma unroll
    for (unsigned i = 0; i < Count; ++i) {
      const detail::word64 end = before.items() + mine.items_before[i] + n[i];
      if (n[i] == 0) continue;
      slabs_.entries()[block * pitch + before.sources() + mine.sources_before[i]] = {
          source[i], end < detail::no_end ? static_cast<unsigned>(end) : detail::no_end};
    }
  }

  HEDDLE_DEVICE expansion required() const {
    return required(*totals_);
  }

  /// For every thread of the block: the items of this thread, or those that it works on with its warp or its block.
  template <granularity Granularity = granularity::thread>
  HEDDLE_DEVICE detail::item_cursor<detail::slab_list, Granularity> items(storage&) const {
    const detail::word64 required = slabs_.items(), room = capacity_.items;
    const unsigned blocks = totals_->blocks, pitch = totals_->pitch;
    const detail::word64 places = pitch == 0 ? 0 : capacity_.sources / pitch;
    detail::slab_list all{slabs_, blocks, blocks < places ? blocks : static_cast<unsigned>(places), pitch,
                          static_cast<unsigned>(required)};
    if (required > room) all.item_count = all.begin_of(static_cast<unsigned>(room));  // who has it has no room
    return detail::item_cursor<detail::slab_list, Granularity>(all);
  }
#endif

 private:
  detail::slabs slabs_;
};

static_assert(expander<scanned>);

}  // namespace heddle::inline v0
