#pragma once

// Kernels on the host, for laws that are to hold where there is no GPU: every thread of a block is a fiber, and runs to
// its next meeting with others. A warp's threads run in an order that a seed decides, none of them in step; blocks run
// one after another. Include it first: what follows is compiled as NVRTC would, by the host's compiler.

#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

namespace simt {

struct three {
  unsigned x = 1, y = 1, z = 1;
};

inline std::mt19937 random(1);
inline unsigned long long random_word() {
  return random() * 0x100000001ull;
}

/// What lanes bring to a meeting, and whether all of them came to the same one.
struct meeting {
  struct result {
    unsigned lanes = 0;
    unsigned long long brought[32] = {};

    /// What a lane brought that had ended is anything.
    unsigned long long of(unsigned lane) const { return (lanes >> lane & 1) != 0 ? brought[lane] : random_word(); }
  };

  unsigned generation = 0;
  result arriving, found[2];
  const char* name = nullptr;
};

struct fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  three place;
  unsigned lane, warp;
  bool done = false;
};

struct block {
  three number, threads, blocks;
  std::vector<std::unique_ptr<fiber>> fibers;
  std::vector<meeting> warps;
  unsigned at_barrier = 0, barriers = 0, alive = 0;
  bool votes[2] = {false, false};  // of the barriers in turns
  std::function<void()> kernel;
  ucontext_t outside;
  std::exception_ptr failure;
};

inline block* now = nullptr;
inline fiber* self = nullptr;

inline void wait() {
  swapcontext(&self->context, &now->outside);
}

inline void run_fiber() {
  try {
    now->kernel();
  } catch (...) {
    now->failure = std::current_exception();
  }
  self->done = true;
  --now->alive;
  wait();
}

inline unsigned alive_in_warp() {
  unsigned mask = 0;
  for (const auto& each : now->fibers) {
    if (each->warp == self->warp && !each->done) mask |= 1u << each->lane;
  }
  return mask;
}

/// What every lane of the mask brings. All that have not ended must come, to a meeting of this name.
inline const meeting::result& meet(const char* name, unsigned mask, unsigned long long value) {
  meeting& at = now->warps[self->warp];
  if (at.arriving.lanes != 0 && std::strcmp(at.name, name) != 0) throw std::logic_error("lanes of a warp part");
  at.name = name;
  at.arriving.lanes |= 1u << self->lane;
  at.arriving.brought[self->lane] = value;
  const unsigned generation = at.generation;
  while (at.generation == generation) {
    if (at.arriving.lanes == (mask & alive_in_warp())) {
      at.found[generation % 2] = at.arriving;
      at.arriving.lanes = 0;
      ++at.generation;
    } else {
      wait();
    }
  }
  return at.found[generation % 2];
}

[[gnu::noinline]] inline void begin_fiber(fiber& each, unsigned thread) {
  constexpr std::size_t stack_bytes = 64 * 1024;
  each.stack = std::make_unique<char[]>(stack_bytes);
  each.place = {thread, 0, 0};
  each.lane = thread % 32;
  each.warp = thread / 32;
  getcontext(&each.context);
  each.context.uc_stack.ss_sp = each.stack.get();
  each.context.uc_stack.ss_size = stack_bytes;
  each.context.uc_link = &now->outside;
  makecontext(&each.context, run_fiber, 0);
}

/// Calls `kernel()` for each thread of each block, in the first dimension.
template <class Kernel>
void launch(unsigned blocks, unsigned threads, Kernel kernel) {
  for (unsigned number = 0; number < blocks; ++number) {
    block all;
    all.number = {number, 0, 0};
    all.threads.x = threads;
    all.blocks.x = blocks;
    all.warps.resize((threads + 31) / 32);
    all.alive = threads;
    all.kernel = kernel;
    now = &all;
    for (unsigned thread = 0; thread < threads; ++thread) {
      all.fibers.push_back(std::make_unique<fiber>());
      begin_fiber(*all.fibers.back(), thread);
    }
    std::vector<fiber*> order;
    for (const auto& each : all.fibers) order.push_back(each.get());
    for (long long turns = 0; all.alive > 0; ++turns) {
      if (turns > 50'000'000) throw std::logic_error("a block does not end");
      if (turns % 16 == 0) std::shuffle(order.begin(), order.end(), random);
      for (fiber* each : order) {
        if (each->done) continue;
        self = each;
        swapcontext(&all.outside, &each->context);
        if (all.failure) std::rethrow_exception(all.failure);
      }
    }
  }
}

}  // namespace simt

// What kernels are written in.

