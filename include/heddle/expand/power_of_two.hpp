#pragma once

#include <heddle/expand/detail/buckets.hpp>
#include <heddle/expand/detail/expander.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Splits the items of a source into runs of powers of two: one run per set bit of n, in the bucket of that bit. The
/// second pass finds an item's run, and its rank in it, by shifts. The longest runs come first, and runs of one length
/// in arrival order.
///
///   push(5, 11), push(8, 3)      bucket 3   5.0 to 5.7
///   1011         0011            bucket 1   5.8 to 5.9    8.0 to 8.1
///                                bucket 0   5.10          8.2
///
/// **Preconditions**: the state is `state_bytes(capacity)` bytes of device memory, aligned to 16. `begin_async` comes
/// before the first push of each turn. All threads of a block call `push` and `items` together.
///
/// **Effects**: each pushed pair of a source and a rank below its n is visited once. A source is expanded whole or not
/// at all: if it or its items find no room, it is left out. `required` returns the room that all of them take.
///
/// **Cost**: bucket b has room for min(sources, items / 2^b) runs, of 8 bytes each. A push has two barriers, one atomic
/// addition per block, and one more per bucket in use; the block waits for them. Several sources per thread cost that
/// once each. `items` uses no shared memory.
///
/// **Example** (examples/culling/culling.cu):
///
///     const Work work{room, state.data()};
///     …
///     {"power_of_two", fly<heddle::power_of_two>},
///
/// **Offers** besides
///   grid(kernel, threads, dynamic_smem, cap)  the launch of the second pass
///   begin_async(stream)                       clears the counters before each turn
///   items_pushed(totals)                      how many items the first pass pushed
///   capacity(), state()                       the room there is; its memory
class power_of_two : public detail::expand::expander_base<power_of_two, detail::expand::bucket_totals> {
  using run = detail::expand::run;

 public:
  /// Refuses a capacity that the packed word could not count, and a null or misaligned state.
  HEDDLE_HOST power_of_two(expansion capacity, void* device_state)
      : expander_base("heddle::power_of_two: state", "heddle::power_of_two: items", capacity, device_state),
        counter_("heddle::power_of_two: sources", "heddle::power_of_two: items", capacity),
        begins_{} {
    for (int bucket = 1; bucket < detail::expand::bucket_count; ++bucket) {
      begins_[bucket] =
          begins_[bucket - 1] + static_cast<unsigned>(detail::expand::room_of_bucket(capacity, bucket - 1));
    }
  }

  /// Returns the bytes of device memory that a capacity needs.
  HEDDLE_FN static decltype(sizeof 0) state_bytes(expansion capacity) {
    detail::word64 entries = 0;
    for (int bucket = 0; bucket < detail::expand::bucket_count; ++bucket)
      entries += detail::expand::room_of_bucket(capacity, bucket);
    return sizeof(totals) + sizeof(run) * entries;
  }

  /// Returns the room that all pushed sources take, exact in 64 bits: on the host from a copy of the totals, and
  /// on the device by `required()` after the first pass.
  HEDDLE_FN expansion required(const totals& of) const { return counter_.required(of.all); }

  /// Shared memory of `push`: 4.6 KB.
  using push_storage = detail::expand::bucket_sums;
  /// Shared memory of `items`: none.
  struct storage {};

#if defined(__CUDACC__)
  /// Pushes `n` items of one source per thread; n may be 0. All threads of the block call it together.
  using expander_base::push, expander_base::required;
  /// Pushes `Count` sources per thread, from two arrays, one after another.
  template <unsigned Count>
  HEDDLE_DEVICE void push(push_storage& shared, const unsigned (&source)[Count], const unsigned (&n)[Count]) const {
    detail::check_storage(shared, detail::expand::push_storage_elsewhere);
#pragma unroll
    for (unsigned i = 0; i < Count; ++i) push_row(shared, source[i], n[i]);
  }

