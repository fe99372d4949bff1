#pragma once

#include <string>

#include <heddle/predict/order_choice.hpp>
#include <heddle/predict/schedule_kind.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Names the order and the schedule to use, the bytes that they move, and why: the result of `advise`. The order itself
/// is the base `order_choice`, which `with_order` turns into an order.
///
/// **Example** (examples/01_order/which_order.cpp):
///
///     const advice of_product = advise(product, h200());
///     std::printf("%s\n  %s\n", to_string(of_product).c_str(), of_product.reason.c_str());
struct advice : order_choice {
  schedule_kind schedule = schedule_kind::one_shot;    // the schedule
  int run = 1;                                         // tiles in a run of sm_affine
  bool matters = false;                                // whether an order is worth it; false: the order is row_major
  long long predicted_bytes = 0, row_major_bytes = 0;  // to and from DRAM: by this order, and by row_major
  double bytes_error = 0;                              // their relative standard error; 0 if every wave was replayed

  // The three conditions under which thread-group tiling was published to pay, for row_major. Fewer bytes take less
  // time if the first one holds; otherwise they save power at most.
  bool dram_is_top_unit = false;    // DRAM would take longest of all units; false if rates are unknown
  bool low_hit_rate = false;        // the hit rate of L2 is under 80 %
  bool footprints_overlap = false;  // two tiles share 20 % of what they read, or more

  std::string reason;  // why, in two sentences

  /// Returns the schedule as `traffic` and `with_schedule` take it.
  operator schedule_choice() const { return {schedule, run}; }
};

/// Returns the order and the schedule in a line: "cta_swizzle, width 16, axis x, ticket".
inline std::string to_string(const advice& a) {
  const std::string by = to_string(static_cast<const order_choice&>(a)) + ", " + name_of(a.schedule);
  return a.schedule == schedule_kind::sm_affine ? by + ", run " + std::to_string(a.run) : by;
}

}  // namespace heddle::inline HEDDLE_ABI::predict
