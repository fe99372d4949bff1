#pragma once

#include <heddle/predict/detail/weighed_launches.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Holds what a launch moves: the result of `sampled_traffic`.
struct traffic_sample {
  wave_traffic total;      // of all waves
  double bytes_error = 0;  // the standard error of the bytes to and from DRAM, as a share; 0: every wave was replayed
};

/// Returns what a launch moves as `advise` finds it: by fewer and larger cells, all waves if they are few, else a
/// sample of them. `traffic` replays every wave and takes any order.
///
/// **Preconditions**: those of `advise`; any other value is refused with an `invalid_argument`.
/// **Cost**: at most some 50 ms, where `traffic` takes a second for a product of 65536³.
/// **Example** (tests/predict/sample.cpp):
///
///     const traffic_sample of_bands = sampled_traffic({{order_kind::cta_swizzle, 8}}, large, h200(), 1);
template <problem Problem>
traffic_sample sampled_traffic(const launch_choice& by, const Problem& problem, const device& device,
                               int blocks_per_multiprocessor) {
  detail::check_question(problem, device, blocks_per_multiprocessor);
  const detail::replay_size chip =
      detail::replay_size_of(problem.rules(device, blocks_per_multiprocessor), device, blocks_per_multiprocessor);
  const detail::sampled_traffic moved = detail::sample_launch(by, problem, problem.coarse_replay(chip.cache_bytes),
                                                              chip, detail::to_answer, [](long long) { return true; });
  return {moved.total, moved.relative_error()};
}

}  // namespace heddle::inline HEDDLE_ABI::predict
