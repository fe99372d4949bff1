#pragma once

#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/expander.hpp>
#include <heddle/expand/detail/listed_sources.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::expand {

/// The counters of one turn.
struct alignas(16) fixed_totals {
  word64 sources, items;                // sources of up to MaxN items
  word64 larger_sources, larger_items;  // sources of more
  unsigned largest;                     // the largest n above MaxN
};

}  // namespace detail::expand

/// Gives every source that spawns MaxN places, in arrival order: source and rank follow from the number of a place by
/// one division. The second pass skips the places past n. For n that are small and alike.
///
///   fixed<4>: push(5, 2), push(8, 3), push(9, 1)     places   5.0 5.1 – – | 8.0 8.1 8.2 – | 9.0 – – –
///
/// **Preconditions**: the state is `state_bytes(capacity)` bytes of device memory, aligned to 16. `begin_async` comes
/// before the first push of each turn. All threads of a block call `push` and `items` together.
///
/// **Effects**: each pushed pair of a source and a rank below its n is visited once. The capacity counts sources, and
/// its `items` are ignored: there is room for MaxN items of each. A source is expanded whole or not at all: it is left
/// out if it finds no room, or spawns more than MaxN. `required` returns the room that all of them take, and the MaxN
/// that would leave out none. An item has no slot, since the numbers of places have gaps.
///
/// **Cost**: 8 bytes of state per source that spawns. A push has two barriers and two atomic additions per block, and
/// the block waits for one of them. A source above MaxN adds three atomics. The second pass visits MaxN places per
/// source; `items` uses no shared memory.
///
/// **Example** (examples/culling/culling.cu):
///
///     const Work work{room, state.data()};
///     …
///     {"fixed", fly<heddle::fixed<scene::most_meshlets>>}};
///
/// **Offers** besides
///   grid(kernel, threads, dynamic_smem, cap)  the launch of the second pass
///   begin_async(stream)                       clears the counters before each turn
///   items_pushed(totals)                      how many items the first pass pushed
///   capacity(), state()                       the room there is; its memory
template <unsigned MaxN>
class fixed : public detail::expand::expander_base<fixed<MaxN>, detail::expand::fixed_totals> {
  using base = detail::expand::expander_base<fixed, detail::expand::fixed_totals>;
  using base::capacity_, base::totals_;
  static_assert(MaxN > 0, "heddle::fixed: MaxN is 0; it must be at least 1");

 public:
  /// The counters at the start of the state.
  using typename base::totals;

  /// Refuses room for more than 2^32 - 64 items, MaxN per source, and a null or misaligned state.
  HEDDLE_HOST fixed(expansion capacity, void* device_state)
      : base("heddle::fixed: state", "heddle::fixed: items", room(capacity.sources), device_state) {}

  /// Returns the bytes of device memory that a capacity needs.
  HEDDLE_FN static decltype(sizeof 0) state_bytes(expansion capacity) {
    return sizeof(totals) + sizeof(detail::expand::spawner) * capacity.sources;
  }

  /// The room that a turn needs, and the MaxN.
  struct requirement : expansion {
    unsigned max_n;  // the least MaxN, from this one up, that leaves out no source
  };
  /// Returns the room that all pushed sources take, exact in 64 bits: on the host from a copy of the totals, and
  /// on the device by `required()` after the first pass.
  HEDDLE_FN requirement required(const totals& of) const {
    return {{of.sources + of.larger_sources, of.items + of.larger_items}, of.largest > MaxN ? of.largest : MaxN};
  }

  /// Shared memory of `push`: 256 bytes.
  using push_storage = detail::expand::block_sums;
  /// Shared memory of `items`: none.
  struct storage {};

#if defined(__CUDACC__)
  /// Pushes `n` items of one source per thread; n may be 0. All threads of the block call it together.
  using base::push, base::required;
  /// Pushes `Count` sources per thread, from two arrays, with the barriers and the atomics of one.
  template <unsigned Count>
  HEDDLE_DEVICE void push(push_storage& shared, const unsigned (&source)[Count], const unsigned (&n)[Count]) const {
    detail::check_storage(shared, detail::expand::push_storage_elsewhere);
    unsigned its[Count];
#pragma unroll
    for (unsigned i = 0; i < Count; ++i) its[i] = up_to_max(n[i]);
    const detail::expand::pushed_rows<Count> mine(its);
    const detail::word64 begin = detail::expand::add_up(
        shared, mine.all, [&](detail::expand::live before, detail::expand::live total) -> detail::word64 {
          return detail::warp::by_one(detail::warp::all, 0, [&] { return take(total); }) + before.sources();
        });
    mine.for_each(its, [&](unsigned i, unsigned sources, unsigned) { store(begin + sources, source[i], its[i]); });
  }

  /// Pushes a source from divergent code. The threads of a warp that arrive together share one atomic addition.
  HEDDLE_DEVICE void push_some(unsigned source, unsigned n) const {
    n = up_to_max(n);
    if (n == 0) return;
    const detail::expand::pushed_by_some mine(n);
    store(mine.by_one([&] { return take(mine.all); }) + mine.sources_before, source, n);
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
  /// Returns the range of items of this thread, or of its warp or block. All threads of the block walk it to its end.
  template <granularity Granularity = granularity::thread>
  HEDDLE_DEVICE detail::expand::listed_cursor<list, Granularity> items(storage& none) const {
    detail::expand::check_items(none);
    const detail::word64 pushed = totals_->sources, most = capacity_.sources;
    return detail::expand::listed_cursor<list, Granularity>(
        {sources(), static_cast<unsigned>(pushed < most ? pushed : most)});
  }

 private:
  HEDDLE_DEVICE detail::word64 take(detail::expand::live pushed) const {
    if (pushed.items() == 0) return 0;
    atomicAdd(&totals_->items, pushed.items());
    return atomicAdd(&totals_->sources, detail::word64{pushed.sources()});
  }

  /// Returns n, or 0 if it is above MaxN; then it is counted for `required` alone.
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

}}  // namespace heddle::HEDDLE_ABI
