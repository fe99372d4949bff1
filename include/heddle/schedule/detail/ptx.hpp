#pragma once

#include <heddle/detail/ptx.hpp>

#if defined(__CUDACC__)

// Instructions that schedulers alone use: barriers and addresses of clusters, words of other GPUs, cancellation.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

inline constexpr bool cancels_launches = compiled_code >= 4 * 100;

/// Loads a word that another GPU or a copy engine may write.
HEDDLE_DEVICE inline unsigned ld_relaxed_sys(const unsigned* from) {
  unsigned number;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(number) : "l"(from) : "memory");
  return number;
}

/// Acquires what was written before the words that this thread has loaded. From sm_90 on it waits for nothing: a fence
/// that releases as well waits until all that the thread has asked of memory is done.
HEDDLE_DEVICE inline void fence_acquire_sys() {
  if constexpr (has_clusters) {
    asm volatile("fence.acquire.sys;" ::: "memory");
  } else {
    asm volatile("fence.acq_rel.sys;" ::: "memory");
  }
}

/// Stores a word that another GPU may read, and releases what was written before it.
HEDDLE_DEVICE inline void st_release_sys(unsigned* to, unsigned number) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(to), "r"(number) : "memory");
}

/// Waits for every thread of the cluster. Writes before the barrier are visible after it.
HEDDLE_DEVICE inline void barrier_cluster() {
  if constexpr (has_clusters) {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  } else {
    __syncthreads();
  }
}

/// Returns the address in another block of the cluster, by its rank.
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

// Barriers in shared memory.

HEDDLE_DEVICE inline void mbarrier_init(unsigned address, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(arrivals) : "memory");
}

/// Makes the barriers that this thread initialised visible to the cluster after its next cluster barrier.
HEDDLE_DEVICE inline void fence_mbarrier_init() {
  if constexpr (has_clusters) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Arrivals and waits name no scope, so that they order the shared memory of one block. With the scope of a cluster an
// arrival is a fence of the whole GPU besides, which waits for every store of the thread, and a wait empties L1.

/// Arrives at a barrier of this block or of another one of its cluster. What this thread wrote to its block's shared
/// memory before can be read by the threads of the block that wait, and what it read is read.
HEDDLE_DEVICE inline void mbarrier_arrive(unsigned address) {
  if constexpr (has_clusters) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(address) : "memory");
  } else {
    [[maybe_unused]] unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
  }
}

/// Waits for the phase of this parity: what was written to this block's shared memory before it can be read.
HEDDLE_DEVICE inline void mbarrier_wait(unsigned address, unsigned parity) {
  unsigned complete = 0;
  while (complete == 0) {
    if constexpr (has_clusters) {
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
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

/// Arrives at a barrier of this block or of another one of its cluster, and expects `bytes` more bytes there.
HEDDLE_DEVICE inline void mbarrier_arrive_expect_tx(unsigned address, unsigned bytes) {
  if constexpr (has_clusters) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%0], %1;" ::"r"(address), "r"(bytes) : "memory");
  }
}

/// Stores a word in a block of the cluster, and then takes its bytes from what the barrier of that block expects. Where
/// blocks are alone it arrives there.
HEDDLE_DEVICE inline void st_async(unsigned address, unsigned value, unsigned barrier) {
  if constexpr (has_clusters) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(address),
                 "r"(value), "r"(barrier)
                 : "memory");
  } else {
    st_shared_cluster(address, value);
    mbarrier_arrive(barrier);
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

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx

#endif
