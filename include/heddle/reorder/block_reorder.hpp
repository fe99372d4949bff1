#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/detail/warp.hpp>
#include <heddle/reorder/coherence.hpp>
#include <heddle/reorder/detail/key_sets.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Where each thread of a block would stand if they were sorted by their keys. Equal keys stay in the order of their
/// threads, and threads that do not take part go last, in theirs.
///
///   thread   0 1 2 3 4 5 6 7
///   key      2 0 2 - 1 0 2 1       - takes no part
///   rank     4 0 5 7 2 1 6 3       7 are active
///
/// `Bits` says how many low bits of a key matter, 1 to 8. Of a wider key take the bits that part what costs most: which
/// branch before which argument, `key >> shift`.
///
///   __shared__ block_reorder<256, 3>::storage smem;
///   block_reorder<256, 3> reorder(smem);
///   if (reorder.is_mixed(material)) {
///     const auto [rank, active, how] = reorder.rank(material);
///     …
///
/// **Preconditions**: every thread of a block of `Threads` makes it, and calls `is_mixed` and `rank` together, as often
/// as it likes. Before another one is made with the same storage, or the memory is put to another use and back, as in a
/// union, the caller has a barrier of the block.
/// **Cost**: one barrier per call.
template <int Threads, int Bits>
class block_reorder {
  static_assert(Threads % 32 == 0 && Threads >= 32 && Threads <= 1024, "heddle: threads of a block are whole warps");
  static_assert(Bits >= 1 && Bits <= 8, "heddle: keys of 1 to 8 bits");

  static constexpr unsigned keys = 1u << Bits, warps = Threads / 32;
  static constexpr unsigned rows = keys + 3;  // how many are below key 0, below 1, …, below `keys`; all; and the spread
  static constexpr unsigned words = (warps + 3) / 4, of_quad = words == 3 ? 4 : words < 4 ? words : 4;
  using key_sets = detail::reorder::key_sets<warps, Bits>;

  /// A byte for each of up to 16 warps: what a thread reads at once.
  struct alignas(4 * of_quad) quad {
    unsigned words[of_quad];
  };

 public:
  /// Of each warp how many threads have a key below each, and which keys there are; twice, so that nobody waits for who
  /// still reads.
  struct storage {
    quad below[2][(words + 3) / 4][rows];
    key_sets has[2];
  };

  struct place {
    unsigned rank, active;  // of this thread; of the block
    coherence how;          // the block's keys are spread over its warps
  };

#if defined(__CUDACC__)
  HEDDLE_DEVICE explicit block_reorder(storage& shared)
      : shared_(detail::ptx::kept_shared(shared)), number_(detail::ptx::kept(detail::warp::thread() / 32)) {
    detail::check(detail::warp::threads_in_block() == Threads,
                  "heddle::block_reorder: the block has another number of threads than the type names");
    detail::check_storage(shared, "heddle::block_reorder: the storage is not in shared memory");
    // What every call needs is worked out once: without `kept` it was again in each, and as long as the rest.
#pragma unroll
    for (int bit = 0; bit < Bits; ++bit) set_[bit] = detail::ptx::kept(all_if(detail::warp::lane() >> bit & 1));
  }

  /// Whether any warp has more than one key. Where none has, a rank would win nothing: this costs less.
  HEDDLE_DEVICE bool is_mixed(unsigned key) const {
    const unsigned first = __shfl_sync(detail::warp::all, key, 0);
    return __syncthreads_or(((key ^ first) & (keys - 1)) != 0) != 0;
  }
  HEDDLE_DEVICE bool is_mixed(unsigned key, bool is_active) const {
    const unsigned active = __ballot_sync(detail::warp::all, is_active);
    const unsigned first = __shfl_sync(detail::warp::all, key, __ffs(static_cast<int>(active)) - 1);
    return __syncthreads_or(is_active && ((key ^ first) & (keys - 1)) != 0) != 0;
  }

  HEDDLE_DEVICE place rank(unsigned key) {
    return place_of<true>(key, true);
  }
  HEDDLE_DEVICE place rank(unsigned key, bool is_active) {
    return place_of<false>(key, is_active);
  }

  /// Where a thread of this rank works best. Each scheduler of a multiprocessor has every fourth warp, and with keys
  /// that are equally likely those warps that have two of them are often every fourth, too. So each four warps stand in
  /// another order than the four before: as whole warps.
  /// H200, 1024 threads, 8 branches of 2800 instructions: 5.8 times as fast as unsorted, and 5.0 with ranks for seats.
  HEDDLE_DEVICE static unsigned seat(unsigned rank) {
    return turned(rank, rank / 128 + rank / 512);
  }

  /// Whose place it is: `seat` backwards. Where it is below `active` a thread has something to do.
  HEDDLE_DEVICE static unsigned rank_at(unsigned seat) {
    return turned(seat, 0u - (seat / 128 + seat / 512));
  }

 private:
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

    // The warps before this one come first with this key too, the others only with the keys below it.
    const auto& below = shared_->below[turn_];
    const auto& has = shared_->has[turn_];
    turn_ ^= 1;
    const unsigned of_mine = Everybody || is_active ? key & (keys - 1) : keys;  // as if it were one key more
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

  /// Whether key 32 i + lane has this bit, in all bits.
  HEDDLE_DEVICE unsigned has_bit(unsigned i, int bit) const {
    return bit < 5 ? set_[bit] : all_if(i >> (bit - 5) & 1);
  }

  /// The lanes with a key below 32 i + lane: a comparison that goes from bit to bit, of all lanes at once.
  HEDDLE_DEVICE unsigned lanes_below(unsigned i, const unsigned (&votes)[Bits]) const {
    unsigned lanes = 0;
#pragma unroll
    for (int bit = 0; bit < Bits; ++bit) {
      lanes = (has_bit(i, bit) & lanes) | (~votes[bit] & (has_bit(i, bit) | lanes));
    }
    return lanes;
  }

  /// Which keys the warp has, for the block. Returns as many lanes as that are.
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

  /// Of four warps, a byte each, those below `number`.
  HEDDLE_DEVICE static unsigned warps_before(unsigned number, unsigned word) {
    const int bits = static_cast<int>(number * 8) - static_cast<int>(word * 32);
    return __funnelshift_lc(~0u, 0u, static_cast<unsigned>(bits > 0 ? bits : 0));
  }

  HEDDLE_DEVICE static unsigned sum_of_bytes(unsigned four, unsigned sum) {
    return __dp4a(four, 0x01010101u, sum);
  }

  /// Of this warp.
  template <class Quads>
  HEDDLE_DEVICE unsigned char& byte_of(Quads& below, unsigned row) const {
    const unsigned which = words <= 4 ? 0 : number_ / 16, byte = words <= 4 ? number_ : number_ % 16;
    return reinterpret_cast<unsigned char*>(below[which][row].words)[byte];
  }

  storage* shared_;
  unsigned number_, set_[Bits];  // of the warp; for each bit whether the lane's number has it, in all bits
  unsigned turn_ = 0;
#endif
};

}  // namespace heddle::inline HEDDLE_ABI
