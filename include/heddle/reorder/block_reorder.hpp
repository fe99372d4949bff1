#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/detail/warp.hpp>
#include <heddle/reorder/coherence.hpp>
#include <heddle/reorder/detail/key_sets.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Ranks the threads of a block by key: a rank is the thread's place in the sorted block. Threads with equal keys stay
/// in order, and inactive threads go last, in order.
///
///   thread   0 1 2 3 4 5 6 7
///   key      2 0 2 - 1 0 2 1       - is inactive
///   rank     4 0 5 7 2 1 6 3       7 are active
///
/// `Bits`, 1 to 8, is the number of low bits of a key that count. Of a wider key, shift down the bits that separate the
/// most expensive work (`key >> shift`): which branch, rather than which argument of it.
///
/// **Preconditions**: the block has `Threads` threads. All of them construct it and call `is_mixed` and `rank`
/// together, any number of times. A block barrier comes before a second `block_reorder` with the same storage, and
/// before each change of use of memory that has several, as in a union: `block_exchange` begins with one, `is_mixed`
/// has one for the `rank` that follows.
/// **Cost**: one barrier per call; `Bits` + 3 values live between calls. Storage grows with warps and keys: 208 bytes
/// for 256 threads and 3 bits, 768 for 1024 threads and 3 bits, 18,624 for 1024 threads and 8 bits. A rank takes 90
/// clocks of a scheduler per warp (H200, blocks of 256, 3 bits, `bench_reorder --only cost`).
/// **Example** (examples/05_reorder/after.cu):
///
///     using reorder = heddle::block_reorder<256, 3>;
///     …
///     __shared__ reorder::storage ranks;
///     …
///     reorder by_material(ranks);
///     …
///     if (by_material.is_mixed(mine.material)) {
///       const auto [rank, active, how] = by_material.rank(mine.material);
///       if (how.pays(200, exchange::words)) mine = exchange(states).to(mine, rank);
///     }
template <int Threads, int Bits>
class block_reorder {
  static_assert(Threads % 32 == 0 && Threads >= 32 && Threads <= 1024,
                "heddle::block_reorder: Threads is not a multiple of 32 from 32 to 1024");
  static_assert(Bits >= 1 && Bits <= 8, "heddle::block_reorder: Bits is not from 1 to 8");

  static constexpr unsigned keys = 1u << Bits, warps = Threads / 32;
  static constexpr unsigned rows = keys + 3;  // lanes with a key below 0, 1, …, `keys`; all lanes; distinct keys
  static constexpr unsigned words = (warps + 3) / 4, of_quad = words == 3 ? 4 : words < 4 ? words : 4;
  using key_sets = detail::reorder::key_sets<warps, Bits>;

  /// One byte per warp, for up to 16 warps: a thread loads it in one access.
  struct alignas(4 * of_quad) quad {
    unsigned words[of_quad];
  };

 public:
  /// The shared memory of a block: for each warp the number of threads below each key, and the set of its keys. There
  /// are two copies, used in turn, so a call does not wait for threads that still read the one of the call before.
  struct storage {
    quad below[2][(words + 3) / 4][rows];
    key_sets has[2];
  };

  /// The result of `rank` in one thread.
  struct place {
    unsigned rank, active;  // this thread's place in key order; the number of active threads in the block
    coherence how;          // how the block's keys are spread over its warps
  };

#if defined(__CUDACC__)
  /// Prepares ranks in `shared`, without a barrier.
  HEDDLE_DEVICE explicit block_reorder(storage& shared)
      : shared_(detail::ptx::kept_shared(shared)), number_(detail::ptx::kept(detail::warp::thread() / 32)) {
    detail::check(detail::warp::threads_in_block() == Threads,
                  "heddle::block_reorder: the number of threads in the block is not Threads");
    detail::check_storage(shared, "heddle::block_reorder: the storage is not in shared memory");
    // Computed once. Without `kept` the compiler recomputed it in every call, which took as long as the rest of a call.
#pragma unroll
    for (int bit = 0; bit < Bits; ++bit) set_[bit] = detail::ptx::kept(all_if(detail::warp::lane() >> bit & 1));
  }

