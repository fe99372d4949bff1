#pragma once

#include <string>
#include <vector>

#include <heddle/order/groups.hpp>
#include <heddle/predict/order_choice.hpp>
#include <heddle/predict/schedule_kind.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Describes a launch as a run-time value: an order of its tiles and a schedule. The base `order_choice` is the order
/// of a grid, of a plane or of each group; three members make the order of the launch of it:
///
///   a grid       order, or reversed{order} if `is_reversed`
///   a batch      batched{order, count, interleave}
///   groups       grouped{shape, state, width, axis, sequence}
///
/// **Example** (tests/predict/own_problem.cpp):
///
///     const launch_choice narrow{{order_kind::thread_group_tiling, 3}}, wider{{order_kind::thread_group_tiling, 5}};
struct launch_choice : order_choice {
  int interleave = 1;                                     // planes in turn
  group_sequence sequence = group_sequence::as_numbered;  // which group comes first
  bool is_reversed = false;                               // whether the order is walked from its end
  schedule_kind schedule = schedule_kind::one_shot;       // the schedule
  int run = 1;                                            // tiles in a run of sm_affine

  /// Returns the schedule as `traffic` and `with_schedule` take it.
  operator schedule_choice() const { return {schedule, run}; }

  friend bool operator==(const launch_choice&, const launch_choice&) = default;
};

/// Returns the order and the schedule in a line: "thread_group_tiling, width 4, axis x, reversed, one_shot".
inline std::string to_string(const launch_choice& by) {
  std::string text = to_string(static_cast<const order_choice&>(by));
  if (by.interleave > 1) text += ", interleave " + std::to_string(by.interleave);
  if (by.sequence == group_sequence::heaviest_first) text += ", heaviest first";
  if (by.sequence == group_sequence::lightest_first) text += ", lightest first";
  if (by.is_reversed) text += ", reversed";
  text += std::string(", ") + name_of(by.schedule);
  return by.schedule == schedule_kind::sm_affine ? text + ", run " + std::to_string(by.run) : text;
}

/// Names the order and the schedule to use, what they take, and why: the result of `advise` for every problem.
/// `with_order` and `with_schedule` turn it into an order of a grid or a plane, and a scheduler; what else it has,
/// `is_reversed`, `interleave` and `sequence`, goes around the order. The plain order is the one to beat:
/// row_major of a grid, one plane after another, each group row by row, head after head.
///
/// **Example** (examples/01_order/which_order.cpp):
///
///     const advice of_product = advise(product, h200());
///     std::printf("%s\n  %s\n", to_string(of_product).c_str(), of_product.reason.c_str());
struct advice : launch_choice {
  bool matters = false;  // whether the launch gains; false: the order is the plain one
  /// Launches that may gain and may lose, since the unit that limits the kernel is not known. Time them beside the
  /// advice, or ask again with the seconds that the plain order takes. Empty if the advice is sure.
  std::vector<launch_choice> to_measure;

  long long predicted_bytes = 0, plain_bytes = 0;   // to and from DRAM: by this order, and by the plain one
  double bytes_error = 0;                           // their relative standard error; 0 if every wave was replayed
  double idle_share = 0, plain_idle_share = 0;      // of the blocks' time, in which they have no tile
  double predicted_seconds = 0, plain_seconds = 0;  // 0 if a rate of the device is unknown

  // The three conditions under which thread-group tiling was published to pay, for the plain order.
  bool dram_is_top_unit = false;    // DRAM would take longest of all units; false if rates are unknown
  bool low_hit_rate = false;        // the hit rate of L2 is under 80 %
  bool footprints_overlap = false;  // a fifth of what tiles read is read by several tiles, or more

  std::string reason;  // why, in two sentences
};

}}}  // namespace heddle::HEDDLE_ABI::predict
