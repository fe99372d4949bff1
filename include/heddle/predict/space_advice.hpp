#pragma once

#include <string>

#include <heddle/order/grouped.hpp>
#include <heddle/predict/order_choice.hpp>
#include <heddle/predict/schedule_kind.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Names the order and the schedule of a batch, of groups or of a causal pass, what they take, and why: the result of
/// `advise` for these problems. The base `order_choice` is the order of a plane, of each group, or of the grid of
/// queries and heads; these members make the order of the launch of it:
///
///   batched      batched{order, count, interleave}
///   grouped      grouped{shape, state, width, axis, sequence}
///   causal       order, or reversed{order} if `is_reversed`
///
/// **Example** (tests/predict/spaces.cpp):
///
///     const space_advice best = advise(pass, h200());
///     CHECK(to_string(best) == "thread_group_tiling, width 4, axis x, reversed, one_shot");
struct space_advice : order_choice {
  int interleave = 1;                                     // planes in turn
  group_sequence sequence = group_sequence::as_numbered;  // which group comes first
  bool is_reversed = false;                               // whether the order is walked from its end
  schedule_kind schedule = schedule_kind::one_shot;       // the schedule
  long long predicted_bytes = 0, plain_bytes = 0;         // to and from DRAM: by this order, and by the plain one
  double bytes_error = 0;                                 // their relative standard error; 0 if all was replayed
  double idle_share = 0, plain_idle_share = 0;            // of the blocks' time, in which they have no tile
  double predicted_seconds = 0, plain_seconds = 0;        // 0 if a rate of the device is unknown
  std::string reason = {};                                // why, in two sentences

  /// Returns the schedule as `traffic` and `with_schedule` take it.
  operator schedule_choice() const { return schedule; }
};

/// Returns the order and the schedule in a line: "thread_group_tiling, width 4, axis x, reversed, one_shot".
inline std::string to_string(const space_advice& a) {
  std::string text = to_string(static_cast<const order_choice&>(a));
  if (a.interleave > 1) text += ", interleave " + std::to_string(a.interleave);
  if (a.sequence == group_sequence::heaviest_first) text += ", heaviest first";
  if (a.is_reversed) text += ", reversed";
  return text + ", " + name_of(a.schedule);
}

}  // namespace heddle::inline HEDDLE_ABI::predict
