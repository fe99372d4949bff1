#pragma once

// The kernels of this benchmark: threads carry state through a switch, or read a table, by their keys.

#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>

namespace heddle_bench {

/// The parameters of a launch.
struct work {
  unsigned keys = 8;         // a power of two
  unsigned rounds = 8;       // switches, one after another
  unsigned turns = 64;       // of a branch; for a table, loads per round
  unsigned longest = turns;  // turns of branch 0
  unsigned skew = 0;         // of 65536 threads, how many have key 0 regardless
  unsigned together = 0;     // a bit per round: keys are together, those of 2^alike threads
  unsigned alike = 5;
};

/// The state of a thread: its number, a seed, its key for the next round, and words that every round changes.
template <int Words>
struct state {
  unsigned words[Words];
};

__device__ inline unsigned mix(unsigned seed) {
  seed = (seed ^ seed >> 16) * 0x7feb352du;
  seed = (seed ^ seed >> 15) * 0x846ca68bu;
  return seed ^ seed >> 16;
}

template <int Words>
__device__ unsigned drawn_key(const state<Words>& mine, unsigned round, const work& todo) {
  const unsigned drawn = (todo.together >> round & 1) != 0 ? mix((mine.words[0] >> todo.alike) + round) : mine.words[1];
  return (drawn >> 16) < todo.skew ? 0 : drawn & (todo.keys - 1);
}

/// Returns the key: from the state, if it has room for one.
template <int Words>
__device__ unsigned key_of(const state<Words>& mine, unsigned round, const work& todo) {
  if constexpr (Words > 2) return mine.words[2];
  return drawn_key(mine, round, todo);
}

/// Does the turns of a branch. Each depends on the one before: a step of a hash and two of a sum. Every branch has code
/// of its own.
template <int Branch>
__device__ unsigned walk(unsigned x, unsigned turns) {
  float sum = 1;
#pragma unroll 1
  for (unsigned turn = 0; turn < turns; ++turn) {
    x = (x ^ x >> 16) * (0x7feb352du + 2 * Branch);
    x = (x ^ x >> 15) * 0x846ca68bu + Branch;
    x ^= x >> 13;
    const float step = __uint_as_float(0x3f000000u | x >> 16);
    sum = fmaf(fmaf(sum, 0.5f, -0.25f), step, step);
  }
  return x + __float_as_uint(sum);
}

__device__ inline unsigned branch(unsigned key, unsigned x, unsigned turns) {
  switch (key) {
    case 0:
      return walk<0>(x, turns);
    case 1:
      return walk<1>(x, turns);
    case 2:
      return walk<2>(x, turns);
    case 3:
      return walk<3>(x, turns);
    case 4:
      return walk<4>(x, turns);
    case 5:
      return walk<5>(x, turns);
    case 6:
      return walk<6>(x, turns);
    case 7:
      return walk<7>(x, turns);
    case 8:
      return walk<8>(x, turns);
    case 9:
      return walk<9>(x, turns);
    case 10:
      return walk<10>(x, turns);
    case 11:
      return walk<11>(x, turns);
    case 12:
      return walk<12>(x, turns);
    case 13:
      return walk<13>(x, turns);
    case 14:
      return walk<14>(x, turns);
    default:
      return walk<15>(x, turns);
  }
}

/// Changes every word of the state, so that all are live from one round to the next.
template <int Words>
__device__ void hand_on(state<Words>& mine, unsigned result) {
  mine.words[1] = mix(mine.words[1] + result);
#pragma unroll
  for (int i = 3; i < Words; ++i) mine.words[i] += mine.words[i == 3 ? 1 : i - 1];
}

/// The body of a round: a branch of the switch.
struct in_switch {
  /// Returns the clocks of a visit: 14 instructions per turn, as compiled.
  static float clocks_of(const work& todo) { return 14 * static_cast<float>(todo.turns); }

  template <int Words>
  __device__ void operator()(state<Words>& mine, unsigned key, const work& todo) const {
    hand_on(mine, branch(key, mine.words[1], key == 0 ? todo.longest : todo.turns));
  }
};

/// The body of a round: the same for all keys.
struct in_line {
  static float clocks_of(const work&) { return 0; }

