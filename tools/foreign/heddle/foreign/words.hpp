#pragma once

// CUDA's words over the simulator: qualifiers, places, barriers, shuffles, votes and atomics. Whether CUDA's own
// headers come first is the includer's choice.

#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "simt.hpp"

#define __device__
#define __host__
#define __global__
#define __shared__ thread_local  // each of the blocks that run at the same time has a thread of the host
#define __grid_constant__
#define threadIdx (simt::self->place)
#define blockIdx (simt::now->number)
#define blockDim (simt::now->threads)
#define gridDim (simt::now->grid->blocks)

inline void __syncthreads() {
  simt::block& all = *simt::now;
  const unsigned barrier = all.barriers;
  if (all.alive < all.threads.size()) throw std::logic_error("threads wait for one that has ended");
  ++all.at_barrier;
  simt::wait_until([&] { return all.barriers != barrier || all.at_barrier == all.alive; });
  if (all.barriers == barrier) {
    all.at_barrier = 0;
    ++all.barriers;
    all.votes[all.barriers % 2] = 0;  // all threads have read this vote, of the barrier before this one
  }
  for (unsigned turns = simt::random() % 64 == 0 ? simt::random() % 64 : 0; turns > 0; --turns)
    simt::wait();  // this thread falls far behind
}

inline int __syncthreads_count(int predicate) {
  const unsigned barrier = simt::now->barriers;
  simt::now->votes[barrier % 2] += predicate != 0;
  __syncthreads();
  return simt::now->votes[barrier % 2];
}

inline int __syncthreads_or(int predicate) {
  return __syncthreads_count(predicate) != 0;
}

inline void __syncwarp(unsigned mask = ~0u) {
  simt::meet("syncwarp", mask, 0);
}

namespace simt {

/// Returns the value of another lane, of any type of up to eight bytes. A lane that is none has this one's value.
template <class Word>
Word shuffled(const char* name, unsigned mask, Word value, unsigned lane) {
  unsigned long long bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  const auto& all = meet(name, mask, bits);
  if (lane > 31) return value;
  bits = all.of(lane);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace simt

template <class Word>
Word __shfl_sync(unsigned mask, Word value, int lane, int width = 32) {
  const unsigned within = static_cast<unsigned>(width - 1);
  return simt::shuffled("shfl", mask, value, (simt::self->lane & ~within) | (static_cast<unsigned>(lane) & within));
}
template <class Word>
Word __shfl_up_sync(unsigned mask, Word value, unsigned step) {
  return simt::shuffled("shfl_up", mask, value, simt::self->lane - step);
}
template <class Word>
Word __shfl_down_sync(unsigned mask, Word value, unsigned step) {
  return simt::shuffled("shfl_down", mask, value, simt::self->lane + step);
}
template <class Word>
Word __shfl_xor_sync(unsigned mask, Word value, unsigned distance) {
  return simt::shuffled("shfl_xor", mask, value, simt::self->lane ^ distance);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const auto& all = simt::meet("ballot", mask, predicate != 0);
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((all.lanes >> lane & 1) != 0 && all.brought[lane] != 0) result |= 1u << lane;
  }
  return result;
}
/// Of all 32 lanes: the mask names them.
inline int __reduce_add_sync(unsigned mask, int value) {
  const auto& all = simt::meet("reduce_add", mask, static_cast<unsigned>(value));
  int sum = 0;
  for (unsigned lane = 0; lane < 32; ++lane) sum += static_cast<int>(all.of(lane));
  return sum;
}
inline int __reduce_max_sync(unsigned mask, int value) {
  const auto& all = simt::meet("reduce_max", mask, static_cast<unsigned>(value));
  for (unsigned lane = 0; lane < 32; ++lane) value = std::max(value, static_cast<int>(all.of(lane)));
  return value;
}
inline unsigned __match_any_sync(unsigned mask, unsigned value) {
  const auto& all = simt::meet("match_any", mask, value);
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((all.lanes >> lane & 1) != 0 && all.brought[lane] == value) result |= 1u << lane;
  }
  return result;
}
inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate == 0) == 0;
}
inline unsigned __dp4a(unsigned some, unsigned others, unsigned sum) {
  for (int i = 0; i < 4; ++i) sum += (some >> 8 * i & 0xff) * (others >> 8 * i & 0xff);
  return sum;
}
/// Lanes in divergent code need not run together: here each runs alone.
inline unsigned __activemask() {
  return 1u << simt::self->lane;
}

inline int __popc(unsigned word) {
  return std::popcount(word);
}
constexpr int __clz(int word) {
  return std::countl_zero(static_cast<unsigned>(word));
}
inline int __ffs(int word) {
  return word == 0 ? 0 : std::countr_zero(static_cast<unsigned>(word)) + 1;
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  const auto both = static_cast<unsigned long long>(high) << 32 | low;
  return shift >= 32 ? low : static_cast<unsigned>(both << shift >> 32);
}

namespace simt {
inline unsigned late = 0;  // least number of turns until an addition is answered
}

template <class Word>
Word atomicAdd(Word* word, std::type_identity_t<Word> value) {
  if (simt::random() % 4 == 0) simt::wait();
  const Word before = *word;
  *word += value;
  const unsigned turns = simt::late + (simt::random() % 8 == 0 ? simt::random() % 8 : 0);
  for (unsigned turn = 0; turn < turns; ++turn) simt::wait();
  return before;
}
template <class Word>
Word atomicMax(Word* word, std::type_identity_t<Word> value) {
  return std::exchange(*word, std::max(*word, value));
}
template <class Word>
Word atomicCAS(Word* word, std::type_identity_t<Word> expected, std::type_identity_t<Word> value) {
  return std::exchange(*word, *word == expected ? value : *word);
}
template <class Word>
Word atomicExch(Word* word, std::type_identity_t<Word> value) {
  return std::exchange(*word, value);
}
template <class Word>
Word atomicOr(Word* word, std::type_identity_t<Word> value) {
  return std::exchange(*word, *word | value);
}

inline void __threadfence() {}
inline void __nanosleep(unsigned) {
  simt::wait();
}
[[noreturn]] inline void __trap() {
  throw std::logic_error("trap");
}
