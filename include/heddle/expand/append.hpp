#pragma once

#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/expander.hpp>
#include <heddle/expand/detail/listed_sources.hpp>

namespace heddle::inline HEDDLE_ABI {

namespace detail::expand {

/// What is counted of one turn.
struct alignas(16) append_totals {
  word64 sources, items;
  word64 cut;  // how many items there was room for, if not for all
};

}  // namespace detail::expand

/// The first pass writes down every item, and the second reads them: nothing to look up, and 8 bytes an item of memory
/// to write and to read. For small n.
///
///   push(5, 2), push(8, 3), push(9, 1)     items   5.0 5.1 8.0 8.1 8.2 9.0
///
/// The state is the caller's: `state_bytes(capacity)` bytes on the device; sources take no room. A source is expanded
/// wholly or not at all, in the order in which they arrive. `required` says how much room all of them take.
///
/// **Offers**
///   push(smem, source, n), push(smem, sources, ns)  first pass, all threads of a block; of arrays, several per thread
///   push_some(source, n)                            first pass, any thread
///   items(smem), items<granularity::warp>(smem)     second pass, all threads of a block
///   grid(kernel, threads, dynamic_smem, cap)        the launch of the second pass
///   begin_async(stream), required(…), capacity()    before each turn; how much room a turn took, and has
class append : public detail::expand::expander_base<append, detail::expand::append_totals> {
 public:
  HEDDLE_HOST append(expansion capacity, void* device_state)
      : expander_base("heddle::append: state", "heddle::append: items", capacity, device_state) {}

  HEDDLE_FN static decltype(sizeof 0) state_bytes(expansion capacity) {
    return sizeof(totals) + sizeof(item) * capacity.items;
  }
  HEDDLE_FN static decltype(sizeof 0) bytes_to_clear(expansion) { return sizeof(totals); }

  /// How much room all that was pushed takes.
  HEDDLE_FN expansion required(const totals& of) const { return {of.sources, of.items}; }

  using push_storage = detail::expand::block_sums;
  struct storage {};

#if defined(__CUDACC__)
  using expander_base::push;
  template <unsigned Count>
  HEDDLE_DEVICE void push(push_storage& shared, const unsigned (&source)[Count], const unsigned (&n)[Count]) const {
    detail::check_storage(shared, detail::expand::push_storage_elsewhere);
    const detail::expand::pushed_rows<Count> mine(n);
    const detail::word64 begin = detail::expand::add_up(
        shared, mine.all, [&](detail::expand::live before, detail::expand::live total) -> detail::word64 {
          detail::word64 taken = 0;
          if (detail::warp::lane() == 0 && total.items() > 0) taken = take(total);
          return __shfl_sync(detail::warp::all, taken, 0) + before.items();
        });
    mine.for_each(n, [&](unsigned i, unsigned, unsigned items) { write(begin + items, source[i], n[i]); });
  }

  /// For any thread, at any time: those of a warp that come together share an addition.
  HEDDLE_DEVICE void push_some(unsigned source, unsigned n) const {
    if (n == 0) return;
    const detail::expand::pushed_by_some mine(n);
    detail::word64 taken = 0;
    if (mine.takes()) taken = take(mine.all);
    const detail::word64 begin = mine.from_taker(taken) + mine.items_before;
    if (!fits(begin, n)) return;
    for (unsigned rank = 0; rank < n; ++rank) written()[begin + rank] = {source, rank};
  }

  HEDDLE_DEVICE expansion required() const {
    return required(*totals_);
  }

 private:
  struct list {
    static constexpr bool has_gaps = false;
    using loaded = item;

    const item* items;
    unsigned count;

    HEDDLE_DEVICE unsigned places() const { return count; }
    HEDDLE_DEVICE item load(unsigned place) const { return items[place]; }
    HEDDLE_DEVICE static item at(unsigned, item loaded) { return loaded; }
    HEDDLE_DEVICE static bool has_item(unsigned, item) { return true; }
  };

 public:
  /// For every thread of the block, to the end: the items of this thread, or those that it works on with its warp or
  /// its block.
  template <granularity Granularity = granularity::thread>
  HEDDLE_DEVICE detail::expand::listed_cursor<list, Granularity> items(storage& none) const {
    detail::expand::check_items(none);
    return detail::expand::listed_cursor<list, Granularity>(
        {written(), static_cast<unsigned>(totals_->items > capacity_.items ? totals_->cut : totals_->items)});
  }

 private:
  HEDDLE_DEVICE detail::word64 take(detail::expand::live pushed) const {
    atomicAdd(&totals_->sources, detail::word64{pushed.sources()});
    return atomicAdd(&totals_->items, pushed.items());
  }

  /// The first for whom there is no room says where the list is cut: nobody after it gets in.
  HEDDLE_DEVICE bool fits(detail::word64 begin, unsigned n) const {
    if (begin + n <= capacity_.items) return true;
    if (begin <= capacity_.items) totals_->cut = begin;
    return false;
  }

  /// Small ones each thread for itself, large ones the warp together.
  HEDDLE_DEVICE void write(detail::word64 begin, unsigned source, unsigned n) const {
    constexpr unsigned small = 4;
    if (n > 0 && !fits(begin, n)) n = 0;
    if (n <= small) {
      for (unsigned rank = 0; rank < n; ++rank) written()[begin + rank] = {source, rank};
    }
    const auto lanes =
        static_cast<unsigned>(__popc(__ballot_sync(detail::warp::all, true)));  // the last warp may lack some
    for (unsigned large = __ballot_sync(detail::warp::all, n > small); large != 0; large &= large - 1) {
      const int of = __ffs(static_cast<int>(large)) - 1;
      const detail::word64 its_begin = __shfl_sync(detail::warp::all, begin, of);
      const unsigned its_source = __shfl_sync(detail::warp::all, source, of);
      const unsigned its_n = __shfl_sync(detail::warp::all, n, of);
      for (unsigned rank = detail::warp::lane(); rank < its_n; rank += lanes)
        written()[its_begin + rank] = {its_source, rank};
    }
  }

  HEDDLE_DEVICE item* written() const {
    return reinterpret_cast<item*>(totals_ + 1);
  }
#endif
};

static_assert(expander<append>);

}  // namespace heddle::inline HEDDLE_ABI
