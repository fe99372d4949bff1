#pragma once

// Runs kernels on the host, so that tests can check their laws without a GPU. Every thread of a block is a fiber and
// runs until it meets other threads. The threads of a warp run in an order that a seed decides, never in step. Blocks
// run one after another, or at the same time. Include this header first: the host's compiler then compiles all headers
// after it as NVRTC would, with the instructions of tests/simt/heddle.

#undef _FORTIFY_SOURCE  // it reports a jump to another stack as an error

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "sanitized.hpp"
#if defined(ADDRESS_SANITIZED)
#include <sanitizer/common_interface_defs.h>
#endif

#define HEDDLE_CHECKS 1
#include <heddle/laws/interleaving.hpp>

// The words of CUDA that kernels use.

#define __CUDACC__
#define __CUDACC_RTC__
#define __device__
#define __host__
#define __global__
#define __shared__ thread_local  // each of the blocks that run at the same time has a thread of the host
#define __grid_constant__
#define threadIdx (simt::self->place)
#define blockIdx (simt::now->number)
#define blockDim (simt::now->threads)
#define gridDim (simt::now->grid->blocks)

namespace simt {

struct three {
  unsigned x = 1, y = 1, z = 1;
};

inline std::mt19937 random(1);
inline unsigned long long random_word() {
  return random() * 0x100000001ull;
}

/// The values that the lanes of a warp bring to a meeting, and the name of the meeting, which must be the same for all.
struct meeting {
  struct result {
    unsigned lanes = 0;
    unsigned long long brought[32] = {};

    /// Returns the value of a lane. The value of a lane that has ended is random.
    unsigned long long of(unsigned lane) const { return (lanes >> lane & 1) != 0 ? brought[lane] : random_word(); }
  };

  unsigned generation = 0, alive = 0;  // lanes that have not ended
  result arriving, found[2];
  const char* name = nullptr;
};

inline constexpr std::size_t stack_bytes = 64 * 1024;

/// A stack. Threads of one block after another run on it, one at a time.
struct fiber {
  fiber();

  jmp_buf inside;
  std::unique_ptr<char[]> stack;
  three place;
  unsigned lane, warp;
  bool done = true;
  std::function<bool()> can_go_on;
};

/// The barrier of all threads of a cluster.
struct cluster_barrier {
  unsigned arrived = 0, alive = 0, generation = 0;
};

/// A launch of `blocks` in clusters of `in_cluster` blocks.
struct launched {
  three blocks;
  unsigned in_cluster = 1, number = 0;
  std::vector<cluster_barrier> clusters;
  std::vector<char*> shared;                            // shared memory of each block that runs
  std::vector<unsigned> processors;                     // multiprocessor of each block
  heddle::laws::interleaving* beside_others = nullptr;  // null: blocks run one after another
  bool failed = false;
};

struct block {
  three number, threads;
  std::shared_ptr<launched> grid;
  std::vector<meeting> warps;
  unsigned at_barrier = 0, barriers = 0, alive = 0;
  int votes[2] = {0, 0};  // for even and odd barriers
  std::function<void()> kernel;
  std::exception_ptr failure;

