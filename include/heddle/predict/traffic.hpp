#pragma once

#include <heddle/predict/detail/replay_all.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/problem.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/predict/traffic_report.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Replays an order in waves of `concurrent_blocks` against one shared LRU cache, and returns the bytes of each wave.
///
/// On hardware blocks drift apart instead of going in waves, and written bytes take room in the cache too. The model
/// leaves out both.
///
/// **Preconditions**: `order` covers the problem's `grid()` or `space()`, `concurrent_blocks` and `schedule.run` are at
/// least 1, and `cache_bytes` is at least 0. Any other value is refused with an `invalid_argument`.
/// **Example** (tests/predict/traffic.cpp):
///
///     const traffic_report seen = traffic(row_major{source_text.grid()}, source_text, 132, source_cache);
template <space_order Order, traffic_problem Problem>
traffic_report traffic(const Order& order, const Problem& problem, int concurrent_blocks, long long cache_bytes,
                       schedule_choice schedule = {}) {
  return detail::replay_all(order, problem, {concurrent_blocks, 1, cache_bytes}, schedule);
}

/// Replays an order on a chip as `advise` does: blocks and cache are those of the device.
///
/// **Example** (examples/01_order/own_problem.cpp):
///
///     return 1e-9 * static_cast<double>(traffic(order, work, h200()).total.dram_bytes);
template <space_order Order, traffic_problem Problem>
traffic_report traffic(const Order& order, const Problem& problem, const device& device,
                       int blocks_per_multiprocessor = 1, schedule_choice schedule = {}) {
  device.check();
  detail::require_blocks("heddle::predict::traffic: blocks_per_multiprocessor", blocks_per_multiprocessor);
  return detail::replay_all(order, problem, detail::replay_size_of(problem, device, blocks_per_multiprocessor),
                            schedule);
}

}  // namespace heddle::inline HEDDLE_ABI::predict
