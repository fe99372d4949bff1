#pragma once

#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/expander.hpp>
#include <heddle/expand/detail/item_walk.hpp>
#include <heddle/expand/detail/packed_counter.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::expand {

/// The counters of one turn. L2 performs additions to one line one after another, and every push waits for its addition
/// to the packed word, so `largest` has a line of its own. H200, 2^24 sources of 8 items: the first pass takes 57 us,
/// and 68 us with both in one line.
struct packed_list_totals : packed_totals {
  unsigned rest_of_line[32];
  unsigned largest;  // most items of one push
};

}  // namespace detail::expand

/// Lists one entry per source that spawns, in arrival order: the default strategy. In the first pass one atomic
/// addition to a 64-bit word gives a block the index of its first entry and the number of items before it. In the
/// second pass a block reads the list page by page through shared memory.
///
///   push(5, 2), push(8, 3), push(9, 1)     entries {5, begins at 0} {8, begins at 2} {9, begins at 5}
///   the second pass                        items   5.0 5.1 8.0 8.1 8.2 9.0
///
/// **Preconditions**: the state is `state_bytes(capacity)` bytes of device memory, aligned to 16. `begin_async` comes
/// before the first push of each turn. All threads of a block call `push` and `items` together.
///
/// **Effects**: each pushed pair of a source and a rank below its n is visited once. A source is expanded whole or not
/// at all: if its entry or its items find no room, it is left out. `required` returns the room that all of them take.
///
/// **Cost**: 8 bytes of state per source that spawns. A push has two barriers and one atomic addition per block, for
/// which the block waits. `items` by thread has barriers in its loop condition and uses 21.3 KB of shared memory; by
/// warp or by block it has no barrier and does not touch that memory.
///
/// **Example** (examples/04_expand/after.cu):
///
///     __shared__ heddle::static_shared<typename Work::push_storage> smem;
///     work.push(smem, mesh, n);
///     …
///     __shared__ heddle::static_shared<typename Work::storage> smem;
///     for (const auto [mesh, meshlet] : work.items(smem)) cull_meshlet(all, mesh, meshlet);
///     …
///     const heddle::expansion room{256ull * blocks, meshlets};
///     if (state == nullptr) check(cudaMalloc(&state, strategy::state_bytes(room)));
///     const strategy work{room, state};
///
/// **Offers** besides
///   grid(kernel, threads, dynamic_smem, cap)  the launch of the second pass
///   begin_async(stream)                       clears the counters before each turn
///   items_pushed(totals)                      how many items the first pass pushed
///   capacity(), state()                       the room there is; its memory
class packed_prefix : public detail::expand::expander_base<packed_prefix, detail::expand::packed_list_totals,
                                                           detail::expand::page_readers> {
  struct list {
    static constexpr bool begins_apart = true;
    static constexpr unsigned words_in_page = 2 * detail::expand::most_in_page;

    const unsigned* words;
    unsigned apart, sources, items, largest, in_page;

#if defined(__CUDACC__)
    HEDDLE_DEVICE unsigned places() const {
      return sources;
    }
    HEDDLE_DEVICE unsigned pages() const {
      return (sources - 1) / in_page + 1;
    }

    HEDDLE_DEVICE detail::expand::page page_at(unsigned number) const {
      const unsigned first = number * in_page, left = sources - first;
      return {words + first,
              number,
              left < in_page ? left : in_page,
              left > in_page,
              detail::expand::entry_form::apart(apart),
              0,
              items};
    }

    HEDDLE_DEVICE detail::expand::page page_after(const detail::expand::page& from) const {
      return page_at(from.number + 1);
    }

    template <class Price>
    HEDDLE_DEVICE detail::expand::border find_border(unsigned target) const {
      const detail::expand::page whole{words, 0, sources, false, detail::expand::entry_form::apart(apart), 0, items};
      const unsigned at = detail::expand::find<Price>(whole, 0, target);
      return {Price::border(target, whole.begin_of(at), whole.end_of(at), at), at / in_page, at % in_page};
    }
#endif
  };

 public:
  /// Refuses a capacity that the packed word could not count, and a null or misaligned state.
  HEDDLE_HOST packed_prefix(expansion capacity, void* device_state)
      : expander_base("heddle::packed_prefix: state", "heddle::packed_prefix: items", capacity, device_state),
        counter_("heddle::packed_prefix: sources", "heddle::packed_prefix: items", capacity) {}

  /// Returns the bytes of device memory that a capacity needs.
  HEDDLE_FN static decltype(sizeof 0) state_bytes(expansion capacity) {
    return sizeof(totals) + sizeof(unsigned) * (apart(capacity) + capacity.sources);
  }

  /// Returns the room that all pushed sources take, exact in 64 bits: on the host from a copy of the totals, and
  /// on the device by `required()` after the first pass.
  HEDDLE_FN expansion required(const totals& of) const {
    return counter_.required(of);
  }

  /// Shared memory of `push`: 264 bytes.
  struct push_storage : detail::expand::block_sums {
    bool has_room;  // for all that the block pushes; then `of_warp` is where each warp begins: entry above, item below
  };
  /// Shared memory of `items`: 21.3 KB.
  using storage = detail::expand::item_pages<list>;

#if defined(__CUDACC__)
  /// Pushes `n` items of one source per thread; n may be 0. All threads of the block call it together.
  using expander_base::push, expander_base::required;
  /// Pushes `Count` sources per thread, from two arrays, with the barriers and the atomic of one.
  template <unsigned Count>
  HEDDLE_DEVICE void push(push_storage& shared, const unsigned (&source)[Count], const unsigned (&n)[Count]) const {
    detail::check_storage(shared, detail::expand::push_storage_elsewhere);
    const detail::expand::pushed_rows<Count, true> mine(n);
    const detail::word64 begin = detail::expand::add_up<true>(
        shared, mine.all, [&](detail::expand::live before, detail::expand::live total) -> detail::word64 {
          const detail::word64 taken =
              detail::warp::by_one(detail::warp::all, 0, [&] { return take(total, detail::warp::threads_in_block()); });
          const bool has_room = counter_.has_room(taken, total);
          if (detail::warp::lane() == 0) shared.has_room = has_room;
          if (!has_room) return counter_.plus(taken, before);
          const auto [index, item] = counter_.position_of(taken);
          return (detail::word64{index + before.sources()} << 32) + item + before.items();
        });
    if (shared.has_room) {
      const auto index = static_cast<unsigned>(begin >> 32), item = static_cast<unsigned>(begin);
      mine.for_each(n, [&](unsigned i, unsigned sources, unsigned items) {
        if (n[i] > 0) write(index + sources, {source[i], item + items});
      });
    } else {
      mine.for_each(
          n, [&](unsigned i, unsigned sources, unsigned items) { store(begin, sources, items, source[i], n[i]); });
    }
  }

  /// Pushes a source from divergent code. The threads of a warp that arrive together share one atomic addition.
  HEDDLE_DEVICE void push_some(unsigned source, unsigned n) const {
    if (n == 0) return;
    const detail::expand::pushed_by_some mine(n);
    const detail::word64 begin = mine.by_one([&] { return take(mine.all, mine.all.sources()); });
    store(begin, mine.sources_before, mine.items_before, source, n);
  }

  /// Returns the range of items of this thread, or of its warp or block. All threads of the block walk it to its end.
  template <granularity Granularity = granularity::thread>
  HEDDLE_DEVICE detail::expand::item_cursor<list, Granularity> items(storage& shared) const {
    detail::expand::check_items(shared);
    const auto [sources, item_count] = counter_.admitted(*totals_);
    const unsigned largest = totals_->largest, turns = (sources - 1) / detail::expand::most_in_page / gridDim.x + 1;
    const bool are_even = detail::expand::are_even(largest, item_count, turns);
    const unsigned in_page =
        are_even ? detail::expand::page_size(sources, turns * gridDim.x) : detail::expand::most_in_page;
    return {shared, list{words(), static_cast<unsigned>(apart(capacity_)), sources, item_count, largest, in_page}};
  }

 private:
  HEDDLE_DEVICE detail::word64 take(detail::expand::live pushed, unsigned threads) const {
    // Few pushes exceed the largest so far; for most others a cached read, even a stale one, shows that.
    const unsigned items = detail::expand::clipped(pushed.items());
    if (items > detail::expand::even_enough && items > detail::ptx::ld_ca(&totals_->largest)) {
      atomicMax(&totals_->largest, items);
    }
    return counter_.take(*totals_, pushed, threads);
  }

  HEDDLE_DEVICE void store(detail::word64 begin, unsigned sources_before, detail::word64 items_before, unsigned source,
                           unsigned n) const {
    const auto [admitted, index, its_begin] = counter_.admit(*totals_, begin, sources_before, items_before, n);
    if (admitted) write(index, {source, its_begin});
  }

  HEDDLE_DEVICE void write(unsigned index, detail::expand::entry what) const {
    words()[index] = what.source;
    words()[apart(capacity_) + index] = what.begin;
  }

  HEDDLE_DEVICE unsigned* words() const {
    return reinterpret_cast<unsigned*>(totals_ + 1);
  }
#endif

 private:
  /// The distance in words from a source to its begin, rounded up to whole words of 16 bytes.
  HEDDLE_FN static detail::word64 apart(expansion capacity) {
    return (capacity.sources + 3) / 4 * 4;
  }

  detail::expand::packed_counter counter_;
};

static_assert(expander<packed_prefix>);

}}  // namespace heddle::HEDDLE_ABI
