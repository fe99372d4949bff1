#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/detail/warp.hpp>
#include <heddle/reorder/coherence.hpp>
#include <heddle/reorder/coherence_gate.hpp>

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
/// **Preconditions**: the block has `Threads` threads. All of them construct it and call `rank_if`, `rank` and `spread`
/// together, any number of times, with equal gates. A block barrier comes before a second `block_reorder` with the same
/// storage, and before each change of use of memory that has several, as in a union; `block_exchange` begins with one.
/// **Cost**: `cost` has the clocks, and each call says its barriers; three values live between calls. Storage
/// grows with warps and keys: 168 bytes for 256 threads and 3 bits, 656 for 1024 threads and 3 bits, 16,544 for 1024
/// threads and 8 bits.
/// **Example** (examples/05_reorder/after.cu):
///
///     using reorder = heddle::block_reorder<256, 3>;
///     …
///     __shared__ reorder::storage ranks;
///     …
///     reorder by_material(ranks);
///     heddle::coherence_gate gate = reorder::gate(200, exchange::words);
///     …
///     if (gate.next_round()) {
///       const auto [pays, rank, active] = by_material.rank_if(gate, mine.material);
///       if (pays) mine = exchange(states).to(mine, rank);
///     }
template <int Threads, int Bits>
class block_reorder {
  static_assert(Threads % 32 == 0 && Threads >= 32 && Threads <= 1024,
                "heddle::block_reorder: Threads is not a multiple of 32 from 32 to 1024");
  static_assert(Bits >= 1 && Bits <= 8, "heddle::block_reorder: Bits is not from 1 to 8");

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

  /// The result of `rank` in one thread.
  struct place {
    unsigned rank, active;  // this thread's place in key order; the number of active threads in the block
  };

  /// The result of `rank_if` in one thread.
  struct decision {
    bool pays;              // whether to sort, the same in all threads of the block; if not, ignore `rank`
    unsigned rank, active;  // as in `place`
  };

  /// Returns what ranks and questions cost in a block of this size with keys of this many bits.
  HEDDLE_FN static coherence::cost cost() {
    coherence::cost of;
    // The last term is the wait for a block's slowest warp, which other blocks of the multiprocessor hide if there
    // are 8.
    of.of_rank = 64 + 10 * Bits + 6 * (keys / 32) + (warps > 8 ? 240 - 1920.0f / warps : 0);
    of.of_question = 30 + 0.5f * warps;
    return of;
  }

  /// Returns a gate for a loop in which a visit to a key keeps a warp's scheduler busy for `clocks_of_visit`, and an
  /// exchange moves `of_state` words per thread: `block_exchange::words`. If sorting would not pay even if every warp
  /// had every key, the gate asks only whether a thread is active, after its longest pause.
  HEDDLE_FN static coherence_gate gate(float clocks_of_visit, unsigned of_state, const coherence::cost& of = cost()) {
    constexpr unsigned most = keys < 32 ? keys : 32;
    return {clocks_of_visit, of_state, of, {warps * most, most, Threads}};
  }

#if defined(__CUDACC__)
  /// Prepares ranks in `shared`, without a barrier.
  HEDDLE_DEVICE explicit block_reorder(storage& shared)
      : shared_(detail::ptx::kept_shared(shared)), number_(detail::ptx::kept(detail::warp::thread() / 32)) {
    detail::check(detail::warp::threads_in_block() == Threads,
                  "heddle::block_reorder: the number of threads in the block is not Threads");
    detail::check_storage(shared, "heddle::block_reorder: the storage is not in shared memory");
  }

  /// Returns the thread's rank, and whether it pays to sort by it. Call it in each round that `gate.next_round()` lets
  /// through. One barrier, and two or three more when the block begins to sort; one more if threads may be inactive. A
  /// loop may end together when `active` is 0.
  HEDDLE_DEVICE decision rank_if(coherence_gate& gate, unsigned key) {
    return decide<true>(gate, key, true);
  }
  HEDDLE_DEVICE decision rank_if(coherence_gate& gate, unsigned key, bool is_active) {
    return decide<false>(gate, key, is_active);
  }

  /// Returns the thread's rank and the number of active threads; one barrier.
  HEDDLE_DEVICE place rank(unsigned key) {
    const auto [rank, active, visits] = place_of<true, false>(ballots_of<true>(key, true), key, true);
    return {rank, active};
  }
  HEDDLE_DEVICE place rank(unsigned key, bool is_active) {
    const auto [rank, active, visits] = place_of<false, false>(ballots_of<false>(key, is_active), key, is_active);
    return {rank, active};
  }

