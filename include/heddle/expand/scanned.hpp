#pragma once

#include <heddle/detail/expander.hpp>
#include <heddle/detail/item_walk.hpp>
#include <heddle/detail/slab_list.hpp>
#include <heddle/detail/span.hpp>

namespace heddle::inline v0 {

/// Sources in their own order: that of the blocks of the first pass, and of their threads. The same every time.
///
/// A prefix sum without a pass of its own, and without anybody who waits: a block sorts its own sources and adds what
/// it has to a few sums. In the second pass a block reads slab by slab, and goes down these sums to where each begins.
///
///   block 0 pushes (5, 2), (6, 0), (7, 1)     slab 0: {5, begins at 0} {7, begins at 2}     3 items
///   block 1 pushes (8, 0), (9, 4), (3, 0)     slab 1: {9, begins at 0}                      4 items
///   the second pass                           items   5.0 5.1 7.0 9.0 9.1 9.2 9.3
///
/// The state is the caller's: `state_bytes(capacity)` bytes on the device. Room is for all sources of the first pass,
/// also for those that spawn nothing, each block counted as whole warps. A block for whose slab there is no room is
/// left out, and so is every source from the first on whose items do not fit. `required` says how much room all take.
class scanned : public detail::expander_base<scanned, detail::slab_totals, detail::page_readers> {
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

  struct push_storage {
    detail::span of_warp[32];
  };
  using storage = detail::pages<detail::slab_list>;

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
    const unsigned number = warp::thread() / 32;
    const detail::span of_mine = detail::span_of(source, n, mine.all);
    if (warp::lane() == 0) shared.of_warp[number] = of_mine;
    __syncthreads();
    detail::span all = detail::no_span;
    detail::live before;
    for (unsigned each = 0; each * 32 < warp::threads_in_block(); ++each) {
      if (each == number) before.word = all.pushed;
      all = all + shared.of_warp[each];
    }
    const detail::live total{all.pushed};
    const auto form = detail::entry_form::of(all.least, all.most, all.is_in_order != 0, total.items());
    if (warp::thread() == 0) enter(block, pitch, fits, {total, form});
    if (!fits) return;
    unsigned* const words = slabs_.entries(detail::word64{block} * pitch);
    const unsigned first = before.sources();
    if (form.has_begins_alone()) {
      const auto begin = static_cast<unsigned>(before.items());
      mine.for_each(n, [&](unsigned i, unsigned sources, unsigned items) {
        if (n[i] > 0)
          reinterpret_cast<unsigned short*>(words)[first + sources] = static_cast<unsigned short>(begin + items);
      });
    } else if (!form.is_two_words()) {
      const auto begin = static_cast<unsigned>(before.items());
      mine.for_each(n, [&](unsigned i, unsigned sources, unsigned items) {
        if (n[i] > 0) words[first + sources] = form.word({source[i], begin + items});
      });
    } else {
      mine.for_each(n, [&](unsigned i, unsigned sources, unsigned items) {
        const unsigned begin = detail::clipped(before.items() + items);
        if (n[i] > 0) reinterpret_cast<detail::entry*>(words)[first + sources] = {source[i], begin};
      });
    }
  }

  HEDDLE_DEVICE expansion required() const {
    return required(*totals_);
  }

  /// For every thread of the block: the items of this thread, or those that it works on with its warp or its block.
  template <granularity Granularity = granularity::thread>
  HEDDLE_DEVICE detail::item_cursor<detail::slab_list, Granularity> items(storage& shared) const {
    const detail::word64 required = slabs_.items(), room = capacity_.items;
    const unsigned blocks = totals_->blocks, pitch = totals_->pitch;
    const auto places = pitch == 0 ? 0 : static_cast<unsigned>(capacity_.sources) / pitch;
    detail::slab_list all{&slabs_,
                          blocks,
                          blocks < places ? blocks : places,
                          pitch,
                          detail::clipped(required),
                          totals_->largest,
                          detail::most_in_page / (totals_->in_two_words != 0 ? 2 : 1)};
    if (required > room) all.items = all.begin_of(static_cast<unsigned>(room));  // who has it has no room
    return {shared, all};
  }

 private:
  /// For one thread.
  HEDDLE_DEVICE void enter(unsigned block, unsigned pitch, bool fits, detail::slab what) const {
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    const detail::word64 items = what.all.items();
    if (block == 0) totals_->blocks = blocks;
    if (block == 0) totals_->pitch = pitch;
    if (fits) {
      slabs_.add(block, blocks, what);
      atomicMax(&totals_->largest, detail::clipped(items));
      if (what.form.is_two_words() && items > 0) totals_->in_two_words = 1;
    } else {
      atomicAdd(&totals_->refused_items, items);
    }
  }
#endif

 private:
  detail::slabs slabs_;
};

static_assert(expander<scanned>);

}  // namespace heddle::inline v0
