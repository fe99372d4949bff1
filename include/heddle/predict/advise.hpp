#pragma once

#include <heddle/predict/advice.hpp>
#include <heddle/predict/detail/advice_of.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/problem.hpp>
#include <heddle/predict/traffic.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Returns the order and the schedule to use for a problem, and why.
///
/// The launches that the problem's `rules` list, or the usual ones of its space, are replayed and weighed by their
/// seconds: bytes from DRAM, what L1 and L2 deliver, arithmetic, and the time that blocks idle. Of those that take
/// about the least the first is advised, if it saves the bytes that matter. Orders that read many cells are sampled:
/// `bytes_error` says how sure the bytes are (docs/predict.md).
///
/// `measured_seconds` is what the plain order takes on the device, if it was measured: what limits the kernel follows
/// from it. If neither that nor the kernel's arithmetic is known, launches that may gain and may lose are not advised,
/// but named in `to_measure`.
///
/// **Preconditions**: `blocks_per_multiprocessor` is from 1 to 64, `measured_seconds` at least 0, and the problem and
/// the device pass their `check()`. Any other value is refused with an `invalid_argument`.
/// **Cost**: replays some dozens of orders on the host, or samples of them: mostly 10 ms, at most 0.25 s and 64 MB. Ask
/// once and keep the answer.
/// **Example** (examples/01_order/own_problem.cpp):
///
///     const attention work{.queries = 16384, .keys = 16384, .heads = 32, .key_heads = 8};
///     const advice best = advise(work, h200(), /*blocks_per_multiprocessor*/ 1);
template <problem Problem>
advice advise(const Problem& problem, const device& device, int blocks_per_multiprocessor,
              double measured_seconds = 0) {
  detail::check_question(problem, device, blocks_per_multiprocessor);
  detail::require_member("advise", "measured_seconds", measured_seconds, {});
  detail::launch_search search(detail::question_of(problem, device, blocks_per_multiprocessor), device,
                               measured_seconds);
  return detail::advice_of(search);
}

/// Returns the same for a problem that names how many blocks a multiprocessor usually has: a product has one.
///
/// **Example** (examples/01_order/which_order.cpp):
///
///     const gemm_problem product{.m = 8192, .n = 8192, .k = 8192, .tile_m = 128, .tile_n = 128};
///     const advice of_product = advise(product, h200());
template <problem Problem>
requires(Problem::usual_blocks > 0) advice advise(const Problem& problem, const device& device) {
  return advise(problem, device, Problem::usual_blocks);
}

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
///     const traffic_sample of_bands = sampled_traffic({bands}, large, h200(), 1);
template <problem Problem>
traffic_sample sampled_traffic(const recipe& by, const Problem& problem, const device& device,
                               int blocks_per_multiprocessor) {
  detail::check_question(problem, device, blocks_per_multiprocessor);
  const detail::replay_size chip =
      detail::replay_size_of(problem.rules(device, blocks_per_multiprocessor), device, blocks_per_multiprocessor);
  const detail::sampled_traffic moved =
      detail::sample_launch(by, detail::tiles_of(problem), problem.compulsory_bytes(),
                            problem.coarse_replay(chip.cache_bytes), chip, detail::to_answer, detail::to_the_end);
  return {moved.total, moved.relative_error()};
}

}}}  // namespace heddle::HEDDLE_ABI::predict