  /// Returns whether any warp has more than one key among its active threads: if none has, ranks would gain nothing.
  /// Cheaper than `rank`; one barrier.
  HEDDLE_DEVICE bool is_mixed(unsigned key) const {
    const unsigned first = __shfl_sync(detail::warp::all, key, 0);
    return __syncthreads_or(((key ^ first) & (keys - 1)) != 0) != 0;
  }
  HEDDLE_DEVICE bool is_mixed(unsigned key, bool is_active) const {
    const unsigned active = __ballot_sync(detail::warp::all, is_active);
    const unsigned first = __shfl_sync(detail::warp::all, key, __ffs(static_cast<int>(active)) - 1);
    return __syncthreads_or(is_active && ((key ^ first) & (keys - 1)) != 0) != 0;
  }

  /// Returns the thread's rank, the number of active threads, and how the keys are spread; one barrier.
  HEDDLE_DEVICE place rank(unsigned key) {
    return place_of<true>(key, true);
  }
  HEDDLE_DEVICE place rank(unsigned key, bool is_active) {
    return place_of<false>(key, is_active);
  }

  /// Returns the thread that should take the state of this rank: warps with two keys are spread over a multiprocessor's
  /// four schedulers. A scheduler has every fourth warp, and with equally likely keys the warps that hold two of them
  /// are often a multiple of four apart. So each group of four warps is rotated differently from the one before; warps
  /// stay whole.
  /// H200, 1024 threads, 8 branches of 2800 instructions: 5.8 times as fast as unsorted; 5.0 times without seats.
  HEDDLE_DEVICE static unsigned seat(unsigned rank) {
    return turned(rank, rank / 128 + rank / 512);
  }

  /// Returns the rank that `seat` maps to this thread. The thread has work if it is below `active`.
  HEDDLE_DEVICE static unsigned rank_at(unsigned seat) {
    return turned(seat, 0u - (seat / 128 + seat / 512));
  }

 private:
  /// Rotates the four warps of a group by `by`. A last group of less than four warps stays as it is.
  HEDDLE_DEVICE static unsigned turned(unsigned place, unsigned by) {
    constexpr unsigned fours = Threads / 128 * 128;
    const unsigned result = (place & ~96u) | ((place + by * 32) & 96u);
    return fours == Threads || place < fours ? result : place;
  }

  template <bool Everybody>
  HEDDLE_DEVICE place place_of(unsigned key, bool is_active) {
    namespace warp = detail::warp;
    const unsigned active = Everybody ? warp::all : __ballot_sync(warp::all, is_active);
    unsigned votes[Bits], peers = active;  // the lanes with this thread's key
#pragma unroll
    for (int bit = 0; bit < Bits; ++bit) {
      const unsigned lacks = detail::ptx::kept((key & 1u << bit) != 0 ? 0 : ~0u);
      votes[bit] = __ballot_sync(warp::all, lacks == 0);
      peers &= votes[bit] ^ lacks;
    }

    const unsigned distinct = publish_keys(votes, active);
#pragma unroll
    for (unsigned i = 0; i < (rows + 31) / 32; ++i) {
      const unsigned row = i * 32 + warp::lane();
      unsigned lanes = row < keys ? lanes_below(i, votes) : warp::all;
      if (row <= keys) lanes &= active;
      if (row == keys + 2) lanes = distinct;
      if (row < rows) byte_of(shared_->below[turn_], row) = static_cast<unsigned char>(__popc(lanes));
    }
    __syncthreads();

    // Threads that come first: in warps before this one, those with a key up to this one; in later warps, a lower key.
    const auto& below = shared_->below[turn_];
    const auto& has = shared_->has[turn_];
    turn_ ^= 1;
    const unsigned of_mine = Everybody || is_active ? key & (keys - 1) : keys;  // inactive: one more key
    unsigned rank = static_cast<unsigned>(__popc((Everybody || is_active ? peers : ~active) & warp::below()));
    unsigned visits = 0, total = 0;
#pragma unroll
    for (unsigned first = 0; first < words; first += 4) {
      const quad here = below[first / 4][of_mine], next = below[first / 4][of_mine + 1];
      const quad all = below[first / 4][keys], spread = below[first / 4][keys + 2];
#pragma unroll
      for (unsigned i = 0; i < of_quad && first + i < words; ++i) {
        const unsigned before = warps_before(number_, first + i), real = warps_before(warps, first + i);
        rank = sum_of_bytes((next.words[i] & before) | (here.words[i] & ~before & real), rank);
        visits = sum_of_bytes(spread.words[i] & real, visits);
        total = sum_of_bytes(all.words[i] & real, total);
      }
    }
    if (Everybody) total = Threads;
    return {rank, total, {visits, has.count(), total}};
  }

