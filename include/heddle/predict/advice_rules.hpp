#pragma once

#include <functional>
#include <vector>

#include <heddle/predict/advice.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Tells `advise` which launches of a problem to compare, what all of it takes besides bytes from DRAM, and what was
/// measured. `{}` suits a problem without measurements.
///
/// **Example** (examples/01_order/attention.hpp):
///
///     heddle::predict::advice_rules rules(const heddle::predict::device&, int) const {
///       return {.blocks_go_in_step = false};
///     }
struct advice_rules {
  /// Whether the resident blocks of a multiprocessor stay in step. A wave has all of them if true, and one if false.
  bool blocks_go_in_step = true;

  /// The launches that compete, likely ones first: the sooner a good one is weighed, the sooner others are out. None:
  /// the usual ones of the problem's space. A launch by sm_affine competes if `l2_bytes` is there.
  std::vector<recipe> launches = {};
  recipe plain = {};     // the launch to beat
  double margin = 0.01;  // the share of the plain launch's time that another one must save to be advised
  double error = 0;      // of nine predicted times of ten, beside those of the plain launch; 0: unknown

  /// The overlap of units beyond the device's `overlap_of_units`. Products and groups in clusters, H200 and H100: by 1
  /// the predicted gains of 47 of 60 answers are near the measured ones, by 0 of 38 (bench_answer).
  double overlap = 0;
  recipe::schedule_kind beyond_one_wave = recipe::one_shot;  // the schedule for more tiles than resident blocks

  /// What the kernel reaches, in the unit of the problem's `cost`; 0: what the card's matrix unit does.
  double matrix_operations_per_second = 0;
  double instructions = 0;          // of all threads; 0: unknown
  double drawing_instructions = 0;  // the same, while blocks of sm_affine wait for their tiles
  double l1_bytes = 0;              // loaded from L1 and shared memory by all threads; 0: unknown

  /// Returns the factor of a launch's measured time over the model's. Without it the factor is 1.
  std::function<double(const recipe&)> measured = {};
  /// Returns the bytes that L1 reads from L2 in a launch. Without it, L2 is taken to deliver all that blocks read.
  std::function<double(const recipe&)> l2_bytes = {};
};

}}}  // namespace heddle::HEDDLE_ABI::predict
