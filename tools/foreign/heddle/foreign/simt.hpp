#pragma once

// Runs kernels on the host, so that their laws can be checked without a GPU. Every thread of a block is a fiber and
// runs until it meets other threads. The threads of a warp run in an order that a seed decides, never in step. Blocks
// run one after another, or at the same time. words.hpp has CUDA's functions over it, and scheduler.hpp is for headers
// of other projects. heddle's own tests run its kernels by the same code.

#undef _FORTIFY_SOURCE  // it reports a jump to another stack as an error

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_SIMT_SANITIZED  // AddressSanitizer must know which stack is in use
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_SIMT_SANITIZED
#endif
#if defined(HEDDLE_SIMT_SANITIZED)
#include <sanitizer/common_interface_defs.h>
#endif

#include <heddle/laws/interleaving.hpp>

namespace simt {

/// Numbers in three dimensions, of threads, blocks or clusters. x counts fastest.
struct three {
  unsigned x = 1, y = 1, z = 1;

  constexpr three() = default;
  constexpr three(unsigned along_x, unsigned along_y = 1, unsigned along_z = 1) : x(along_x), y(along_y), z(along_z) {}

  /// Converts from and to CUDA's own types.
  template <class Vector>
    requires requires(Vector v) { v.x + v.y + v.z; }
  constexpr three(Vector v) : x(v.x), y(v.y), z(v.z) {}
  template <class Vector>
    requires requires(Vector v) { v.x + v.y + v.z; }
  constexpr operator Vector() const {
    return {x, y, z};
  }

