#pragma once

#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/expander.hpp>
#include <heddle/expand/detail/listed_sources.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::expand {

/// The counters of one turn.
struct alignas(16) append_totals {
  word64 sources, items;
  word64 cut;  // if `items` is past the capacity: how many items are in the list
};

}  // namespace detail::expand

/// Lists every item, in arrival order: the first pass writes them all, and the second reads them without a search. For
/// small n.
///
///   push(5, 2), push(8, 3), push(9, 1)     items   5.0 5.1 8.0 8.1 8.2 9.0
///
/// **Preconditions**: the state is `state_bytes(capacity)` bytes of device memory, aligned to 16. `begin_async` comes
/// before the first push of each turn. All threads of a block call `push` and `items` together.
///
/// **Effects**: each pushed pair of a source and a rank below its n is visited once. A source is expanded whole or not
/// at all: if its items find no room, it is left out. `required` returns the room that all of them take.
///
/// **Cost**: 8 bytes of state per item, written once and read once; sources take none. A push has two barriers and two
/// atomic additions per block, and the block waits for one of them. A source of more than 4 items is written by one
/// warp, and in `push_some` any source by one thread. `items` uses no shared memory.
///
/// **Example** (examples/culling/culling.cu):
///
///     const Work work{room, state.data()};
///     …
///     {"append", fly<heddle::append>},
///
/// **Offers** besides
///   grid(kernel, threads, dynamic_smem, cap)  the launch of the second pass
///   begin_async(stream)                       clears the counters before each turn
///   items_pushed(totals)                      how many items the first pass pushed
///   capacity(), state()                       the room there is; its memory
class append : public detail::expand::expander_base<append, detail::expand::append_totals> {
 public:
  /// Refuses a capacity of more than 2^32 - 64 items, and a null or misaligned state.
  HEDDLE_HOST append(expansion capacity, void* device_state)
      : expander_base("heddle::append: state", "heddle::append: items", capacity, device_state) {}

  /// Returns the bytes of device memory that a capacity needs.
  HEDDLE_FN static decltype(sizeof 0) state_bytes(expansion capacity) {
    return sizeof(totals) + sizeof(item) * capacity.items;
  }

  /// Returns the room that all pushed sources take, exact in 64 bits: on the host from a copy of the totals, and
  /// on the device by `required()` after the first pass.
  HEDDLE_FN expansion required(const totals& of) const { return {of.sources, of.items}; }

  /// Shared memory of `push`: 256 bytes.
  using push_storage = detail::expand::block_sums;
  /// Shared memory of `items`: none.
  struct storage {};

#if defined(__CUDACC__)
  /// Pushes `n` items of one source per thread; n may be 0. All threads of the block call it together.
  using expander_base::push, expander_base::required;
  /// Pushes `Count` sources per thread, from two arrays, with the barriers and the atomics of one.
  template <unsigned Count>
  HEDDLE_DEVICE void push(push_storage& shared, const unsigned (&source)[Count], const unsigned (&n)[Count]) const {
    detail::check_storage(shared, detail::expand::push_storage_elsewhere);
    const detail::expand::pushed_rows<Count> mine(n);
    const detail::word64 begin = detail::expand::add_up(
        shared, mine.all, [&](detail::expand::live before, detail::expand::live total) -> detail::word64 {
          return detail::warp::by_one(detail::warp::all, 0, [&] { return take(total); }) + before.items();
        });
    mine.for_each(n, [&](unsigned i, unsigned, unsigned items) { write(begin + items, source[i], n[i]); });
  }

  /// Pushes a source from divergent code. The threads of a warp that arrive together share one atomic addition.
  HEDDLE_DEVICE void push_some(unsigned source, unsigned n) const {
    if (n == 0) return;
    const detail::expand::pushed_by_some mine(n);
    const detail::word64 begin = mine.by_one([&] { return take(mine.all); }) + mine.items_before;
    if (!fits(begin, n)) return;
    for (unsigned rank = 0; rank < n; ++rank) written()[begin + rank] = {source, rank};
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
  /// Returns the range of items of this thread, or of its warp or block. All threads of the block walk it to its end.
  template <granularity Granularity = granularity::thread>
  HEDDLE_DEVICE detail::expand::listed_cursor<list, Granularity> items(storage& none) const {
    detail::expand::check_items(none);
    return detail::expand::listed_cursor<list, Granularity>(
        {written(), static_cast<unsigned>(totals_->items > capacity_.items ? totals_->cut : totals_->items)});
  }

 private:
  HEDDLE_DEVICE detail::word64 take(detail::expand::live pushed) const {
    if (pushed.items() == 0) return 0;
    atomicAdd(&totals_->sources, detail::word64{pushed.sources()});
    return atomicAdd(&totals_->items, pushed.items());
  }

  /// The first source without room stores where the list ends: every later one begins past the capacity.
  HEDDLE_DEVICE bool fits(detail::word64 begin, unsigned n) const {
    if (begin + n <= capacity_.items) return true;
    if (begin <= capacity_.items) totals_->cut = begin;
    return false;
  }

  /// Writes the items of a source: up to 4 by the thread itself, more by all lanes of the warp.
  HEDDLE_DEVICE void write(detail::word64 begin, unsigned source, unsigned n) const {
    constexpr unsigned small = 4;
    if (n > 0 && !fits(begin, n)) n = 0;
    if (n <= small) {
      for (unsigned rank = 0; rank < n; ++rank) written()[begin + rank] = {source, rank};
    }
    const auto lanes =
        static_cast<unsigned>(__popc(__ballot_sync(detail::warp::all, true)));  // fewer than 32 in a partial warp
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

}}  // namespace heddle::HEDDLE_ABI
