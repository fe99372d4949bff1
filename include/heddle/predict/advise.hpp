#pragma once

#include <heddle/predict/advice.hpp>
#include <heddle/predict/detail/advice_of.hpp>
#include <heddle/predict/detail/ranked_launches.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Returns the order and the schedule to use for a problem, and why.
///
/// The launches that the problem's `rules` list, or the usual ones of its space, are replayed and ranked by their
/// seconds: bytes from DRAM, what L1 and L2 deliver, arithmetic, launching, and the time that blocks idle. The plain
/// launch is advised unless another one gains more than the margin of the kind of problem. Of long launches the first
/// waves stand for the rest: `replayed` says how many (docs/predict.md).
///
/// A problem may name how many blocks a multiprocessor usually has: a product has one. `measured_seconds` is what the
/// plain order takes on the device, if it was measured: what limits the kernel follows
/// from it. If neither that nor the kernel's arithmetic is known, launches that may gain and may lose are not advised,
/// but named in `to_measure`.
///
/// **Preconditions**: `blocks_per_multiprocessor` is from 1 to 64, `measured_seconds` at least 0, and the problem and
/// the device pass their `check()`. Any other value is refused with an `invalid_argument`.
/// **Cost**: replays some dozens of orders on the host: mostly 10 ms, at most 0.25 s and 64 MB. Ask once and keep the
/// answer.
/// **Example** (examples/01_order/own_problem.cpp):
///
///     const attention work{.queries = 16384, .keys = 16384, .heads = 128, .key_heads = 32};
///     const advice best = advise(work, h200(), /*blocks_per_multiprocessor*/ 1);
template <problem Problem>
advice advise(const Problem& problem, const device& device, int blocks_per_multiprocessor = Problem::usual_blocks,
              double measured_seconds = 0) {
  problem.check();
  device.check();
  detail::require_member("advise", "blocks_per_multiprocessor", blocks_per_multiprocessor, detail::of_blocks);
  detail::require_member("advise", "measured_seconds", measured_seconds, {});
  return detail::advice_of(detail::ranked_launches(detail::question_of(problem, device, blocks_per_multiprocessor),
                                                   device, measured_seconds));
}

}}}  // namespace heddle::HEDDLE_ABI::predict
