#pragma once

#include <heddle/config.hpp>
#include <heddle/detail/requires_sm_80.hpp>

#if defined(__CUDACC__)

// One function per instruction, under the instruction's name. On an architecture without the instruction the function
// does what is equivalent for a block alone, or nothing: no scheduler's `grid` returns a launch that needs more there.

namespace heddle::inline HEDDLE_ABI::detail::ptx {

inline constexpr bool has_clusters = compiled_code >= 4 * 90, cancels_launches = compiled_code >= 4 * 100;

HEDDLE_DEVICE inline unsigned smid() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

HEDDLE_DEVICE inline unsigned laneid() {
  unsigned number;
  asm("mov.u32 %0, %%laneid;" : "=r"(number));
  return number;
}

HEDDLE_DEVICE inline unsigned lanemask_lt() {
  unsigned number;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(number));
  return number;
}

HEDDLE_DEVICE inline unsigned long long gridid() {
  unsigned long long number;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(number));
  return number;
}

/// Returns the ticks of this multiprocessor's clock. Accesses to memory before and after it stay there.
HEDDLE_DEVICE inline unsigned long long clock64() {
  unsigned long long ticks;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(ticks)::"memory");
  return ticks;
}

/// Returns the nanoseconds of the timer that all multiprocessors share. It advances in steps.
HEDDLE_DEVICE inline unsigned long long globaltimer() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}

/// Returns the same value, opaque to the optimiser: the compiler keeps it in a register and does not compute it again.
template <class Word>
HEDDLE_DEVICE Word kept(Word value) {
  Word number = value;
  if constexpr (sizeof(Word) == 8) {
    asm("// kept %0" : "+l"(number));
  } else {
    asm("// kept %0" : "+r"(number));
  }
  return number;
}

/// Returns the same value. What depends on it is computed where it stands, and not before a branch or a loop around it.
HEDDLE_DEVICE inline unsigned computed_here(unsigned value) {
  asm volatile("// here %0" : "+r"(value));
  return value;
}

/// Does as `kept` for the address of an object in shared memory.
template <class Type>
HEDDLE_DEVICE Type* kept_shared(Type& shared) {
  return static_cast<Type*>(__cvta_shared_to_generic(kept(__cvta_generic_to_shared(&shared))));
}

/// Loads from global memory through L1, which may not yet have what other multiprocessors have written.
HEDDLE_DEVICE inline unsigned ld_ca(const unsigned* from) {
  unsigned number = 0;
#if defined(__CUDA_ARCH__)
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(number) : "l"(from));
#else
  number = *from;
#endif
  return number;
}

/// Loads a word that another GPU or a copy engine may write, and acquires what was written before it.
HEDDLE_DEVICE inline unsigned ld_acquire_sys(const unsigned* from) {
  unsigned number;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(number) : "l"(from) : "memory");
  return number;
}

/// Stores a word that another GPU may read, and releases what was written before it.
HEDDLE_DEVICE inline void st_release_sys(unsigned* to, unsigned number) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(to), "r"(number) : "memory");
}

struct two_words {
  unsigned long long first, second;
};

/// Loads 16 bytes of global memory past L1.
HEDDLE_DEVICE inline two_words ld_volatile_v2(const unsigned long long* from) {
  two_words both;
  asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(both.first), "=l"(both.second)
               : "l"(from)
               : "memory");
  return both;
}

/// Stores 16 bytes to global memory.
HEDDLE_DEVICE inline void st_v2(unsigned long long* to, unsigned long long first, unsigned long long second) {
  asm volatile("st.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(first), "l"(second) : "memory");
}

// Reductions over the lanes of a mask, in one instruction each. `Word` is unsigned; as a template parameter it delays
// the look-up of the intrinsics, which are not declared for older architectures.

template <class Word, int Code = compiled_code>
HEDDLE_DEVICE Word redux_sync_add(unsigned lanes, Word value) {
  if constexpr (expansion_needs<Code>::is_met) return __reduce_add_sync(lanes, value);
  return value;
}

template <class Word, int Code = compiled_code>
HEDDLE_DEVICE Word redux_sync_min(unsigned lanes, Word value) {
  if constexpr (expansion_needs<Code>::is_met) return __reduce_min_sync(lanes, value);
  return value;
}

template <class Word, int Code = compiled_code>
HEDDLE_DEVICE Word redux_sync_max(unsigned lanes, Word value) {
  if constexpr (expansion_needs<Code>::is_met) return __reduce_max_sync(lanes, value);
  return value;
}

template <class Word, int Code = compiled_code>
HEDDLE_DEVICE Word redux_sync_or(unsigned lanes, Word value) {
  if constexpr (expansion_needs<Code>::is_met) return __reduce_or_sync(lanes, value);
  return value;
}

// Clusters. Below sm_90 a block is its own cluster.

HEDDLE_DEVICE inline unsigned clusterid() {
  unsigned number = blockIdx.x;
  if constexpr (has_clusters) asm("mov.u32 %0, %%clusterid.x;" : "=r"(number));
  return number;
}

HEDDLE_DEVICE inline unsigned nclusterid() {
  unsigned number = gridDim.x;
  if constexpr (has_clusters) asm("mov.u32 %0, %%nclusterid.x;" : "=r"(number));
  return number;
}

HEDDLE_DEVICE inline unsigned cluster_ctarank() {
  unsigned number = 0;
  if constexpr (has_clusters) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(number));
  return number;
}