  cluster_barrier& cluster() const { return grid->clusters[number.x / grid->in_cluster]; }
};

// State of the host's thread on which a block runs.
inline thread_local std::vector<std::unique_ptr<fiber>> fibers;
inline constinit thread_local block* now = nullptr;
inline constinit thread_local fiber* self = nullptr;
inline constinit thread_local jmp_buf outside{};
#if defined(ADDRESS_SANITIZED)
inline constinit thread_local const void* outside_stack = nullptr;  // of the host's thread
inline constinit thread_local std::size_t outside_bytes = 0;
#endif
inline constinit thread_local char shared_memory = 0;  // addresses in shared memory count from here

// These functions change stacks by jumps: swapcontext would make a system call for the signal mask each time.
// AddressSanitizer is told of each change.

inline void leave() {
#if defined(ADDRESS_SANITIZED)
  void* kept = nullptr;
  __sanitizer_start_switch_fiber(&kept, outside_stack, outside_bytes);
#endif
  if (_setjmp(self->inside) == 0) _longjmp(outside, 1);
#if defined(ADDRESS_SANITIZED)
  __sanitizer_finish_switch_fiber(kept, &outside_stack, &outside_bytes);
#endif
}

inline void enter(fiber& each, const ucontext_t* first = nullptr) {
  self = &each;
#if defined(ADDRESS_SANITIZED)
  void* kept = nullptr;
  __sanitizer_start_switch_fiber(&kept, each.stack.get(), stack_bytes);
#endif
  if (_setjmp(outside) == 0) first != nullptr ? (void)setcontext(first) : _longjmp(each.inside, 1);
#if defined(ADDRESS_SANITIZED)
  __sanitizer_finish_switch_fiber(kept, nullptr, nullptr);
#endif
}

/// Lets others run until the condition holds. The block evaluates the condition: it does not resume a fiber that waits.
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
#if defined(ADDRESS_SANITIZED)
  __sanitizer_finish_switch_fiber(nullptr, &outside_stack, &outside_bytes);
#endif
  for (;;) {
    leave();
    try {
      now->kernel();
    } catch (...) {
      now->failure = std::current_exception();
    }
    self->done = true;
    --now->alive;
    --now->cluster().alive;
    if (now->at_barrier > 0 && !now->failure) {
      now->failure = std::make_exception_ptr(std::logic_error("a thread ends while others wait for it"));
    }
    now->warps[self->warp].alive &= ~(1u << self->lane);
  }
}

inline fiber::fiber() {
  stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
  ucontext_t begin;
  getcontext(&begin);
  begin.uc_stack.ss_sp = stack.get();
  begin.uc_stack.ss_size = stack_bytes;
  begin.uc_link = nullptr;
  makecontext(&begin, run_fiber, 0);
  enter(*this, &begin);
}

/// Returns the values that all lanes of the mask bring. Every lane that has not ended must come, to a meeting of this
/// name.
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

/// Combines the values that the lanes of the mask bring.
template <class Word, class Combine>
Word reduced(const char* name, unsigned mask, Word value, Combine combine) {
  const auto& all = meet(name, mask, value);
  Word result = value;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((all.lanes >> lane & 1) != 0 && lane != self->lane)
      result = combine(result, static_cast<Word>(all.brought[lane]));
  }
  return result;
}

/// Runs one block to its end. If blocks run at the same time, it sometimes lets another go first.
inline void run_block(std::shared_ptr<launched> grid, unsigned number, unsigned threads, std::function<void()> kernel) {
  const auto all = std::make_unique<block>();
  all->number = {number, 0, 0};
  all->threads.x = threads;
  all->grid = std::move(grid);
  all->warps.resize((threads + 31) / 32);
  all->alive = threads;
  all->kernel = std::move(kernel);
  launched& its = *all->grid;
  its.shared[number] = &shared_memory;
  now = all.get();
  fibers.resize(std::max<std::size_t>(fibers.size(), threads));
  std::vector<fiber*> order;
  for (unsigned thread = 0; thread < threads; ++thread) {
    auto& each = fibers[thread];
    if (!each || !each->done) each = std::make_unique<fiber>();  // a fiber that has not ended never will
    each->place = {thread, 0, 0};
    each->lane = thread % 32;
    each->warp = thread / 32;
    each->done = false;
    each->can_go_on = [] { return true; };
    all->warps[each->warp].alive |= 1u << each->lane;
    order.push_back(each.get());
  }
  for (long long turns = 0; all->alive > 0; ++turns) {
    if (turns % 16 == 0) std::shuffle(order.begin(), order.end(), random);
    bool all_wait = true;
    for (fiber* each : order) {
      if (each->done || !each->can_go_on()) continue;
      all_wait = false;
      enter(*each);
      if (all->failure) std::rethrow_exception(all->failure);
      if (its.beside_others != nullptr && random() % 16 == 0) its.beside_others->step();
    }
    if (its.failed) throw std::logic_error("another block has failed");
    if (its.beside_others != nullptr) {
      if (all_wait) its.beside_others->step();
    } else if (all_wait || turns > 50'000'000) {
      throw std::logic_error("a block does not end");
    }
  }
  its.shared[number] = nullptr;
}

