#pragma once

#include <heddle/launch/launch_shape.hpp>
#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>
#include <heddle/reorder/grid_queues.hpp>
#include <heddle/static_shared.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

#if defined(__CUDACC__)

namespace detail::reorder {

/// Takes the work of thread i through `steps` steps. All threads of the warp call it.
template <class Work>
HEDDLE_DEVICE void take_steps(const Work& work, unsigned i, bool has_work, unsigned steps) {
  decltype(work.begin(i)) mine{};
  if (has_work) mine = work.begin(i);
#pragma unroll 1
  for (unsigned at = 0; at < steps; ++at) mine = work.step(mine, has_work);
  if (has_work) work.end(i, mine);
}

template <int Threads, int Blocks, class Work>
__global__ void __launch_bounds__(Threads, Blocks)
    step_in_place(const __grid_constant__ Work work, unsigned count, unsigned steps) {
  const unsigned i = blockIdx.x * Threads + warp::thread();
  take_steps(work, i, i < count, steps);
}

template <int Threads, int Blocks, int Bits, class Work>
__global__ void __launch_bounds__(Threads, Blocks)
    step_by_block(const __grid_constant__ Work work, unsigned count, unsigned steps) {
  using order = block_reorder<Threads, Bits>;
  using exchange = block_exchange<decltype(work.begin(0u)), Threads>;
  __shared__ heddle::static_shared<typename order::storage> ranks;
  __shared__ heddle::static_shared<typename exchange::storage> states;
  const unsigned i = blockIdx.x * Threads + order::rank_at(warp::thread());
  const bool has_work = i < count, is_full = count - blockIdx.x * Threads >= Threads;
  decltype(work.begin(i)) mine{};
  if (has_work) mine = work.begin(i);
  order by_key(ranks);
#pragma unroll 1
  for (unsigned at = 0; at < steps; ++at) {
    const auto place = is_full ? by_key.rank(work.key(mine)) : by_key.rank(has_work ? work.key(mine) : 0, has_work);
    mine = work.step(exchange(states).to(mine, order::seat(place.rank)), has_work);
  }
  if (has_work) work.end(i, mine);
}

template <class Queues, class Work>
__global__ void push_by_key(const __grid_constant__ Queues to, const __grid_constant__ Work work, unsigned count) {
  const unsigned i = blockIdx.x * warp::threads_in_block() + warp::thread();
  if (i < count) to.push_some(work.key(work.begin(i)), i);
}
template <int Threads, int Blocks, class Queues, class Work>
__global__ void __launch_bounds__(Threads, Blocks)
    step_by_queues(const __grid_constant__ Queues from, const __grid_constant__ Work work) {
  __shared__ heddle::static_shared<typename Queues::storage> shared;
  for (const auto [key, i, has_work] : from.rows(shared)) take_steps(work, i, has_work, 1);
}

}  // namespace detail::reorder

/// Runs the steps of many threads in three forms, whose times say what reordering gains: as they come, in blocks that
/// sort by key before each step, and by queues of the whole grid. `key_probe` counts how keys mix; a trial has the
/// memory, the work and the waits of the steps themselves.
///
/// `Work` has, on the device: `begin(i)`, the state of thread i; `key(state)`, below 2^Bits; `step(state, has_work)`,
/// which all threads of a warp call together and which returns the next state; and `end(i, state)`, which stores what
/// a thread found. A state moves between threads: if it matters whose it is, it has the number with it. That of a
/// thread without work is `{}`, or what `step` made of it.
///
/// **Preconditions**: all four may be called for each i below `count`, in any order and again in each form. The queues
/// have room for `count` values.
/// **Effects**: `end` is called once for each i, and once for each state after `steps` steps; by queues, after one.
/// **Cost**: that of the steps, as often as it is called. `block_exchange` moves the whole state.
/// **Example** (bench/wild/lookups.cuh):
///
///     const heddle::key_trial<3, in_materials> trial{{of, sums->data()}, lookups};
///     const advice forms[] = {{"no sorting", [=] { check(trial.in_place(nullptr)); }},
///                             {"block_reorder", [=] { check(trial.by_block(nullptr)); }},
///                             {"grid_queues", [=, keep = table] { check(trial.by_queues(nullptr, to)); }}};
template <int Bits, class Work, int Threads = 256, int Blocks = 0>
struct key_trial {
  Work work;           // copied to the device
  unsigned count;      // threads, in blocks of `Threads`, of which at least `Blocks` are to share a multiprocessor
  unsigned steps = 1;  // of each

#if !defined(__CUDACC_RTC__)
  /// Enqueues the steps with each state in its thread.
  [[nodiscard]] cudaError_t in_place(cudaStream_t stream) const {
    return enqueue(stream, detail::reorder::step_in_place<Threads, Blocks, Work>, work, count, steps);
  }

  /// Enqueues the steps in blocks that sort by key before each of them.
  [[nodiscard]] cudaError_t by_block(cudaStream_t stream) const {
    return enqueue(stream, detail::reorder::step_by_block<Threads, Blocks, Bits, Work>, work, count, steps);
  }

  /// Enqueues one step: a launch that pushes each i, and one that takes them by key.
  [[nodiscard]] cudaError_t by_queues(cudaStream_t stream, const grid_queues<1 << Bits>& queues) const {
    using all = grid_queues<1 << Bits>;
    const cudaError_t pushed = enqueue(stream, detail::reorder::push_by_key<all, Work>, queues, work, count);
    if (pushed != cudaSuccess) return pushed;
    auto* const kernel = detail::reorder::step_by_queues<Threads, Blocks, all, Work>;
    return launch(queues.grid(kernel, Threads), stream, kernel, queues, work);
  }

 private:
  template <class... Params, class... Args>
  cudaError_t enqueue(cudaStream_t stream, void (*kernel)(Params...), const Args&... args) const {
    const unsigned blocks = count / Threads + (count % Threads > 0);
    return launch(detail::all_of(reinterpret_cast<const void*>(kernel), Threads, 0, blocks, 1), stream, kernel,
                  args...);
  }
#endif
};

#endif

}}  // namespace heddle::HEDDLE_ABI
