#pragma once

#include <heddle/detail/warp.hpp>
#include <heddle/reorder/coherence.hpp>
#include <heddle/reorder/detail/ptx.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::reorder {

/// Counts the keys of a block, and ranks its threads by them. All threads of the block call its functions together.
template <int Threads, int Bits>
class block_keys {
  static constexpr unsigned keys = 1u << Bits, parts = (keys + 31) / 32, warps = Threads / 32;
  static constexpr unsigned rows = keys + 2;  // lanes with a key below 0, 1, …, `keys`; all lanes
  static constexpr unsigned words = (warps + 3) / 4, of_quad = words == 3 ? 4 : words < 4 ? words : 4;

  /// One byte per warp, for up to 16 warps: a thread loads it in one access.
  struct alignas(4 * of_quad) quad {
    unsigned words[of_quad];
  };

 public:
  /// The shared memory of a block: for each warp the number of threads below each key, and the set of the block's keys.
  /// There are two copies of the numbers, used in turn, so a call does not wait for threads that still read those of
  /// the call before.
  struct storage {
    quad below[2][(words + 3) / 4][rows];
    unsigned has[parts];
  };

  struct counted_place {
    unsigned rank, active, visits;
  };

#if defined(__CUDACC__)
  HEDDLE_DEVICE explicit block_keys(storage& shared)
      : shared_(ptx::kept_shared(shared)), number_(ptx::kept(warp::thread() / 32)) {}

  /// Returns how the keys are spread. A block has as many visits as threads that are their warp's first with their key,
  /// and as many keys as threads that are the first in the block. The latter set the bit of their key.
  template <bool Everybody>
  HEDDLE_DEVICE coherence spread_of(unsigned key, bool is_active) const {
    const unsigned thread = warp::thread(), mine = key & (keys - 1), bit = 1u << mine % 32;
    if (thread < parts) shared_->has[thread] = 0;
    const bool is_first = begins(ballots_of<Everybody>(key, is_active), is_active);
    const unsigned visits = count(is_first);
    const unsigned distinct = count(is_first && (atomicOr(&shared_->has[mine / 32], bit) & bit) == 0);
    return {visits, distinct, Everybody ? Threads : count(is_active)};
  }

  /// Returns the best that the block's keys could be, at the cost of a barrier or two: a thread that has another key
  /// than the first of its warp adds a visit, at most.
  template <bool Everybody>
  HEDDLE_DEVICE coherence best_of(unsigned key, bool is_active) const {
    const unsigned active = Everybody ? warp::all : __ballot_sync(warp::all, is_active);
    const unsigned first = __shfl_sync(warp::all, key, Everybody ? 0 : __ffs(static_cast<int>(active)) - 1);
    const unsigned others = count(is_active && ((key ^ first) & (keys - 1)) != 0);
    return {warps + others, 1, Everybody ? Threads : count(is_active)};
  }

  /// Returns ranks, and with `Counts` the visits. Inactive threads have one more key.
  template <bool Everybody, bool Counts>
  HEDDLE_DEVICE counted_place place_of(unsigned key, bool is_active) {
    const ballots of = ballots_of<Everybody>(key, is_active);
    // A loop with a gate may never come here, so it computes the bits here, and another loop once before. Without
    // `kept` the compiler computed each bit for every use of it, which took as long as the rest of a call.
    const unsigned lane = Counts ? ptx::computed_here(warp::lane()) : warp::lane();
    unsigned set[Bits];  // per bit all ones if the lane's number has it, else 0
#pragma unroll
    for (int bit = 0; bit < Bits; ++bit) {
      set[bit] = ptx::kept(static_cast<unsigned>(static_cast<int>(lane << (31 - bit)) >> 31));
    }
#pragma unroll
    for (unsigned i = 0; i < (rows + 31) / 32; ++i) {
      const unsigned row = i * 32 + warp::lane();
      unsigned lanes = row < keys ? lanes_below(i, set, of.votes) : warp::all;
      if (row <= keys) lanes &= of.active;
      if (row < rows) byte_of(shared_->below[turn_], row) = static_cast<unsigned char>(__popc(lanes));
    }
    unsigned visits = 0;
    if constexpr (Counts) {
      visits = count(begins(of, is_active));
    } else {
      __syncthreads();
    }

    // Threads that come first: in warps before this one, those with a key up to this one; in later warps, a lower key.
    const auto& below = shared_->below[turn_];
    turn_ ^= 1;
    const unsigned of_mine = Everybody || is_active ? key & (keys - 1) : keys;  // inactive: one more key
    unsigned rank =
        static_cast<unsigned>(__popc((Everybody || is_active ? of.peers : ~of.active) & ptx::lanemask_lt()));
    unsigned total = 0;
#pragma unroll
    for (unsigned first = 0; first < words; first += 4) {
      const quad here = below[first / 4][of_mine], next = below[first / 4][of_mine + 1];
      const quad all = below[first / 4][keys];
#pragma unroll
      for (unsigned i = 0; i < of_quad && first + i < words; ++i) {
        const unsigned before = warps_before(number_, first + i), real = warps_before(warps, first + i);
        rank = sum_of_bytes((next.words[i] & before) | (here.words[i] & ~before & real), rank);
        total = sum_of_bytes(all.words[i] & real, total);
      }
    }
    if (Everybody) total = Threads;
    return {rank, total, visits};
  }

 private:
  /// A vote of a warp per bit of the key, its active lanes, and those with this thread's key.
  struct ballots {
    unsigned votes[Bits], active, peers;
  };

  template <bool Everybody>
  HEDDLE_DEVICE ballots ballots_of(unsigned key, bool is_active) const {
    ballots all;
    all.peers = all.active = Everybody ? warp::all : __ballot_sync(warp::all, is_active);
#pragma unroll
    for (int bit = 0; bit < Bits; ++bit) {
      const unsigned lacks = ptx::kept((key & 1u << bit) != 0 ? 0 : ~0u);
      all.votes[bit] = __ballot_sync(warp::all, lacks == 0);
      all.peers &= all.votes[bit] ^ lacks;
    }
    return all;
  }

  /// Returns whether this thread is its warp's first with its key: a block has as many as visits.
  HEDDLE_DEVICE static bool begins(const ballots& all, bool is_active) {
    return is_active && (all.peers & ptx::lanemask_lt()) == 0;
  }

  /// Returns in how many threads of the block `is_so` holds; one barrier.
  HEDDLE_DEVICE static unsigned count(bool is_so) {
    return static_cast<unsigned>(__syncthreads_count(is_so));
  }

  /// Returns the mask of lanes with a key below 32 i + lane: a bitwise comparison of all lanes at once.
  HEDDLE_DEVICE static unsigned lanes_below(unsigned i, const unsigned (&set)[Bits], const unsigned (&votes)[Bits]) {
    unsigned lanes = 0;
#pragma unroll
    for (int bit = 0; bit < Bits; ++bit) {
      const unsigned has_bit = bit < 5 ? set[bit] : all_if(i >> (bit - 5) & 1);  // all ones if key 32 i + lane has it
      lanes = (has_bit & lanes) | (~votes[bit] & (has_bit | lanes));
    }
    return lanes;
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
  unsigned number_;  // the warp's number
  unsigned turn_ = 0;
#endif
};

}}}  // namespace heddle::HEDDLE_ABI::detail::reorder