  template <int Words>
  __device__ void operator()(state<Words>& mine, unsigned, const work&) const {
    hand_on(mine, mine.words[1]);
  }
};

/// The body of a round: threads with one key read the same part of a table, others another part.
struct in_table {
  /// Returns the clocks of a visit. L1 takes 4 per turn: it looks up one line after another, for four schedulers.
  /// Meanwhile a warp issues instructions, 16 per turn: only what L1 takes beyond them counts.
  static float clocks_of(const work& todo) {
    const float visits = static_cast<float>(todo.keys < 32 ? todo.keys : 32);
    const float of_turn = 4 - 16 / visits;
    return of_turn * static_cast<float>(todo.turns);
  }

  const unsigned* table;
  unsigned of_key;  // words per key, a power of two

  template <int Words>
  __device__ void operator()(state<Words>& mine, unsigned key, const work& todo) const {
    const unsigned* const own = table + key * of_key;
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned turn = 0; turn < todo.turns; ++turn) sum += own[(turn * 0x9e3779b1u >> 7) & (of_key - 1)];
    hand_on(mine, sum);
  }
};

/// State stays in its thread.
template <int Words, class Body>
__global__ void __launch_bounds__(Words <= 6 ? 1024 : 512) plain(state<Words>* all, work todo, Body body) {
  state<Words> mine = all[blockIdx.x * blockDim.x + threadIdx.x];
#pragma unroll 1
  for (unsigned round = 0; round < todo.rounds; ++round) {
    body(mine, key_of(mine, round, todo), todo);
    if constexpr (Words > 2) mine.words[2] = drawn_key(mine, round + 1, todo);
  }
  all[mine.words[0]] = mine;
}

enum class mode { reorder, gate, rank };

/// State changes places before every round, or only while it pays; or threads are only ranked.
template <int Words, int Bits, int Threads, mode Mode, class Body>
__global__ void __launch_bounds__(Threads, Words <= 6 ? 2048 / Threads : 1)
    reordered(state<Words>* all, work todo, Body body, heddle::coherence_gate gate) {
  using order = heddle::block_reorder<Threads, Bits>;
  using exchange = heddle::block_exchange<state<Words>, Threads, (Threads * 24 > 16 * 1024 ? Threads * 24 : 16 * 1024)>;
  __shared__ typename order::storage ranks;
  __shared__ typename exchange::storage states;
  order by_key(ranks);
  const exchange carry(states, true);
  state<Words> mine = all[blockIdx.x * Threads + threadIdx.x];
  const auto step = [&](unsigned round) {
    body(mine, key_of(mine, round, todo), todo);
    if constexpr (Words > 2) mine.words[2] = drawn_key(mine, round + 1, todo);
  };
  if constexpr (Mode == mode::gate) {
#pragma unroll 1
    for (unsigned round = 0;;) {
#pragma unroll 1
      for (const unsigned end = gate.until(round, todo.rounds); round < end; ++round) step(round);
      if (round == todo.rounds) break;
      const auto [pays, rank, active] = by_key.rank_if(gate, key_of(mine, round, todo));
      if (pays) mine = carry.to(mine, order::seat(rank));
    }
  } else {
#pragma unroll 1
    for (unsigned round = 0; round < todo.rounds; ++round) {
      const unsigned rank = by_key.rank(key_of(mine, round, todo)).rank;
      if constexpr (Mode == mode::reorder) mine = carry.to(mine, order::seat(rank));
      if constexpr (Mode == mode::rank) mine.words[1] += rank >> 10;  // 0
      step(round);
    }
  }
  all[mine.words[0]] = mine;
}

__global__ void fill(unsigned* words, unsigned count, unsigned of_state, work todo) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= count) return;
  unsigned* const mine = words + number * static_cast<std::size_t>(of_state);
  for (unsigned i = 0; i < of_state; ++i) mine[i] = mix(number * 64 + i);
  mine[0] = number;
  if (of_state > 2) mine[2] = drawn_key(state<2>{{number, mine[1]}}, 0, todo);
}

__global__ void add_up(const unsigned* words, unsigned count, unsigned of_state, unsigned long long* sum) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= count) return;
  unsigned hash = 0;
  for (unsigned i = 0; i < of_state; ++i) hash = mix(hash + words[number * static_cast<std::size_t>(of_state) + i]);
  atomicAdd(sum, hash * (number + 1ull));
}

}  // namespace heddle_bench
