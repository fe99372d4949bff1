#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/detail/ptx.hpp>
#include <heddle/detail/warp.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Carries what the threads of a block hold to where their ranks say, and back. Where state is large, carry its index.
///
///   __shared__ block_exchange<path, 256>::storage smem;
///   path mine = …;
///   mine = block_exchange<path, 256>(smem).to(mine, rank);      // that of the thread whose rank is this one's number
///   …
///   mine = block_exchange<path, 256>(smem).back(mine, rank);    // my own again
///
/// `T` is any trivially copyable type. It goes in rounds, as many words of each thread at a time as fit in `Bytes` of
/// shared memory, in units of up to four words: `to` reads them in the order of the threads, without conflicts of
/// banks, and writes them in as many runs as a warp has keys. For every thread of the block, with ranks that are a
/// permutation; two barriers a round. By the first of them all have read what was in the storage before, so that it may
/// be that of `block_reorder`; there is none behind the last, so that before the next `rank` one is needed, as
/// `is_mixed` has it.
template <class T, int Threads, int Bytes = 16 * 1024>
class block_exchange {
  static_assert(__is_trivially_copyable(T), "heddle: only a trivially copyable state can be carried");
  static_assert(Threads >= 1 && Threads <= 1024, "heddle: a block has up to 1024 threads");
  static_assert(Bytes >= 4 * Threads, "heddle: the byte budget holds less than a word of each thread");

 public:
  static constexpr unsigned words = (sizeof(T) + 3) / 4;
  static constexpr unsigned threads = Threads, room = Bytes / (4 * Threads), of_round = words < room ? words : room;

  struct storage {
    alignas(16) unsigned words[of_round * threads];
  };

#if defined(__CUDACC__)
  /// With `is_free` the first barrier is left out: all have met since somebody last read the storage. So it is if the
  /// storage is of no other use and each exchange comes after a `rank`.
  HEDDLE_DEVICE explicit block_exchange(storage& shared, bool is_free = false)
      : shared_(detail::ptx::kept_shared(shared)), is_free_(is_free) {
    detail::check(detail::warp::threads_in_block() == Threads,
                  "heddle::block_exchange: the block has another number of threads than the type names");
    detail::check_storage(shared, "heddle::block_exchange: the storage is not in shared memory");
  }

  /// What the thread held whose rank is the number of this one.
  HEDDLE_DEVICE T to(const T& mine, unsigned rank) const {
    return carry(mine, rank, detail::warp::thread());
  }

  /// What the thread holds whose number is the rank of this one: after `to`, its own.
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
      if (first > 0 || !is_free_) __syncthreads();  // the round before has been read
      each_unit(count, [&](auto* all, unsigned at) { put(all, put_at, state + first + at); });
      __syncthreads();
      each_unit(count, [&](auto* all, unsigned at) { take(all, take_from, state + first + at); });
    }
    T result = mine;
    copy(&result, state);
    return result;
  }

  /// Four words at a time while there are as many, then two, then one: those of all threads side by side.
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

}  // namespace heddle::inline HEDDLE_ABI
