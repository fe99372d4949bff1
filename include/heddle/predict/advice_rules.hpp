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

  /// The launches to compare, the preferred first: of those that take about the least time the first is advised. None:
  /// the usual ones of the problem's space. A launch by sm_affine is compared if `l2_bytes` is there.
  std::vector<recipe> launches = {};
  recipe plain = {};             // the launch to beat
  bool plain_is_last = false;    // whether every other launch of about the same time is preferred to the plain one
  bool may_sort_groups = false;  // whether the best of these is compared with itself, the heaviest group first

  double tolerance = 0.01;   // times that differ by this share are about the same
  double least_gain = 0.03;  // the share of all bytes moved that an order must save to matter; 0: its time decides
  /// Of launches of about the same time, one that reads so many bytes more than another is out; 0: none is.
  long long bytes_that_count = 1;
  double least_affine_gain = 0;  // the share of the time that sm_affine must save

  recipe::schedule_kind beyond_one_wave = recipe::one_shot;  // the schedule for more tiles than resident blocks

  /// What the kernel reaches, in the unit of the problem's `cost`; 0: what the card's matrix unit does.
  double matrix_operations_per_second = 0;
  double instructions = 0;          // of all threads; 0: unknown
  double drawing_instructions = 0;  // the same, while blocks of sm_affine wait for their tiles
  double l1_bytes = 0;              // loaded from L1 and shared memory by all threads; 0: unknown

  /// Returns what a launch was measured to take of its time by the model. Without it, of all launches the same.
  std::function<double(const recipe&)> measured = {};
  /// Returns what L1 reads from L2 by a launch. Without it, L2 is taken to deliver what blocks read.
  std::function<double(const recipe&)> l2_bytes = {};
};

}}}  // namespace heddle::HEDDLE_ABI::predict