#define __CUDACC__
#define __CUDACC_RTC__
#define __device__
#define __host__
#define __global__
#define __shared__ static
#define __grid_constant__
#define threadIdx (simt::self->place)
#define blockIdx (simt::now->number)
#define blockDim (simt::now->threads)
#define gridDim (simt::now->blocks)
#define assert(...) ((__VA_ARGS__) ? void() : throw std::logic_error(#__VA_ARGS__))

/// The special registers: those of a lane. What is only kept stays what it is.
inline unsigned number;
template <class Word>
void special_register(const char* text, Word& value) {
  if (std::strstr(text, "kept") != nullptr) return;
  if (std::strstr(text, "lanemask_lt") != nullptr) {
    value = (1u << simt::self->lane) - 1;
  } else if (std::strstr(text, "laneid") != nullptr) {
    value = simt::self->lane;
  } else {
    throw std::logic_error(text);
  }
}
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif
#define asm(...) special_register(#__VA_ARGS__, number)

inline void __syncthreads() {
  const unsigned barrier = simt::now->barriers;
  ++simt::now->at_barrier;
  while (simt::now->barriers == barrier) {
    if (simt::now->at_barrier == simt::now->alive) {
      simt::now->at_barrier = 0;
      ++simt::now->barriers;
      simt::now->votes[simt::now->barriers % 2] = false;  // all have read it, of the barrier before this one
    } else {
      simt::wait();
    }
  }
}

inline int __syncthreads_or(int predicate) {
  const unsigned barrier = simt::now->barriers;
  simt::now->votes[barrier % 2] |= predicate != 0;
  __syncthreads();
  return simt::now->votes[barrier % 2];
}

inline void __syncwarp() {
  simt::meet("syncwarp", ~0u, 0);
}

template <class Word>
Word __shfl_sync(unsigned mask, Word value, int lane) {
  return static_cast<Word>(simt::meet("shfl", mask, value).of(lane & 31));
}
template <class Word>
Word __shfl_up_sync(unsigned mask, Word value, unsigned step) {
  const auto& all = simt::meet("shfl_up", mask, value);
  return simt::self->lane < step ? value : static_cast<Word>(all.of(simt::self->lane - step));
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const auto& all = simt::meet("ballot", mask, predicate != 0);
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((all.lanes >> lane & 1) != 0 && all.brought[lane] != 0) result |= 1u << lane;
  }
  return result;
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
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  const auto& all = simt::meet("reduce_or", mask, value);
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((all.lanes >> lane & 1) != 0) result |= static_cast<unsigned>(all.brought[lane]);
  }
  return result;
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  const auto& all = simt::meet("reduce_add", mask, value);
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((all.lanes >> lane & 1) != 0) result += static_cast<unsigned>(all.brought[lane]);
  }
  return result;
}
inline unsigned __dp4a(unsigned some, unsigned others, unsigned sum) {
  for (int i = 0; i < 4; ++i) sum += (some >> 8 * i & 0xff) * (others >> 8 * i & 0xff);
  return sum;
}
/// Lanes of divergent code need not be together: here none is.
inline unsigned __activemask() {
  return 1u << simt::self->lane;
}

inline int __popc(unsigned word) {
  return std::popcount(word);
}
inline int __clz(int word) {
  return std::countl_zero(static_cast<unsigned>(word));
}
inline int __ffs(int word) {
  return word == 0 ? 0 : std::countr_zero(static_cast<unsigned>(word)) + 1;
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  const auto both = static_cast<unsigned long long>(high) << 32 | low;
  return shift >= 32 ? low : static_cast<unsigned>(both << shift >> 32);
}

template <class Word>
Word atomicAdd(Word* word, Word value) {
  if (simt::random() % 4 == 0) simt::wait();
  const Word before = *word;
  *word += value;
  return before;
}
template <class Word>
Word atomicMax(Word* word, Word value) {
  const Word before = *word;
  *word = std::max(before, value);
  return before;
}
template <class Word>
Word atomicExch(Word* word, Word value) {
  const Word before = *word;
  *word = value;
  return before;
}
template <class Word>
Word atomicOr(Word* word, Word value) {
  const Word before = *word;
  *word |= value;
  return before;
}

inline void __threadfence() {}
inline void __nanosleep(unsigned) {
  simt::wait();
}
[[noreturn]] inline void __trap() {
  throw std::logic_error("trap");
}
inline std::size_t __cvta_generic_to_shared(const void* pointer) {
  return reinterpret_cast<std::size_t>(pointer);
}
inline void* __cvta_shared_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}