  /// Pushes a source from divergent code. The threads of a warp that arrive together share their atomic additions.
  template <class Number>  // unsigned; as a template it is compiled only if it is used
  HEDDLE_DEVICE void push_some(unsigned source, Number n) const {
    if (n == 0) return;
    const detail::expand::pushed_by_some mine(n);
    const detail::word64 begin = mine.by_one([&] { return counter_.take(totals_->all, mine.all, mine.all.sources()); });
    store_some(mine.lanes(), source, admitted(begin, mine, n));
  }

  /// Returns the range of items of this thread, or of its warp or block. All threads of the block walk it to its end.
  template <granularity Granularity = granularity::thread>
  HEDDLE_DEVICE detail::expand::bucket_cursor<Granularity> items(storage& none) const {
    detail::expand::check_items(none);
    return {all_runs(), *totals_, begins_};
  }

 private:
  template <class Number>
  HEDDLE_DEVICE void push_row(push_storage& shared, unsigned source, Number n) const {
    namespace warp = detail::warp;
    const detail::expand::pushed mine(n);
    shared.count(n);
    const detail::word64 begin = detail::expand::add_up(
        shared.all, mine.all, [&](detail::expand::live before, detail::expand::live total) -> detail::word64 {
          const detail::word64 taken =
              warp::by_one(warp::all, 0, [&] { return counter_.take(totals_->all, total, warp::threads_in_block()); });
          const bool whole = counter_.has_room(taken, total);
          if (whole) shared.take_all([&](unsigned bucket, unsigned entries) { return take(bucket, entries); });
          if (warp::lane() == 0) shared.whole = whole;
          return counter_.plus(taken, before);
        });
    n = admitted(begin, mine, n);
    if (shared.whole) {
      const unsigned* const before = shared.of_warp[warp::thread() / 32];
      store(warp::all, source, n, [&](int bucket, unsigned) { return shared.first[bucket] + before[bucket]; });
    } else {  // the room ends within this push, or before it
      store_some(warp::all, source, n);
    }
  }

  /// Returns n, or 0 if the source finds no room.
  template <class Pushed, class Number>
  HEDDLE_DEVICE Number admitted(detail::word64 begin, const Pushed& mine, Number n) const {
    return counter_.admit(totals_->all, begin, mine.sources_before, mine.items_before, n).admitted ? n : 0;
  }

  HEDDLE_DEVICE unsigned take(unsigned bucket, unsigned entries) const {
    return atomicAdd(&totals_->entries[bucket], entries);
  }

  /// Writes the runs of all lanes in the mask `lanes`, bucket after bucket. `first_of(bucket, those)` returns the place
  /// in the bucket where the runs of the lanes `those` begin.
  template <class Number, class FirstOf>
  HEDDLE_DEVICE void store(unsigned lanes, unsigned source, Number n, FirstOf first_of) const {
    for (unsigned left = detail::ptx::redux_sync_or(lanes, n); left != 0; left &= left - 1) {
      const int bucket = __ffs(static_cast<int>(left)) - 1;
      const bool has_run = (n >> bucket & 1) != 0;
      const unsigned those = __ballot_sync(lanes, has_run);
      const unsigned place =
          first_of(bucket, those) + static_cast<unsigned>(__popc(those & detail::ptx::lanemask_lt()));
      if (has_run) all_runs()[begins_[bucket] + place] = {source, detail::expand::rank_of_run(n, bucket)};
    }
  }

  template <class Number>
  HEDDLE_DEVICE void store_some(unsigned lanes, unsigned source, Number n) const {
    store(lanes, source, n, [&](int bucket, unsigned those) {
      return detail::warp::by_one(lanes, __ffs(static_cast<int>(those)) - 1, [&] {
        return take(static_cast<unsigned>(bucket), static_cast<unsigned>(__popc(those)));
      });
    });
  }

  HEDDLE_DEVICE run* all_runs() const {
    return reinterpret_cast<run*>(totals_ + 1);
  }
#endif

 private:
  detail::expand::packed_counter counter_;
  unsigned begins_[detail::expand::bucket_count];  // the first entry of each bucket; all entries are fewer than 2^32
};

static_assert(expander<power_of_two>);

}}  // namespace heddle::HEDDLE_ABI
