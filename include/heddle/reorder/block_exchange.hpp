#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/detail/ptx.hpp>
#include <heddle/detail/warp.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Moves the state of a block's threads through shared memory: `to` carries it to the threads that their ranks name,
/// `back` returns it.
///
///   thread   0 1 2 3
///   state    a b c d
///   rank     2 0 3 1
///   to       b d a c       thread 2 has the state of rank 2
///   back     a b c d
///
/// `T` is any trivially copyable type; of a large state, carry only an index. State moves in rounds, in each as many
/// words per thread as fit in `Bytes` of shared memory.
///
/// **Preconditions**: the block has `Threads` threads, and all of them call `to` and `back` together. Their ranks are a
/// permutation. There is no barrier after the last read: anything but an exchange writes the storage only after a block
/// barrier.
/// **Effects**: the first barrier comes before the first write, so the storage may share memory with that of
/// `block_reorder`.
/// **Cost**: two barriers per round, and `words / of_round` rounds, rounded up. Storage of 4 * `of_round` * `Threads`
/// bytes. Units of 16 bytes, then 8 and 4; `to` reads without bank conflicts and writes one run per key of a warp.
/// H200, blocks of 256, clocks of a scheduler per warp: 12 for 2 words, 37 for 6, 185 for 16, 397 for 32
/// (`bench_reorder --only cost`).
/// **Example** (examples/05_reorder/after.cu):
///
///     using exchange = heddle::block_exchange<path, 256>;
///     …
///     __shared__ heddle::static_shared<exchange::storage> states;
///     …
///     if (pays) mine = exchange(states).to(mine, rank);
template <class T, int Threads, int Bytes = 16 * 1024>
class block_exchange {
  static_assert(__is_trivially_copyable(T), "heddle::block_exchange: T is not trivially copyable");
  static_assert(Threads >= 1 && Threads <= 1024, "heddle::block_exchange: Threads is not from 1 to 1024");
  static_assert(Bytes >= 4 * Threads, "heddle::block_exchange: Bytes is less than 4 for each thread");

 public:
  /// The 4-byte words of a state.
  static constexpr unsigned words = (sizeof(T) + 3) / 4;
  /// The threads of a block, the words per thread that `Bytes` has room for, and those that a round moves.
  static constexpr unsigned threads = Threads, room = Bytes / (4 * Threads), of_round = words < room ? words : room;

  /// The shared memory of a block, for any number of exchanges.
  struct storage {
    alignas(16) unsigned words[of_round * threads];
  };

#if defined(__CUDACC__)
  /// Prepares an exchange in `shared`. `is_free` omits its first barrier: safe if only exchanges use the storage and a
  /// `rank` precedes each of them, for its barrier follows the last read.
  HEDDLE_DEVICE explicit block_exchange(storage& shared, bool is_free = false)
      : shared_(detail::ptx::kept_shared(shared)), is_free_(is_free) {
    detail::check(detail::warp::threads_in_block() == Threads,
                  "heddle::block_exchange: the number of threads in the block is not Threads");
    detail::check_storage(shared, "heddle::block_exchange: the storage is not in shared memory");
  }

  /// Returns the state that moves to this thread: the one with this thread's number as its rank.
  HEDDLE_DEVICE T to(const T& mine, unsigned rank) const {
    return carry(mine, rank, detail::warp::thread());
  }

  /// Returns the state that the thread numbered `rank` holds: after `to`, this thread's own.
  HEDDLE_DEVICE T back(const T& mine, unsigned rank) const {
    return carry(mine, detail::warp::thread(), rank);
  }

 private:
  template <unsigned Words>
  struct alignas(4 * Words) unit {
    unsigned words[Words];
  };

  HEDDLE_DEVICE T carry(const T& mine, unsigned put_at, unsigned take_from) const {
    unsigned state[words] = {};
    copy(state, &mine);
#pragma unroll
    for (unsigned first = 0; first < words; first += of_round) {
      const unsigned count = first + of_round < words ? of_round : words - first;
      if (first > 0 || !is_free_) __syncthreads();  // all threads have read the round before
      each_unit(count, [&](auto* all, unsigned at) { put(all, put_at, state + first + at); });
      __syncthreads();
      each_unit(count, [&](auto* all, unsigned at) { take(all, take_from, state + first + at); });
    }
    T result = mine;
    copy(&result, state);
    return result;
  }

  /// Visits the words of a round in units of four, then two, then one. A unit is contiguous over all threads.
  template <class Visit>
  HEDDLE_DEVICE void each_unit(unsigned count, const Visit& visit) const {
    unsigned at = 0;
#pragma unroll
    for (; at + 4 <= count; at += 4) visit(units<4>(at), at);
    if (at + 2 <= count) {
      visit(units<2>(at), at);
      at += 2;
    }
    if (at < count) visit(units<1>(at), at);
  }

  template <unsigned Words>
  HEDDLE_DEVICE unit<Words>* units(unsigned at) const {
    return reinterpret_cast<unit<Words>*>(shared_->words + at * threads);
  }

  template <unsigned Words>
  HEDDLE_DEVICE static void put(unit<Words>* all, unsigned at, const unsigned* from) {
    unit<Words> one;
#pragma unroll
    for (unsigned i = 0; i < Words; ++i) one.words[i] = from[i];
    all[at] = one;
  }

  template <unsigned Words>
  HEDDLE_DEVICE static void take(const unit<Words>* all, unsigned at, unsigned* to) {
    const unit<Words> one = all[at];
#pragma unroll
    for (unsigned i = 0; i < Words; ++i) to[i] = one.words[i];
  }

  HEDDLE_DEVICE static void copy(void* to, const void* from) {
    __builtin_memcpy(to, from, sizeof(T));
  }

  storage* shared_;
  bool is_free_;
#endif
};

}}  // namespace heddle::HEDDLE_ABI
