#pragma once

#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/expander.hpp>
#include <heddle/expand/detail/listed_sources.hpp>

namespace heddle::inline HEDDLE_ABI {

namespace detail::expand {

/// What is counted of one turn.
struct alignas(16) fixed_totals {
  word64 sources, items;                // of those that spawn no more than there is room for
  word64 larger_sources, larger_items;  // of the others
  unsigned largest;                     // of the others
};

}  // namespace detail::expand

/// Room for MaxN items for each source that spawns: item and source follow from each other by a division, and where a
/// source spawns less nobody works. Nothing is looked up and nothing is summed up. For n that are small and alike.
///
///   fixed<4>: push(5, 2), push(8, 3), push(9, 1)     places   5.0 5.1 – – | 8.0 8.1 8.2 – | 9.0 – – –
///
/// The state is the caller's: `state_bytes(capacity)` bytes on the device. Room is for sources, and so for MaxN times
/// as many items. A source is expanded wholly or not at all: who finds no room is left out, and so is every source of
/// more than MaxN items, wherever it comes. `required` says how much room all of them take, and how large MaxN must be.
///
/// Items have no slot: numbers of places have gaps.
///
/// **Offers**
///   push(smem, source, n), push(smem, sources, ns)  first pass, all threads of a block; of arrays, several per thread
///   push_some(source, n)                            first pass, any thread
///   items(smem), items<granularity::warp>(smem)     second pass, all threads of a block
///   grid(kernel, threads, dynamic_smem, cap)        the launch of the second pass
///   begin_async(stream), required(…), capacity()    before each turn; how much room a turn took, and has
template <unsigned MaxN>
class fixed : public detail::expand::expander_base<fixed<MaxN>, detail::expand::fixed_totals> {
  using base = detail::expand::expander_base<fixed, detail::expand::fixed_totals>;
  using base::capacity_, base::totals_;
  static_assert(MaxN > 0, "heddle::fixed: room for no items");

 public:
  using typename base::totals;

  HEDDLE_HOST fixed(expansion capacity, void* device_state)
      : base("heddle::fixed: state", "heddle::fixed: items", room(capacity.sources), device_state) {}

  HEDDLE_FN static decltype(sizeof 0) state_bytes(expansion capacity) {
    return sizeof(totals) + sizeof(detail::expand::spawner) * capacity.sources;
  }
  HEDDLE_FN static decltype(sizeof 0) bytes_to_clear(expansion) { return sizeof(totals); }

  /// How much room all that was pushed takes, and the least MaxN for which no source is too large.
  struct requirement : expansion {
    unsigned max_n;
  };
  HEDDLE_FN requirement required(const totals& of) const {
    return {{of.sources + of.larger_sources, of.items + of.larger_items}, of.largest > MaxN ? of.largest : MaxN};
  }

  using push_storage = detail::expand::block_sums;
  struct storage {};

#if defined(__CUDACC__)
  using base::push;
  template <unsigned Count>
  HEDDLE_DEVICE void push(push_storage& shared, const unsigned (&source)[Count], const unsigned (&n)[Count]) const {
    detail::check_storage(shared, detail::expand::push_storage_elsewhere);
    unsigned its[Count];
#pragma unroll
    for (unsigned i = 0; i < Count; ++i) its[i] = up_to_max(n[i]);
    const detail::expand::pushed_rows<Count> mine(its);
    const detail::word64 begin = detail::expand::add_up(
        shared, mine.all, [&](detail::expand::live before, detail::expand::live total) -> detail::word64 {
          detail::word64 taken = 0;
          if (detail::warp::lane() == 0 && total.items() > 0) taken = take(total);
          return __shfl_sync(detail::warp::all, taken, 0) + before.sources();
        });
    mine.for_each(its, [&](unsigned i, unsigned sources, unsigned) { store(begin + sources, source[i], its[i]); });
  }

  /// For any thread, at any time: those of a warp that come together share an addition.
  HEDDLE_DEVICE void push_some(unsigned source, unsigned n) const {
    n = up_to_max(n);
    if (n == 0) return;
    const detail::expand::pushed_by_some mine(n);
    detail::word64 taken = 0;
    if (mine.takes()) taken = take(mine.all);
    store(mine.from_taker(taken) + mine.sources_before, source, n);
  }

  HEDDLE_DEVICE requirement required() const {
    return required(*totals_);
  }

 private:
  struct list {
    static constexpr bool has_gaps = true;
    using loaded = detail::expand::spawner;

    const detail::expand::spawner* sources;
    unsigned count;

    HEDDLE_DEVICE unsigned places() const { return count * MaxN; }
    HEDDLE_DEVICE loaded load(unsigned place) const { return sources[place / MaxN]; }
    HEDDLE_DEVICE static item at(unsigned place, loaded of) { return {of.source, place % MaxN}; }
    HEDDLE_DEVICE static bool has_item(unsigned place, loaded of) { return place % MaxN < of.n; }
  };

 public:
  /// For every thread of the block, to the end: the items of this thread, or those that it works on with its warp or
  /// its block.
  template <granularity Granularity = granularity::thread>
  HEDDLE_DEVICE detail::expand::listed_cursor<list, Granularity> items(storage& none) const {
    detail::expand::check_items(none);
    const detail::word64 pushed = totals_->sources, most = capacity_.sources;
    return detail::expand::listed_cursor<list, Granularity>(
        {sources(), static_cast<unsigned>(pushed < most ? pushed : most)});
  }

 private:
  HEDDLE_DEVICE detail::word64 take(detail::expand::live pushed) const {
    atomicAdd(&totals_->items, pushed.items());
    return atomicAdd(&totals_->sources, detail::word64{pushed.sources()});
  }

  /// What is too large counts as nothing, but is required all the same.
  HEDDLE_DEVICE unsigned up_to_max(unsigned n) const {
    if (n <= MaxN) return n;
    atomicAdd(&totals_->larger_sources, detail::word64{1});
    atomicAdd(&totals_->larger_items, detail::word64{n});
    atomicMax(&totals_->largest, n);
    return 0;
  }

  HEDDLE_DEVICE void store(detail::word64 index, unsigned source, unsigned n) const {
    if (n > 0 && index < capacity_.sources) sources()[index] = {source, n};
  }

  HEDDLE_DEVICE detail::expand::spawner* sources() const {
    return reinterpret_cast<detail::expand::spawner*>(totals_ + 1);
  }
#endif

 private:
  HEDDLE_HOST static expansion room(detail::word64 sources) {
    detail::require_at_most(detail::most_items / MaxN, "heddle::fixed: sources", detail::as_signed(sources));
    return {sources, sources * MaxN};
  }
};

static_assert(expander<fixed<1>> && expander<fixed<64>>);

}  // namespace heddle::inline HEDDLE_ABI
