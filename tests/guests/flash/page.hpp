#pragma once

// A kernel that calls a tile scheduler as FlashAttention-3's forward kernel does, and counts in place of attending.

#include <heddle/guest/flash_attention.hpp>

namespace flash_page {

/// The kinds of a main loop. A warp of the first group loads, or all of them; two groups multiply.
template <int Group, bool Varlen_, bool Causal, bool Local, bool Packs, int Cluster = 1>
struct mainloop {
  static constexpr int group = Group, kBlockM = 128;
  static constexpr int NumMmaThreads = 2 * Group, NumProducerThreads = Packs ? Group : 32;
  static constexpr bool Varlen = Varlen_, Is_causal = Causal, Is_local = Local, PackGQA = Packs, Split = false;
  using ClusterShape = cute::cluster_of<Cluster>;
  static constexpr int block_threads = 3 * Group, seen_per_tile = NumMmaThreads + NumProducerThreads;
};

/// Where a launch counts: of each tile the threads that see it, and in which turn of its block.
struct seen {
  unsigned* count;  // blocks x heads x sequences
  int heads, blocks;
  unsigned* outside;
};

template <class Work, class Params>
HEDDLE_DEVICE void note(const Work& work, const Params& params, const seen& all) {
  const auto at = work.get_block_coord(params);
  const int block = cute::get<0>(at), head = cute::get<1>(at), sequence = cute::get<2>(at);
  const bool is_inside = 0 <= block && block < all.blocks && 0 <= head && head < all.heads && cute::get<3>(at) == 0;
  atomicAdd(is_inside ? all.count + (sequence * all.heads + head) * all.blocks + block : all.outside, 1u);
}

template <class Mainloop, class Scheduler>
HEDDLE_DEVICE void run(typename Scheduler::Params params, typename Scheduler::SharedStorage* shared, seen all) {
  const auto thread = static_cast<int>(threadIdx.x);
  constexpr bool one_warp_loads = Mainloop::NumProducerThreads == 32;
  Scheduler scheduler(shared);
  if (thread < Mainloop::group) {
    const bool leads = thread < 32;
    if (one_warp_loads && !leads) return;
    if (!leads) scheduler.init_consumer();
    const auto next = [&](auto&& draw, auto&& hear) { return leads ? draw() : hear(); };
    auto work = next([&] { return scheduler.template get_initial_work<true>(params); },
                     [&] { return scheduler.template get_initial_work<false>(params); });
    while (work.is_valid(params)) {
      scheduler.prefetch_next_work(params, work);
      note(work, params, all);
      work = next([&] { return scheduler.template get_next_work<true>(params, work); },
                  [&] { return scheduler.template get_next_work<false>(params, work); });
    }
  } else {
    scheduler.init_consumer();
    auto work = scheduler.template get_initial_work<false>(params);
    while (work.is_valid(params)) {
      note(work, params, all);
      work = scheduler.template get_next_work<false>(params, work);  // before the results are stored
    }
  }
}

}  // namespace flash_page
