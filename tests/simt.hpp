#pragma once

// Kernels on the host, for laws that are to hold where there is no GPU: every thread of a block is a fiber, and runs to
// its next meeting with others. A warp's threads run in an order that a seed decides, none of them in step; blocks run
// one after another. Include it first: what follows is compiled as NVRTC would, by the host's compiler.

#undef _FORTIFY_SOURCE  // takes a jump to another stack for an error

#include <setjmp.h>
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

  unsigned generation = 0, alive = 0;  // lanes that have not ended
  result arriving, found[2];
  const char* name = nullptr;
};

/// A stack on which one thread after another runs, of one block after another.
struct fiber {
  fiber();

  jmp_buf inside;
  std::unique_ptr<char[]> stack;
  three place;
  unsigned lane, warp;
  bool done = true;
  std::function<bool()> can_go_on;
};

struct block {
  three number, threads, blocks;
  std::vector<meeting> warps;
  unsigned at_barrier = 0, barriers = 0, alive = 0;
  bool votes[2] = {false, false};  // of the barriers in turns
  std::function<void()> kernel;
  std::exception_ptr failure;
};

inline std::vector<std::unique_ptr<fiber>> fibers;
inline block* now = nullptr;
inline fiber* self = nullptr;
inline jmp_buf outside;

// From stack to stack by jumps: swapcontext would ask the system for the mask of signals each time.
inline void leave() {
  if (_setjmp(self->inside) == 0) _longjmp(outside, 1);
}
inline void resume(fiber& each) {
  self = &each;
  if (_setjmp(outside) == 0) _longjmp(each.inside, 1);
}

/// Lets others run until the condition holds, which is asked from outside: a fiber that waits is not resumed.
template <class Condition>
void wait_until(const Condition& holds) {
  if (holds()) return;
  self->can_go_on = std::cref(holds);
  leave();
}

/// Lets others run.
inline void wait() {
  self->can_go_on = [] { return true; };
  leave();
}

inline void run_fiber() {
  for (;;) {
    leave();
    try {
      now->kernel();
    } catch (...) {
      now->failure = std::current_exception();
    }
    self->done = true;
    --now->alive;
    if (now->at_barrier > 0 && !now->failure) {
      now->failure = std::make_exception_ptr(std::logic_error("a thread ends while others wait for it"));
    }
    now->warps[self->warp].alive &= ~(1u << self->lane);
  }
}

inline fiber::fiber() {
  constexpr std::size_t stack_bytes = 64 * 1024;
  stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
  ucontext_t begin;
  getcontext(&begin);
  begin.uc_stack.ss_sp = stack.get();
  begin.uc_stack.ss_size = stack_bytes;
  begin.uc_link = nullptr;
  makecontext(&begin, run_fiber, 0);
  self = this;
  if (_setjmp(outside) == 0) setcontext(&begin);
}

/// What every lane of the mask brings. All that have not ended must come, to a meeting of this name.
inline const meeting::result& meet(const char* name, unsigned mask, unsigned long long value) {
  meeting& at = now->warps[self->warp];
  if (at.arriving.lanes != 0 && std::strcmp(at.name, name) != 0) throw std::logic_error("lanes of a warp part");
  at.name = name;
  at.arriving.lanes |= 1u << self->lane;
  at.arriving.brought[self->lane] = value;
  const unsigned generation = at.generation;
  wait_until([&] { return at.generation != generation || at.arriving.lanes == (mask & at.alive); });
  if (at.generation == generation) {
    at.found[generation % 2] = at.arriving;
    at.arriving.lanes = 0;
    ++at.generation;
  }
  return at.found[generation % 2];
}

/// Calls `kernel()` for each thread of each block, in the first dimension.
template <class Kernel>
void launch(unsigned blocks, unsigned threads, Kernel kernel) {
  fibers.resize(std::max<std::size_t>(fibers.size(), threads));
  for (unsigned number = 0; number < blocks; ++number) {
    block all;
    all.number = {number, 0, 0};
    all.threads.x = threads;
    all.blocks.x = blocks;
    all.warps.resize((threads + 31) / 32);
    all.alive = threads;
    all.kernel = kernel;
    now = &all;
    std::vector<fiber*> order;
    for (unsigned thread = 0; thread < threads; ++thread) {
      auto& each = fibers[thread];
      if (!each || !each->done) each = std::make_unique<fiber>();  // what did not end never will
      each->place = {thread, 0, 0};
      each->lane = thread % 32;
      each->warp = thread / 32;
      each->done = false;
      each->can_go_on = [] { return true; };
      all.warps[each->warp].alive |= 1u << each->lane;
      order.push_back(each.get());
    }
    for (long long turns = 0; all.alive > 0; ++turns) {
      if (turns % 16 == 0) std::shuffle(order.begin(), order.end(), random);
      bool all_wait = true;
      for (fiber* each : order) {
        if (each->done || !each->can_go_on()) continue;
        all_wait = false;
        resume(*each);
        if (all.failure) std::rethrow_exception(all.failure);
      }
      if (all_wait || turns > 50'000'000) throw std::logic_error("a block does not end");
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
[[gnu::always_inline]] inline void special_register(const char* text, Word& value) {
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
  simt::block& all = *simt::now;
  const unsigned barrier = all.barriers;
  if (all.alive < all.threads.x) throw std::logic_error("threads wait for one that has ended");
  ++all.at_barrier;
  simt::wait_until([&] { return all.barriers != barrier || all.at_barrier == all.alive; });
  if (all.barriers == barrier) {
    all.at_barrier = 0;
    ++all.barriers;
    all.votes[all.barriers % 2] = false;  // all have read it, of the barrier before this one
  }
  for (unsigned turns = simt::random() % 64 == 0 ? simt::random() % 64 : 0; turns > 0; --turns)
    simt::wait();  // far behind
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
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate == 0) == 0;
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
inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  const auto& all = simt::meet("reduce_min", mask, value);
  unsigned result = ~0u;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((all.lanes >> lane & 1) != 0) result = std::min(result, static_cast<unsigned>(all.brought[lane]));
  }
  return result;
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  return ~__reduce_min_sync(mask, ~value);
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
