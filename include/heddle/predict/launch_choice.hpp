#pragma once

#include <string>

#include <heddle/order/groups.hpp>
#include <heddle/predict/order_choice.hpp>
#include <heddle/predict/schedule_kind.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Describes a launch as a run-time value: an order of its tiles and a schedule. The base `order_choice` is the order
/// of a grid, of a plane or of each group; three members make the order of the launch of it:
///
///   a grid       order, or reversed{order} if `is_reversed`
///   a batch      batched{order, count, interleave}
///   groups       grouped{shape, state, width, axis, sequence}
///
/// **Example** (tests/predict/spaces.cpp):
///
///     const launch_choice longest_first{{order_kind::thread_group_tiling, 4}, 1, group_sequence::as_numbered, true};
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
  if (by.is_reversed) text += ", reversed";
  text += std::string(", ") + name_of(by.schedule);
  return by.schedule == schedule_kind::sm_affine ? text + ", run " + std::to_string(by.run) : text;
}

}  // namespace heddle::inline HEDDLE_ABI::predict
