#pragma once

#include <heddle/predict/detail/replay_all.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/problem.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/predict/traffic_report.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Replays an order in waves of `concurrent_blocks` against a cache that they share, and that drops what
/// was least recently used.
///
///   traffic(row_major{p.grid()}, p, 132, 50'000'000).waves[0].dram_bytes
///
/// It leaves out what makes hardware differ from it: blocks drift apart instead of going in waves, and what
/// is written takes room in the cache too.
template <grid_order Order, problem Problem>
traffic_report traffic(const Order& order, const Problem& problem, int concurrent_blocks, long long cache_bytes,
                       schedule_choice schedule = {}) {
  return detail::replay_all(order, problem, {concurrent_blocks, 1, cache_bytes}, schedule);
}

/// The same on a chip, as `advise` sees it.
///
///   traffic(row_major{p.grid()}, p, h200())
template <grid_order Order, problem Problem>
traffic_report traffic(const Order& order, const Problem& problem, const device& device,
                       int blocks_per_multiprocessor = 1, schedule_choice schedule = {}) {
  device.check();
  detail::require_at_least(1, "heddle::predict::traffic: blocks_per_multiprocessor", blocks_per_multiprocessor);
  return detail::replay_all(order, problem, detail::replay_size_of(problem, device, blocks_per_multiprocessor),
                            schedule);
}

}  // namespace heddle::inline HEDDLE_ABI::predict