HEDDLE_DEVICE inline unsigned cluster_nctarank() {
  unsigned number = 1;
  if constexpr (has_clusters) asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(number));
  return number;
}

/// Waits for every thread of the cluster. Writes before the barrier are visible after it.
HEDDLE_DEVICE inline void barrier_cluster() {
  if constexpr (has_clusters) {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  } else {
    __syncthreads();
  }
}

// Addresses of shared memory: in this block, and in another block of the cluster by its rank.

HEDDLE_DEVICE inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

HEDDLE_DEVICE inline unsigned mapa(unsigned address, unsigned rank) {
  if constexpr (has_clusters) {
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(address), "r"(rank));
  }
  return address;
}

HEDDLE_DEVICE inline void st_shared_cluster(unsigned address, unsigned value) {
  if constexpr (has_clusters) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
  } else {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
  }
}

// Asynchronous copies to shared memory. `cp_async_wait_all` waits for them.

/// Copies at most 16 bytes between addresses aligned to 16 bytes, and writes zeros to the rest of the 16.
HEDDLE_DEVICE inline void cp_async(unsigned* to, const unsigned* from, unsigned bytes) {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(bytes)
               : "memory");
#else
  for (unsigned i = 0; i < 4; ++i) to[i] = 4 * i < bytes ? from[i] : 0;
#endif
}

HEDDLE_DEVICE inline void cp_async_wait_all() {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Barriers in shared memory.

HEDDLE_DEVICE inline void mbarrier_init(unsigned address, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(arrivals) : "memory");
}

/// Makes the barriers that this thread initialised visible to the cluster after its next cluster barrier.
HEDDLE_DEVICE inline void fence_mbarrier_init() {
  if constexpr (has_clusters) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Arrives, and releases the writes of this thread to the cluster.
HEDDLE_DEVICE inline void mbarrier_arrive(unsigned address) {
  if constexpr (has_clusters) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(address) : "memory");
  } else {
    [[maybe_unused]] unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
  }
}

/// Waits for the phase of this parity, and acquires the writes released to it.
HEDDLE_DEVICE inline void mbarrier_wait(unsigned address, unsigned parity) {
  unsigned complete = 0;
  while (complete == 0) {
    if constexpr (has_clusters) {
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(complete)
          : "r"(address), "r"(parity)
          : "memory");
    } else {
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(complete)
          : "r"(address), "r"(parity)
          : "memory");
    }
  }
}

/// Arrives, and expects `bytes` more bytes from the asynchronous proxy.
HEDDLE_DEVICE inline void mbarrier_arrive_expect_tx(unsigned address, unsigned bytes) {
  if constexpr (has_clusters) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address), "r"(bytes) : "memory");
  }
}

/// Orders this thread's accesses to shared memory before the next operations of the asynchronous proxy.
HEDDLE_DEVICE inline void fence_proxy_async() {
  if constexpr (has_clusters) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Orders this thread's accesses to global memory before the next operations of the asynchronous proxy.
HEDDLE_DEVICE inline void fence_proxy_async_global() {
  if constexpr (has_clusters) asm volatile("fence.proxy.async.global;" ::: "memory");
}

// Programmatic launches, which start before the launch before them has ended.

HEDDLE_DEVICE inline void griddepcontrol_wait() {
  if constexpr (has_clusters) asm volatile("griddepcontrol.wait;" ::: "memory");
}
HEDDLE_DEVICE inline void griddepcontrol_launch_dependents() {
  if constexpr (has_clusters) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// From sm_100: taking over a cluster of this launch that has not started.

/// Requests a cluster. The answer of 16 bytes arrives in shared memory.
HEDDLE_DEVICE inline void clusterlaunchcontrol_try_cancel(unsigned answer, unsigned barrier) {
  if constexpr (cancels_launches) {
    asm volatile(
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(answer),
        "r"(barrier)
        : "memory");
  }
}

struct canceled {
  unsigned any, first_block;
};

HEDDLE_DEVICE inline canceled clusterlaunchcontrol_query_cancel(unsigned answer) {
  canceled result{0, 0};
  if constexpr (cancels_launches) {
    asm volatile(
        "{\n\t.reg .pred p;\n\t.reg .b128 answer;\n\t"
        "ld.shared.b128 answer, [%2];\n\t"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t"
        "mov.u32 %1, 0;\n\t"
        "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, answer;\n\t}"
        : "=r"(result.any), "=r"(result.first_block)
        : "r"(answer)
        : "memory");
  }
  return result;
}

}  // namespace heddle::inline HEDDLE_ABI::detail::ptx

#endif