inline std::shared_ptr<launched> make_launch(unsigned blocks, unsigned threads, unsigned in_cluster,
                                             unsigned processors) {
  static unsigned launches = 0;
  auto grid = std::make_shared<launched>();
  grid->blocks.x = blocks;
  grid->in_cluster = in_cluster;
  grid->number = ++launches;
  grid->clusters.resize(blocks / in_cluster + 1);
  grid->shared.resize(blocks);
  for (unsigned i = 0; i < blocks; ++i) {
    grid->clusters[i / in_cluster].alive += threads;
    grid->processors.push_back(static_cast<unsigned>(random() % processors));
  }
  return grid;
}

/// Calls `kernel()` for each thread of each block of a one-dimensional grid, one block after another.
template <class Kernel>
void launch(unsigned blocks, unsigned threads, Kernel kernel) {
  const auto grid = make_launch(blocks, threads, 1, 1);
  for (unsigned number = 0; number < blocks; ++number) run_block(grid, number, threads, std::ref(kernel));
}

/// The shape of a launch: `blocks` of `threads` in clusters, `resident` of which run at the same time, on `processors`
/// multiprocessors.
struct shape {
  unsigned blocks, threads, resident = blocks, in_cluster = 1, processors = 2;
  unsigned rows = 1, layers = 1;  // gridDim.y and .z; only blocks with blockIdx.y = blockIdx.z = 0 run
  long long limit = 4'000'000;    // turns
};

/// Does the same with blocks that run at the same time, each on its own thread and with its own shared memory.
template <class Kernel>
void launch_together(shape of, Kernel kernel) {
  const auto grid = make_launch(of.blocks, of.threads, of.in_cluster, of.processors);
  heddle::laws::interleaving memory(static_cast<unsigned>(random()), static_cast<int>(of.resident));
  grid->beside_others = &memory;
  grid->blocks.y = of.rows;
  grid->blocks.z = of.layers;
  std::string failure;
  const bool all_end = memory.run(static_cast<int>(of.blocks), of.limit, [&](int number) {
    try {
      run_block(grid, static_cast<unsigned>(number), of.threads, std::ref(kernel));
    } catch (const std::logic_error& error) {
      if (failure.empty()) failure = error.what();
      grid->failed = true;
    }
  });
  if (!failure.empty()) throw std::logic_error(failure);
  if (!all_end) throw std::logic_error("a launch does not end");
}

}  // namespace simt

using uint3 = simt::three;

inline void __syncthreads() {
  simt::block& all = *simt::now;
  const unsigned barrier = all.barriers;
  if (all.alive < all.threads.x) throw std::logic_error("threads wait for one that has ended");
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
inline float __shfl_xor_sync(unsigned mask, float value, unsigned distance) {
  const auto& all = simt::meet("shfl.xor", mask, std::bit_cast<unsigned>(value));
  return std::bit_cast<float>(static_cast<unsigned>(all.of(simt::self->lane ^ distance)));
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

namespace simt {
inline unsigned late = 0;  // least number of turns until an addition is answered
}

template <class Word>
Word atomicAdd(Word* word, Word value) {
  if (simt::random() % 4 == 0) simt::wait();
  const Word before = *word;
  *word += value;
  const unsigned turns = simt::late + (simt::random() % 8 == 0 ? simt::random() % 8 : 0);
  for (unsigned turn = 0; turn < turns; ++turn) simt::wait();
  return before;
}
template <class Word>
Word atomicMax(Word* word, Word value) {
  return std::exchange(*word, std::max(*word, value));
}
template <class Word>
Word atomicCAS(Word* word, Word expected, Word value) {
  return std::exchange(*word, *word == expected ? value : *word);
}
template <class Word>
Word atomicExch(Word* word, Word value) {
  return std::exchange(*word, value);
}
template <class Word>
Word atomicOr(Word* word, Word value) {
  return std::exchange(*word, *word | value);
}

inline void __threadfence() {}
inline void __nanosleep(unsigned) {
  simt::wait();
}
/// Memory on the stack of a thread is not shared memory; all other memory counts as such.
inline bool __isShared(const void* pointer) {
  const char *const at = static_cast<const char*>(pointer), *const stack = simt::self->stack.get();
  return at < stack || at >= stack + simt::stack_bytes;
}
inline void __assertfail(const char* misuse, const char*, unsigned, const char*, std::size_t) {
  throw std::logic_error(misuse);
}
[[noreturn]] inline void __trap() {
  throw std::logic_error("trap");
}
