#pragma once

#include <heddle/detail/warp.hpp>

namespace heddle::inline v0 {

/// Carries what the threads of a block hold to where their ranks say, and back. Where state is large, carry its index.
///
///   __shared__ block_exchange<path, 256>::storage smem;
///   path mine = …;
///   mine = block_exchange<path, 256>(smem).to(mine, rank);      // that of the thread whose rank is this one's number
///   …
///   mine = block_exchange<path, 256>(smem).back(mine, rank);    // my own again
///
/// `T` is any trivially copyable type. It goes in rounds, as many words of each thread at a time as fit in `Bytes` of
/// shared memory, word by word: what is read together lies in different banks. For every thread of the block, with
/// ranks that are a permutation; two barriers a round, of which the first lets the storage be shared with what all have
/// read before.
template <class T, int Threads, int Bytes = 16 * 1024>
class block_exchange {
  static_assert(__is_trivially_copyable(T), "heddle: only a trivially copyable state can be carried");
  static_assert(Threads >= 1 && Threads <= 1024, "heddle: a block has up to 1024 threads");
  static_assert(Bytes >= 4 * Threads, "heddle: the byte budget holds less than a word of each thread");

 public:
  static constexpr unsigned words = (sizeof(T) + 3) / 4;
  static constexpr unsigned threads = Threads, room = Bytes / (4 * Threads), of_round = words < room ? words : room;

  struct storage {
    unsigned words[of_round][threads];
  };

#if defined(__CUDACC__)
  HEDDLE_DEVICE explicit block_exchange(storage& shared) : shared_(&shared) {}

  /// What the thread held whose rank is the number of this one.
  HEDDLE_DEVICE T to(const T& mine, unsigned rank) const {
    return carry(mine, rank, detail::warp::thread());
  }

  /// What the thread holds whose number is the rank of this one: after `to`, its own.
  HEDDLE_DEVICE T back(const T& mine, unsigned rank) const {
    return carry(mine, detail::warp::thread(), rank);
  }

 private:
  HEDDLE_DEVICE T carry(const T& mine, unsigned put_at, unsigned take_from) const {
    unsigned state[words] = {};
    copy(state, &mine);
#pragma unroll
    for (unsigned first = 0; first < words; first += of_round) {
      __syncthreads();  // the round before has been read
#pragma unroll
      for (unsigned i = 0; i < of_round && first + i < words; ++i) shared_->words[i][put_at] = state[first + i];
      __syncthreads();
#pragma unroll
      for (unsigned i = 0; i < of_round && first + i < words; ++i) state[first + i] = shared_->words[i][take_from];
    }
    T result = mine;
    copy(&result, state);
    return result;
  }

  HEDDLE_DEVICE static void copy(void* to, const void* from) {
    __builtin_memcpy(to, from, sizeof(T));
  }

  storage* shared_;
#endif
};

}  // namespace heddle::inline v0
