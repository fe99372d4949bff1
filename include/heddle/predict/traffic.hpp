#pragma once

#include <vector>

#include <heddle/predict/detail/gemm_replay.hpp>
#include <heddle/predict/detail/replay_size.hpp>
#include <heddle/predict/detail/stencil_replay.hpp>
#include <heddle/predict/detail/waves.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// What a replay saw.
struct traffic_report {
  std::vector<wave_traffic> waves;
  wave_traffic total;
  long long compulsory_bytes = 0;  // reads that no order and no cache can spare
};

/// What `traffic` and `advise` can be asked about.
template <class T>
concept problem = requires(const T& p, long long cache_bytes) {
  { p.grid() } -> detail::same_as<extent>;
  { p.compulsory_bytes() } -> detail::same_as<long long>;
  p.check();
  detail::make_replay(p, cache_bytes);
};

static_assert(problem<gemm_problem> && problem<stencil_problem> && !problem<extent>);

}  // namespace heddle::inline HEDDLE_ABI::predict

namespace heddle::inline HEDDLE_ABI::detail {

template <grid_order Order, predict::problem Problem>
predict::traffic_report replay_all(const Order& order, const Problem& problem, const replay_size& chip,
                                   predict::schedule_choice schedule) {
  static_assert(!cluster_order<Order>,
                "heddle::predict::traffic: what a cluster reads is not what a tile reads. Ask about the order that "
                "clustered{order, cluster, grid} was given, for a problem whose tiles are clusters");
  problem.check();
  require_equal(problem.grid().rows, "heddle::predict::traffic: order.grid().rows", order.grid().rows);
  require_equal(problem.grid().cols, "heddle::predict::traffic: order.grid().cols", order.grid().cols);
  require_at_least(1, "heddle::predict::traffic: concurrent_blocks", chip.multiprocessors);
  require_at_least(0, "heddle::predict::traffic: cache_bytes", chip.cache_bytes);
  require_at_least(1, "heddle::predict::traffic: schedule.run", schedule.run);

  auto replay = make_replay(problem, chip.cache_bytes);
  predict::traffic_report report;
  report.compulsory_bytes = problem.compulsory_bytes();
  for_each_wave(order, {order.size(), chip.multiprocessors, chip.blocks, schedule},
                [&](const std::vector<coord>& wave) {
                  report.waves.push_back(replay(wave));
                  report.total += report.waves.back();
                  return true;
                });
  return report;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

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
