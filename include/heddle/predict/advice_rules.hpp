#pragma once

#include <vector>

#include <heddle/predict/order_choice.hpp>
#include <heddle/predict/schedule_kind.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// What `advise` knows of a kind of problem beyond its bytes. `{}` is right for a problem without measurements.
///
///   return {.blocks_go_in_step = false, .beyond_one_wave = schedule_kind::strided};
struct advice_rules {
  /// True: a wave has every resident block of a multiprocessor. False: they drift apart, and a wave has one of them.
  bool blocks_go_in_step = true;

  double least_gain = 0.03;        // an order that saves less than this share of all bytes moved does not matter
  long long bytes_that_count = 1;  // orders that read fewer bytes more than another count as equal

  /// Tried in addition to Hilbert's curve and to bands of either kind.
  std::vector<order_choice> orders_to_try = {};

  /// The first is advised whatever it reads, where DRAM idles for half of the time with it: bytes do not decide there.
  /// A later one replaces it that reads a twentieth less.
  std::vector<order_choice> usual_orders = {};

  schedule_kind beyond_one_wave = schedule_kind::one_shot;  // where there are more tiles than resident blocks
};

}  // namespace heddle::inline HEDDLE_ABI::predict