  /// Returns how the keys are spread over the warps; two barriers, three if threads may be inactive.
  HEDDLE_DEVICE coherence spread(unsigned key) const {
    return spread_of<true>(key, true);
  }
  HEDDLE_DEVICE coherence spread(unsigned key, bool is_active) const {
    return spread_of<false>(key, is_active);
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

  /// A vote of a warp per bit of the key, its active lanes, and those with this thread's key.
  struct ballots {
    unsigned votes[Bits], active, peers;
  };

  struct counted_place {
    unsigned rank, active, visits;
  };

  template <bool Everybody>
  HEDDLE_DEVICE ballots ballots_of(unsigned key, bool is_active) const {
    ballots all;
    all.peers = all.active = Everybody ? detail::warp::all : __ballot_sync(detail::warp::all, is_active);
#pragma unroll
    for (int bit = 0; bit < Bits; ++bit) {
      const unsigned lacks = detail::ptx::kept((key & 1u << bit) != 0 ? 0 : ~0u);
      all.votes[bit] = __ballot_sync(detail::warp::all, lacks == 0);
      all.peers &= all.votes[bit] ^ lacks;
    }
    return all;
  }

  /// Returns whether this thread is its warp's first with its key: a block has as many as visits.
  HEDDLE_DEVICE static bool begins(const ballots& all, bool is_active) {
    return is_active && (all.peers & detail::warp::below()) == 0;
  }

  /// A block has as many visits as threads that are their warp's first with their key, and as many keys as threads that
  /// are the first in the block. The latter set the bit of their key.
  template <bool Everybody>
  HEDDLE_DEVICE coherence spread_of(unsigned key, bool is_active) const {
    const unsigned thread = detail::warp::thread(), mine = key & (keys - 1), bit = 1u << mine % 32;
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
    namespace warp = detail::warp;
    const unsigned active = Everybody ? warp::all : __ballot_sync(warp::all, is_active);
    const unsigned first = __shfl_sync(warp::all, key, Everybody ? 0 : __ffs(static_cast<int>(active)) - 1);
    const unsigned others = count(is_active && ((key ^ first) & (keys - 1)) != 0);
    return {warps + others, 1, Everybody ? Threads : count(is_active)};
  }

  /// Returns in how many threads of the block this is so; a barrier.
  HEDDLE_DEVICE static unsigned count(bool is_so) {
    return static_cast<unsigned>(__syncthreads_count(is_so));
  }

  /// Return a value that is the same in all threads. The compiler learns that it is, and branches without a check.
  HEDDLE_DEVICE static bool uniform(bool value) {
    return __any_sync(detail::warp::all, value);
  }
  HEDDLE_DEVICE static unsigned uniform(unsigned value) {
    return __shfl_sync(detail::warp::all, value, 0);
  }

  template <bool Everybody>
  HEDDLE_DEVICE decision decide(coherence_gate& gate, unsigned key, bool is_active) {
    unsigned active = Threads;
    if (!gate.is_sorting()) {
      const coherence best = best_of<Everybody>(key, is_active);
      active = best.active;
      gate.pause(1);
      if (uniform(gate.pays(best))) {
        const coherence how = spread_of<Everybody>(key, is_active);
        gate.pause(3);
        if (uniform(gate.pays(how))) gate.sort(uniform(how.keys));
      }
      if (!gate.is_sorting()) return {false, detail::warp::thread(), active};
    }
    const auto sorted = place_of<Everybody, true>(ballots_of<Everybody>(key, is_active), key, is_active);
    gate.sort(uniform(gate.pays({sorted.visits, gate.keys(), sorted.active})) ? gate.keys() : 0);
    return {gate.is_sorting(), sorted.rank, sorted.active};
  }

  template <bool Everybody, bool Counts>
  HEDDLE_DEVICE counted_place place_of(const ballots& of, unsigned key, bool is_active) {
    namespace warp = detail::warp;
    // A loop with a gate may never come here, so it computes the bits here, and another loop once before. Without
    // `kept` the compiler computed each bit for every use of it, which took as long as the rest of a call.
    const unsigned lane = Counts ? detail::ptx::computed_here(warp::lane()) : warp::lane();
    unsigned set[Bits];  // per bit all ones if the lane's number has it, else 0
#pragma unroll
    for (int bit = 0; bit < Bits; ++bit) {
      set[bit] = detail::ptx::kept(static_cast<unsigned>(static_cast<int>(lane << (31 - bit)) >> 31));
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
    unsigned rank = static_cast<unsigned>(__popc((Everybody || is_active ? of.peers : ~of.active) & warp::below()));
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

}  // namespace heddle::inline HEDDLE_ABI
