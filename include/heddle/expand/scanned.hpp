#pragma once

#include <heddle/expand/detail/expander.hpp>
#include <heddle/expand/detail/item_walk.hpp>
#include <heddle/expand/detail/slab_list.hpp>
#include <heddle/expand/detail/source_span.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Lists the sources in their own order, the same in every run: by block of the first pass, by warp, by place in the
/// arrays, by thread. A block writes the sources that spawn into a slab of its own, and adds its total to a few sums
/// without waiting for them. In the second pass a block reads slab by slab, and goes down these sums to each begin.
///
///   block 0 pushes (5, 2), (6, 0), (7, 1)     slab 0: {5, begins at 0} {7, begins at 2}     3 items
///   block 1 pushes (8, 0), (9, 4), (3, 0)     slab 1: {9, begins at 0}                      4 items
///   the second pass                           items   5.0 5.1 7.0 9.0 9.1 9.2 9.3
///
/// **Preconditions**: the state is `state_bytes(capacity)` bytes of device memory, aligned to 16. `begin_async` comes
/// before the first pass of each turn, which is one launch: every thread of every block pushes once, each as many
/// sources. All threads of a block call `push` and `items` together.
///
/// **Effects**: each pushed pair of a source and a rank below its n is visited once. The capacity counts all sources,
/// also those that spawn nothing. A block takes one place per source that it pushes, at least 32, and an even number;
/// `room_for_launch` adds that up. If the sources are in the order of their threads, a capacity of all sources is
/// enough, since the last block fills what is left. From the first source whose entry or items find no room, all
/// sources are left out whole. `required` returns the room that all of them take.
///
/// **Cost**: 8 bytes of state per source, and half a byte per source for slabs; an entry takes 2, 4 or 8 bytes. A push
/// has two barriers and waits for no atomic. `items` by thread has barriers in its loop condition and uses 17.2 KB of
/// shared memory; by warp or by block it has no barrier and does not touch that memory.
///
/// **Example** (tests/gpu/expand.cu):
///
///     __shared__ heddle::static_shared<scanned::storage> smem;
///     for (auto place = work.items(smem); place; ++place) items[place.slot()] = *place;
///
/// **Offers** besides
///   grid(kernel, threads, dynamic_smem, cap)  the launch of the second pass
///   begin_async(stream)                       clears the counters before each turn
///   items_pushed(totals)                      how many items the first pass pushed
///   capacity(), state()                       the room there is; its memory
class scanned
    : public detail::expand::expander_base<scanned, detail::expand::slab_totals, detail::expand::page_readers> {
 public:
  /// Refuses a capacity of more than 2^30 sources or 2^32 - 64 items, and a null or misaligned state.
  HEDDLE_HOST scanned(expansion capacity, void* device_state)
      : expander_base("heddle::scanned: state", "heddle::scanned: items", capacity, device_state),
        slabs_(detail::require_state<detail::word64>("heddle::scanned: state", device_state), capacity.sources) {
    detail::require_at_most(detail::expand::slabs::most, "heddle::scanned: sources",
                            detail::as_signed(capacity.sources));
  }

  /// Returns the bytes of device memory that a capacity needs.
  HEDDLE_FN static decltype(sizeof 0) state_bytes(expansion capacity) {
    return detail::expand::slabs::bytes(capacity.sources);
  }
  /// Returns the bytes at the start of the state that `begin_async` sets to zero.
  HEDDLE_FN static decltype(sizeof 0) bytes_to_clear(expansion capacity) {
    return detail::expand::slabs::bytes_to_clear(capacity.sources);
  }

  /// Returns the room that all pushed sources take, exact in 64 bits: on the host from a copy of the totals, and
  /// on the device by `required()` after the first pass.
  HEDDLE_FN expansion required(const totals& of) const {
    detail::word64 items = of.refused_items;
    for (const detail::word64 sum : of.top) items += sum;
    return {detail::word64{of.blocks} * of.pitch, items};
  }

  /// Shared memory of `push`: 776 bytes.
  struct push_storage {
    detail::expand::source_span of_warp[32];  // what each warp pushes
    detail::word64 kept;  // in a block that finds too little room: what it keeps, as `live` packs it
  };
  /// Shared memory of `items`: 17.2 KB.
  using storage = detail::expand::item_pages<detail::expand::slab_list>;

#if defined(__CUDACC__)
  /// Pushes `n` items of one source per thread; n may be 0. Every thread of every block calls it, once per launch.
  using expander_base::push, expander_base::required;
  /// Pushes `Count` sources per thread, from two arrays, with the barriers of one. `Count` is the same in all blocks.
  template <unsigned Count>
  HEDDLE_DEVICE void push(push_storage& shared, const unsigned (&source)[Count], const unsigned (&n)[Count]) const {
    detail::check_storage(shared, detail::expand::push_storage_elsewhere);
    namespace warp = detail::warp;
    __syncthreads();  // other threads may still read this memory: sums of another list, for example
    const unsigned pitch = detail::expand::places_of_block(warp::threads_in_block() * Count);
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const detail::word64 begin_of_slab = detail::word64{block} * pitch;
    const detail::expand::pushed_rows<Count, true> mine(n);
    const unsigned number = warp::thread() / 32;
    const detail::expand::source_span of_mine = detail::expand::span_of(source, n, mine.all);
    if (warp::lane() == 0) shared.of_warp[number] = of_mine;
    __syncthreads();
    detail::expand::source_span all = detail::expand::no_span;
    detail::expand::live before;
    for (unsigned each = 0; each * 32 < warp::threads_in_block(); ++each) {
      if (each == number) before.word = all.pushed;
      all = all + shared.of_warp[each];
    }
    const detail::expand::live total{all.pushed};
    const detail::word64 left = begin_of_slab < capacity_.sources ? capacity_.sources - begin_of_slab : 0;
    if (left == 0 || total.sources() > left) {
      push_up_to(static_cast<unsigned>(left), shared, block, pitch, total, before, mine, source, n);
      return;
    }
    const auto form = detail::expand::entry_form::of(all.least, all.most, all.is_in_order != 0, total.items());
    if (warp::thread() == 0) enter(block, pitch, {total, form});
    unsigned* const words = slabs_.entries(begin_of_slab);
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
        const unsigned begin = detail::expand::clipped(before.items() + items);
        if (n[i] > 0) reinterpret_cast<detail::expand::entry*>(words)[first + sources] = {source[i], begin};
      });
    }
  }

  /// Returns the range of items of this thread, or of its warp or block. All threads of the block walk it to its end.
  template <granularity Granularity = granularity::thread>
  HEDDLE_DEVICE detail::expand::item_cursor<detail::expand::slab_list, Granularity> items(storage& shared) const {
    detail::expand::check_items(shared);
    const detail::word64 required = slabs_.items(), room = capacity_.items;
    const unsigned blocks = totals_->blocks, pitch = totals_->pitch;
    const auto sources = static_cast<unsigned>(capacity_.sources);
    const unsigned places = sources == 0 || pitch == 0 ? 0 : (sources - 1) / pitch + 1;
    detail::expand::slab_list all{&slabs_,
                                  blocks,
                                  blocks < places ? blocks : places,
                                  pitch,
                                  detail::expand::clipped(required),
                                  totals_->largest,
                                  detail::expand::most_in_page / (totals_->in_two_words != 0 ? 2 : 1)};
    // The first item without room belongs to the first source without room: the list ends where that source begins.
    if (required > room) all.items = all.begin_of(static_cast<unsigned>(room));
    return {shared, all};
  }

 private:
  /// Pushes from a block for which only `room` entries are left, fewer than it has, or none.
  template <unsigned Count>
  HEDDLE_DEVICE void push_up_to(unsigned room, push_storage& shared, unsigned block, unsigned pitch,
                                detail::expand::live total, detail::expand::live before,
                                const detail::expand::pushed_rows<Count, true>& mine, const unsigned (&source)[Count],
                                const unsigned (&n)[Count]) const {
    detail::expand::live kept;
    if (room > 0) {
      auto* const entries = reinterpret_cast<detail::expand::entry*>(slabs_.entries(detail::word64{block} * pitch));
      mine.for_each(n, [&](unsigned i, unsigned sources, unsigned items) {
        const unsigned index = before.sources() + sources;
        const detail::word64 begin = before.items() + items;
        if (n[i] > 0 && index < room) entries[index] = {source[i], detail::expand::clipped(begin)};
        if (n[i] > 0 && index == room) shared.kept = detail::expand::live::of(room, begin).word;
      });
      __syncthreads();
      kept.word = shared.kept;
    }
    if (detail::warp::thread() != 0) return;
    atomicAdd(&totals_->refused_items, total.items() - kept.items());
    if (room > 0) {
      enter(block, pitch, {kept, detail::expand::entry_form::two_words()});
    } else {
      enter(block, pitch);
    }
  }

  /// Records a block and what is in its slab. One thread calls it.
  HEDDLE_DEVICE void enter(unsigned block, unsigned pitch, detail::expand::slab what) const {
    enter(block, pitch);
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    const detail::word64 items = what.all.items();
    slabs_.add(block, blocks, what);
    atomicMax(&totals_->largest, detail::expand::clipped(items));
    if (what.form.is_two_words() && items > 0) totals_->in_two_words = 1;
  }
  HEDDLE_DEVICE void enter(unsigned block, unsigned pitch) const {
    if (block != 0) return;
    totals_->blocks = gridDim.x * gridDim.y * gridDim.z;
    totals_->pitch = pitch;
  }
#endif

 private:
  detail::expand::slabs slabs_;
};

static_assert(expander<scanned>);

}}  // namespace heddle::HEDDLE_ABI