  constexpr unsigned size() const { return x * y * z; }
  constexpr three at(unsigned number) const { return {number % x, number / x % y, number / x / y}; }
  constexpr unsigned number(three of) const { return (of.z * y + of.y) * x + of.x; }
  friend constexpr three operator/(three a, three b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
  friend constexpr three operator%(three a, three b) { return {a.x % b.x, a.y % b.y, a.z % b.z}; }
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

/// A barrier with a number, of some threads of a block.
struct named_barrier {
  unsigned arrived = 0, threads = 0, generation = 0;
};

/// A launch of `blocks` in clusters.
struct launched {
  three blocks, cluster;
  unsigned number = 0;
  std::vector<cluster_barrier> clusters;
  std::vector<char*> shared;                            // shared memory of each block that runs
  std::vector<unsigned> processors;                     // multiprocessor of each block
  heddle::laws::interleaving* beside_others = nullptr;  // null: blocks run one after another
  bool failed = false;
};

struct block {
  three number, threads;
  unsigned linear = 0;  // the number, counted along x first
  std::shared_ptr<launched> grid;
  std::vector<meeting> warps;
  unsigned at_barrier = 0, barriers = 0, alive = 0;
  int votes[2] = {0, 0};  // for even and odd barriers
  named_barrier named[16];
  std::function<void()> kernel;
  std::exception_ptr failure;

  three cluster_number() const { return number / grid->cluster; }
  three place_in_cluster() const { return number % grid->cluster; }
  cluster_barrier& cluster() const { return grid->clusters[(grid->blocks / grid->cluster).number(cluster_number())]; }
};

// State of the host's thread on which a block runs.
inline thread_local std::vector<std::unique_ptr<fiber>> fibers;
inline constinit thread_local block* now = nullptr;
inline constinit thread_local fiber* self = nullptr;
inline constinit thread_local jmp_buf outside{};
#if defined(HEDDLE_SIMT_SANITIZED)
inline constinit thread_local const void* outside_stack = nullptr;  // of the host's thread
inline constinit thread_local std::size_t outside_bytes = 0;
#endif
inline constinit thread_local char shared_memory = 0;  // addresses in shared memory count from here

// These functions change stacks by jumps: swapcontext would make a system call for the signal mask each time.
// AddressSanitizer is told of each change.

inline void leave() {
#if defined(HEDDLE_SIMT_SANITIZED)
  void* kept = nullptr;
  __sanitizer_start_switch_fiber(&kept, outside_stack, outside_bytes);
#endif
  if (_setjmp(self->inside) == 0) _longjmp(outside, 1);
#if defined(HEDDLE_SIMT_SANITIZED)
  __sanitizer_finish_switch_fiber(kept, &outside_stack, &outside_bytes);
#endif
}

inline void enter(fiber& each, const ucontext_t* first = nullptr) {
  self = &each;
#if defined(HEDDLE_SIMT_SANITIZED)
  void* kept = nullptr;
  __sanitizer_start_switch_fiber(&kept, each.stack.get(), stack_bytes);
#endif
  if (_setjmp(outside) == 0) first != nullptr ? (void)setcontext(first) : _longjmp(each.inside, 1);
#if defined(HEDDLE_SIMT_SANITIZED)
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
#if defined(HEDDLE_SIMT_SANITIZED)
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

/// Waits for all threads of the cluster that have not ended.
inline void cluster_sync() {
  cluster_barrier& all = now->cluster();
  const unsigned generation = all.generation;
  ++all.arrived;
  wait_until([&] { return all.generation != generation || all.arrived == all.alive; });
  if (all.generation == generation) {
    all.arrived = 0;
    ++all.generation;
  }
}

/// Arrives at a named barrier of the block, for which `threads` arrive in all: `bar.arrive`.
inline void bar_arrive(unsigned number, unsigned threads) {
  named_barrier& its = now->named[number];
  if (its.arrived > 0 && its.threads != threads) throw std::logic_error("bar.sync: threads disagree on their count");
  its.threads = threads;
  if (++its.arrived == threads) its.arrived = 0, ++its.generation;
}

/// Arrives, and waits for the others: `bar.sync`.
inline void bar_sync(unsigned number, unsigned threads) {
  const named_barrier& its = now->named[number];
  const unsigned generation = its.generation;
  bar_arrive(number, threads);
  wait_until([&] { return its.generation != generation; });
}

/// A barrier in shared memory: `mbarrier`. It counts arrivals and bytes.
struct mbarrier {
  unsigned pending : 10, expected : 10, phase : 1, is_made : 11;
  int bytes;
  static constexpr unsigned made = 0x5a5;

  void init(unsigned arrivals) {
    if (arrivals == 0 || arrivals >= 1u << 10) throw std::logic_error("mbarrier.init: a count that it cannot have");
    pending = expected = arrivals, phase = 0, is_made = made, bytes = 0;
  }
  void expect(int more) { checked().bytes += more; }
  void complete(int fewer) {
    checked().bytes -= fewer;
    flip();
  }
  void arrive() {
    if (random() % 4 == 0) simt::wait();
    arrived();
  }
  void arrived() {
    if (checked().pending == 0) throw std::logic_error("mbarrier.arrive: more arrive than are expected");
    --pending;
    flip();
  }
  void wait(unsigned parity) {
    wait_until([&] { return checked().phase != (parity & 1); });
  }
  mbarrier& checked() {
    if (is_made != made) throw std::logic_error("an mbarrier that was not initialised");
    return *this;
  }

 private:
  void flip() {
    if (pending != 0 || bytes != 0) return;
    phase ^= 1;
    pending = expected;
  }
};
static_assert(sizeof(mbarrier) == 8);

/// Runs one block to its end. If blocks run at the same time, it sometimes lets another go first.
inline void run_block(std::shared_ptr<launched> grid, unsigned number, three of_threads, std::function<void()> kernel) {
  const auto all = std::make_unique<block>();
  const unsigned threads = of_threads.size();
  all->number = grid->blocks.at(number);
  all->linear = number;
  all->threads = of_threads;
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
    each->place = of_threads.at(thread);
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

/// The shape of a launch: `blocks` of `threads` in clusters, `resident` of which run at the same time, on `processors`
/// multiprocessors.
struct shape {
  three blocks, threads;
  unsigned resident = blocks.size();
  three cluster = 1;
  unsigned processors = 2;
  long long limit = 4'000'000;  // turns
};

inline std::shared_ptr<launched> make_launch(const shape& of) {
  static unsigned launches = 0;
  auto grid = std::make_shared<launched>();
  grid->blocks = of.blocks;
  grid->cluster = of.cluster;
  grid->number = ++launches;
  const three clusters = of.blocks / of.cluster;
  grid->clusters.resize(clusters.size() + 1);
  grid->shared.resize(of.blocks.size());
  for (unsigned i = 0; i < of.blocks.size(); ++i) {
    grid->clusters[clusters.number(of.blocks.at(i) / of.cluster)].alive += of.threads.size();
    grid->processors.push_back(static_cast<unsigned>(random() % of.processors));
  }
  return grid;
}

/// Calls `kernel()` for each thread of each block, one block after another. Clusters only tell blocks their places.
template <class Kernel>
void launch(three blocks, three threads, Kernel kernel, three cluster = 1) {
  const auto grid = make_launch({.blocks = blocks, .threads = threads, .cluster = cluster, .processors = 1});
  for (unsigned number = 0; number < blocks.size(); ++number) run_block(grid, number, threads, std::ref(kernel));
}

/// Does the same with blocks that run at the same time, each on its own thread and with its own shared memory.
template <class Kernel>
void launch_together(shape of, Kernel kernel) {
  const auto grid = make_launch(of);
  heddle::laws::interleaving memory(static_cast<unsigned>(random()), static_cast<int>(of.resident));
  grid->beside_others = &memory;
  std::string failure;
  const bool all_end = memory.run(static_cast<int>(of.blocks.size()), of.limit, [&](int number) {
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
