#pragma once

#include <heddle/detail/block_sum.hpp>
#include <heddle/detail/expander.hpp>
#include <heddle/detail/item_walk.hpp>
#include <heddle/detail/packed_counter.hpp>

namespace heddle::inline v0 {

/// Sources in the order in which they arrive. One atomic addition to a 64-bit word gives a block the index of its first
/// entry and how many items are before it; in the second pass each warp searches once.
///
///   push(5, 2), push(8, 3), push(9, 1)     entries {5, ends at 2} {8, ends at 5} {9, ends at 6}
///   the second pass                        items   5.0 5.1 8.0 8.1 8.2 9.0
///
/// The state is the caller's: `state_bytes(capacity)` bytes on the device. A source is expanded wholly or not at all:
/// who finds no room for its entry or its items is left out, and `required` says how much room all of them take.
class packed_prefix : public detail::expander_base<packed_prefix, detail::packed_totals> {
 public:
  HEDDLE_HOST packed_prefix(expansion capacity, void* device_state)
      : expander_base("heddle::packed_prefix: state", "heddle::packed_prefix: items", capacity, device_state),
        counter_("heddle::packed_prefix: sources", "heddle::packed_prefix: items", capacity) {}

  HEDDLE_FN static decltype(sizeof 0) state_bytes(expansion capacity) {
    return sizeof(totals) + sizeof(detail::entry) * capacity.sources;
  }

  HEDDLE_FN static decltype(sizeof 0) bytes_to_clear(expansion) { return sizeof(totals); }

  /// How much room all that was pushed takes.
  HEDDLE_FN expansion required(const totals& of) const { return counter_.required(of); }

  using push_storage = detail::block_sums;
  struct storage {};

#if defined(__CUDACC__)
  using expander_base::push;
  template <unsigned Count>
  HEDDLE_DEVICE void push(push_storage& shared, const unsigned (&source)[Count], const unsigned (&n)[Count]) const {
    const detail::pushed_rows<Count> mine(n);
    const detail::word64 begin =
        detail::add_up(shared, mine.all, [&](detail::live before, detail::live total) -> detail::word64 {
          detail::word64 taken = 0;
          if (detail::warp::lane() == 0) taken = counter_.take(*totals_, total);
          return counter_.plus(__shfl_sync(detail::warp::all, taken, 0), before);
        });
#pragma unroll
    for (unsigned i = 0; i < Count; ++i) store(begin, mine.sources_before[i], mine.items_before[i], source[i], n[i]);
  }

  /// For any thread, at any time: those of a warp that come together share an addition.
  HEDDLE_DEVICE void push_some(unsigned source, unsigned n) const {
    if (n == 0) return;
    const detail::pushed_by_some mine(n);
    detail::word64 taken = 0;
    if (mine.takes()) taken = counter_.take(*totals_, mine.all);
    store(mine.from_taker(taken), mine.sources_before, mine.items_before, source, n);
  }

  HEDDLE_DEVICE expansion required() const {
    return required(*totals_);
  }

 private:
  struct list {
    const detail::entry* first;
    unsigned sources, item_count;

    /// Reads here and there between the stores of others take their time: on an H200 the second pass alone, a store of
    /// each item, takes 164 us where 128 entries are read at once, 174 where 32 are (2^22 sources, 2^26 items).
    static constexpr unsigned at_once = 4;

    class reader {
     public:
      reader() = default;

      /// From an entry on, or from some before it: 16 of them are a line.
      HEDDLE_DEVICE explicit reader(unsigned at) : at_((at == 0 ? 0 : (at - 1) / 16 * 16) - 32 * at_once) {}

      HEDDLE_DEVICE unsigned begin() const { return 0; }
      HEDDLE_DEVICE void advance(const list&) { at_ += 32 * at_once; }
      HEDDLE_DEVICE unsigned place(const list& all, unsigned i) const {
        const unsigned place = at_ + i * 32 + detail::warp::lane();
        return place < all.sources ? place : all.sources - 1;
      }

     private:
      unsigned at_;
    };

    HEDDLE_DEVICE const detail::entry* entries() const { return first; }
    HEDDLE_DEVICE unsigned items() const { return item_count; }
    HEDDLE_DEVICE unsigned places() const { return sources; }

    struct border_and_reader {
      unsigned item;
      reader from;
    };
    template <class Price>
    HEDDLE_DEVICE border_and_reader border(unsigned target) const {
      const auto [number, begin, end] = detail::find<Price>(first, sources, 0, 0, target);
      return {Price::border(target, begin, end, number), reader(number)};
    }
  };

 public:
  /// For every thread of the block: the items of this thread, or those that it works on with its warp or its block.
  template <granularity Granularity = granularity::thread>
  HEDDLE_DEVICE detail::item_cursor<list, Granularity> items(storage&) const {
    const auto [sources, item_count] = counter_.admitted(*totals_);
    return detail::item_cursor<list, Granularity>(list{entries(), sources, item_count});
  }

 private:
  HEDDLE_DEVICE void store(detail::word64 begin, unsigned sources_before, detail::word64 items_before, unsigned source,
                           unsigned n) const {
    const auto [admitted, index, end] = counter_.admit(*totals_, begin, sources_before, items_before, n);
    if (admitted) entries()[index] = {source, end};
  }

  HEDDLE_DEVICE detail::entry* entries() const {
    return reinterpret_cast<detail::entry*>(totals_ + 1);
  }
#endif

 private:
  detail::packed_counter counter_;
};

static_assert(expander<packed_prefix>);

}  // namespace heddle::inline v0