  /// Returns all ones if key 32 i + lane has this bit, else 0.
  HEDDLE_DEVICE unsigned has_bit(unsigned i, int bit) const {
    return bit < 5 ? set_[bit] : all_if(i >> (bit - 5) & 1);
  }

  /// Returns the mask of lanes with a key below 32 i + lane: a bitwise comparison of all lanes at once.
  HEDDLE_DEVICE unsigned lanes_below(unsigned i, const unsigned (&votes)[Bits]) const {
    unsigned lanes = 0;
#pragma unroll
    for (int bit = 0; bit < Bits; ++bit) {
      lanes = (has_bit(i, bit) & lanes) | (~votes[bit] & (has_bit(i, bit) | lanes));
    }
    return lanes;
  }

  /// Writes the warp's set of keys to shared memory. Returns a mask with one set bit for each of them.
  HEDDLE_DEVICE unsigned publish_keys(const unsigned (&votes)[Bits], unsigned active) const {
    unsigned one = 0, distinct = 0;
#pragma unroll
    for (unsigned i = 0; i < key_sets::parts; ++i) {
      unsigned lanes = active;
#pragma unroll
      for (int bit = 0; bit < Bits; ++bit) lanes &= ~(votes[bit] ^ has_bit(i, bit));
      one = __ballot_sync(detail::warp::all, lanes != 0);
      if (keys < 32) one &= (1u << keys % 32) - 1;
      distinct += static_cast<unsigned>(__popc(one));
      if (detail::warp::lane() == 0) shared_->has[turn_].put(number_, i, one);
    }
    return key_sets::parts == 1 ? one : __funnelshift_lc(~0u, 0u, distinct);
  }

  HEDDLE_DEVICE static unsigned all_if(unsigned bit) {
    return 0u - bit;
  }

  /// Returns a mask of the bytes, one per warp and four to a word, of warps below `number`.
  HEDDLE_DEVICE static unsigned warps_before(unsigned number, unsigned word) {
    const int bits = static_cast<int>(number * 8) - static_cast<int>(word * 32);
    return __funnelshift_lc(~0u, 0u, static_cast<unsigned>(bits > 0 ? bits : 0));
  }

  HEDDLE_DEVICE static unsigned sum_of_bytes(unsigned four, unsigned sum) {
    return __dp4a(four, 0x01010101u, sum);
  }

  /// Returns this warp's byte of a row.
  template <class Quads>
  HEDDLE_DEVICE unsigned char& byte_of(Quads& below, unsigned row) const {
    const unsigned which = words <= 4 ? 0 : number_ / 16, byte = words <= 4 ? number_ : number_ % 16;
    return reinterpret_cast<unsigned char*>(below[which][row].words)[byte];
  }

  storage* shared_;
  unsigned number_, set_[Bits];  // the warp's number; per bit all ones if the lane's number has it, else 0
  unsigned turn_ = 0;
#endif
};

}  // namespace heddle::inline HEDDLE_ABI
