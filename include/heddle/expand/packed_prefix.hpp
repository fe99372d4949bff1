#pragma once

#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/expander.hpp>
#include <heddle/expand/detail/item_walk.hpp>
#include <heddle/expand/detail/packed_counter.hpp>

namespace heddle::inline HEDDLE_ABI {

namespace detail::expand {

/// What is counted of one turn. Additions to a line of L2 come one after another, and every push waits for its own. So
/// the largest is in another line: of 2^24 sources with 8 items each the first pass takes 57 us on an H200, not 68.
struct packed_list_totals : packed_totals {
  unsigned rest_of_line[32];
  unsigned largest;  // items of a push
};

}  // namespace detail::expand

/// Sources in the order in which they arrive. One atomic addition to a 64-bit word gives a block the index of its first
/// entry and how many items are before it; in the second pass a block reads the list page by page.
///
///   push(5, 2), push(8, 3), push(9, 1)     entries {5, begins at 0} {8, begins at 2} {9, begins at 5}
///   the second pass                        items   5.0 5.1 8.0 8.1 8.2 9.0
///
/// The state is the caller's: `state_bytes(capacity)` bytes on the device. A source is expanded wholly or not at all:
/// who finds no room for its entry or its items is left out, and `required` says how much room all of them take.
///
/// **Offers**
///   push(smem, source, n), push(smem, sources, ns)  first pass, all threads of a block; of arrays, several per thread
///   push_some(source, n)                            first pass, any thread
///   items(smem), items<granularity::warp>(smem)     second pass, all threads of a block
///   grid(kernel, threads, dynamic_smem, cap)        the launch of the second pass
///   begin_async(stream), required(…), capacity()    before each turn; how much room a turn took, and has
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
  HEDDLE_HOST packed_prefix(expansion capacity, void* device_state)
      : expander_base("heddle::packed_prefix: state", "heddle::packed_prefix: items", capacity, device_state),
        counter_("heddle::packed_prefix: sources", "heddle::packed_prefix: items", capacity) {}

  HEDDLE_FN static decltype(sizeof 0) state_bytes(expansion capacity) {
    return sizeof(totals) + sizeof(unsigned) * (apart(capacity) + capacity.sources);
  }

  HEDDLE_FN static decltype(sizeof 0) bytes_to_clear(expansion) {
    return sizeof(totals);
  }

  /// How much room all that was pushed takes.
  HEDDLE_FN expansion required(const totals& of) const {
    return counter_.required(of);
  }

  using push_storage = detail::expand::block_sums;
  using storage = detail::expand::pages<list>;

#if defined(__CUDACC__)
  using expander_base::push;
  template <unsigned Count>
  HEDDLE_DEVICE void push(push_storage& shared, const unsigned (&source)[Count], const unsigned (&n)[Count]) const {
    detail::check_storage(shared, detail::expand::push_storage_elsewhere);
    const detail::expand::pushed_rows<Count> mine(n);
    const detail::word64 begin = detail::expand::add_up(
        shared, mine.all, [&](detail::expand::live before, detail::expand::live total) -> detail::word64 {
          detail::word64 taken = 0;
          if (detail::warp::lane() == 0) taken = take(total, detail::warp::threads_in_block());
          return counter_.plus(__shfl_sync(detail::warp::all, taken, 0), before);
        });
    if (counter_.has_room(begin, mine.all)) {
      const auto [first, item] = counter_.position_of(begin);
      mine.for_each(n, [&, index = first, begins_at = item](unsigned i, unsigned sources, unsigned items) {
        if (n[i] > 0) write(index + sources, {source[i], begins_at + items});
      });
    } else {
      mine.for_each(
          n, [&](unsigned i, unsigned sources, unsigned items) { store(begin, sources, items, source[i], n[i]); });
    }
  }

  /// For any thread, at any time: those of a warp that come together share an addition.
  HEDDLE_DEVICE void push_some(unsigned source, unsigned n) const {
    if (n == 0) return;
    const detail::expand::pushed_by_some mine(n);
    detail::word64 taken = 0;
    if (mine.takes()) taken = take(mine.all, mine.all.sources());
    store(mine.from_taker(taken), mine.sources_before, mine.items_before, source, n);
  }

  HEDDLE_DEVICE expansion required() const {
    return required(*totals_);
  }

  /// For every thread of the block, to the end: the items of this thread, or those that it works on with its warp or
  /// its block.
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
    // Few are above the largest so far, and the cache tells most of the others so.
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
  /// From the word of a source to that of its begin, in whole words of 16 bytes.
  HEDDLE_FN static detail::word64 apart(expansion capacity) {
    return (capacity.sources + 3) / 4 * 4;
  }

  detail::expand::packed_counter counter_;
};

static_assert(expander<packed_prefix>);

}  // namespace heddle::inline HEDDLE_ABI
