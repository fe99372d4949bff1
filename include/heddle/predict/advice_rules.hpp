#pragma once

#include <vector>

#include <heddle/predict/order_choice.hpp>
#include <heddle/predict/schedule_kind.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Tells `advise` what was measured of a kind of problem. `{}` suits a problem without measurements.
///
/// **Example** (examples/01_order/attention.hpp):
///
///     heddle::predict::advice_rules rules(const heddle::predict::device&, int) const {
///       return {.blocks_go_in_step = false};
///     }
struct advice_rules {
  /// Whether the resident blocks of a multiprocessor stay in step. A wave has all of them if true, and one if false.
  bool blocks_go_in_step = true;

  double least_gain = 0.03;        // the share of all bytes moved that an order must save to matter
  long long bytes_that_count = 1;  // two orders are equal if their reads differ by fewer bytes

  /// Orders to try in addition to Hilbert's curve and to bands of either kind.
  std::vector<order_choice> orders_to_try = {};

  /// Orders to advise whatever they read, if DRAM idles for at least half of the time with them: bytes do not decide
  /// then. The first is taken; a later one replaces it if it reads at least a twentieth less.
  std::vector<order_choice> usual_orders = {};

  schedule_kind beyond_one_wave = schedule_kind::one_shot;  // the schedule for more tiles than resident blocks

  /// What the kernel reaches, in the unit of the problem's `matrix_operations()`; 0: what the card's matrix unit does.
  double matrix_operations_per_second = 0;
};

}  // namespace heddle::inline HEDDLE_ABI::predict
