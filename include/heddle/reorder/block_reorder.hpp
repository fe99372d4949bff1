#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/detail/warp.hpp>
#include <heddle/reorder/coherence.hpp>
#include <heddle/reorder/coherence_gate.hpp>
#include <heddle/reorder/detail/block_keys.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

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
///     __shared__ heddle::static_shared<reorder::storage> ranks;
///     …
///     reorder by_material(ranks);
///     heddle::coherence_gate gate = reorder::gate(200, exchange::words);
///     …
///     for (unsigned bounce = 0;;) {
///       for (const unsigned end = gate.until(bounce, 8); bounce < end; ++bounce) mine = bounced(mine);
///       if (bounce == 8) break;
///       const auto [pays, rank, active] = by_material.rank_if(gate, mine.material);
///       if (pays) mine = exchange(states).to(mine, rank);
///     }
template <int Threads, int Bits>
class block_reorder {
  static_assert(Threads % 32 == 0 && Threads >= 32 && Threads <= 1024,
                "heddle::block_reorder: Threads is not a multiple of 32 from 32 to 1024");
  static_assert(Bits >= 1 && Bits <= 8, "heddle::block_reorder: Bits is not from 1 to 8");

  static constexpr unsigned keys = 1u << Bits, warps = Threads / 32;
  using block_keys = detail::reorder::block_keys<Threads, Bits>;

 public:
  /// The shared memory of a block: for each warp the number of threads below each key, twice; and the block's keys.
  using storage = typename block_keys::storage;

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
    // Keys past 32 cost more beside loads than ranks alone take: 256 of them in blocks of 512 sort in 460 clocks there
    // (H200, `bench_reorder --only data`). The last term is the wait for a block's slowest warp, which other blocks of
    // the multiprocessor hide if there are 8.
    of.of_rank = 64 + 10 * Bits + 12 * (keys / 32) + (warps > 8 ? 240 - 1920.0f / warps : 0);
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
  HEDDLE_DEVICE explicit block_reorder(storage& shared) : keys_(shared) {
    detail::check(detail::warp::threads_in_block() == Threads,
                  "heddle::block_reorder: the number of threads in the block is not Threads");
    detail::check_storage(shared, "heddle::block_reorder: the storage is not in shared memory");
  }

  /// Returns the thread's rank, and whether it pays to sort by it. Call it before each round that `gate.until` returns.
  /// One barrier, and two or three more when the block begins to sort; one more if threads may be inactive. A loop may
  /// end together when `active` is 0.
  HEDDLE_DEVICE decision rank_if(coherence_gate& gate, unsigned key) {
    return decide<true>(gate, key, true);
  }
  HEDDLE_DEVICE decision rank_if(coherence_gate& gate, unsigned key, bool is_active) {
    return decide<false>(gate, key, is_active);
  }

  /// Returns the thread's rank and the number of active threads; one barrier.
  HEDDLE_DEVICE place rank(unsigned key) {
    const auto [rank, active, visits] = keys_.template place_of<true, false>(key, true);
    return {rank, active};
  }
  HEDDLE_DEVICE place rank(unsigned key, bool is_active) {
    const auto [rank, active, visits] = keys_.template place_of<false, false>(key, is_active);
    return {rank, active};
  }

  /// Returns how the keys are spread over the warps; two barriers, three if threads may be inactive.
  HEDDLE_DEVICE coherence spread(unsigned key) const {
    return keys_.template spread_of<true>(key, true);
  }
  HEDDLE_DEVICE coherence spread(unsigned key, bool is_active) const {
    return keys_.template spread_of<false>(key, is_active);
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

  /// Return a value that is the same in all threads. The compiler learns that it is, and branches without a check.
  HEDDLE_DEVICE static bool uniform(bool value) {
    return __any_sync(detail::warp::all, value);
  }
  HEDDLE_DEVICE static unsigned uniform(unsigned value) {
    return __shfl_sync(detail::warp::all, value, 0);
  }

  template <bool Everybody>
  HEDDLE_DEVICE decision decide(coherence_gate& gate, unsigned key, bool is_active) {
    decision found{false, 0, Threads};
    if (!gate.is_sorting()) {
      const coherence best = keys_.template best_of<Everybody>(key, is_active);
      found.active = best.active;
      const bool may_pay = uniform(gate.pays(best));
      gate.note(may_pay, best.keys, 1);
      if (!may_pay) return found;
      const coherence how = keys_.template spread_of<Everybody>(key, is_active);
      gate.note(uniform(gate.pays(how)), uniform(how.keys), 3);
      if (!gate.is_sorting()) return found;
    }
    const auto sorted = keys_.template place_of<Everybody, true>(key, is_active);
    found = {uniform(gate.pays({sorted.visits, gate.keys(), sorted.active})), sorted.rank, sorted.active};
    gate.note(found.pays, gate.keys(), 0);
    return found;
  }

  block_keys keys_;
#endif
};

}}  // namespace heddle::HEDDLE_ABI
