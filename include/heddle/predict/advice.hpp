#pragma once

#include <string>

#include <heddle/predict/order_choice.hpp>
#include <heddle/predict/schedule_kind.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Which order and schedule to use, and why.
struct advice : order_choice {
  schedule_kind schedule = schedule_kind::one_shot;
  int run = 1;                                         // of sm_affine
  bool matters = false;                                // else the order is row_major
  long long predicted_bytes = 0, row_major_bytes = 0;  // from and to DRAM

  // The three conditions under which thread-group tiling was published to pay, in row_major. Bytes saved
  // become time where the first holds; elsewhere they save power at most.
  bool dram_is_top_unit = false;    // no other unit would need longer, as far as the device's rates are known
  bool low_hit_rate = false;        // of L2: under 80 %
  bool footprints_overlap = false;  // a tile shares a fifth of what it reads, or more, with the next

  std::string reason;  // in a sentence
};

/// "cta_swizzle, width 16, axis x, ticket"
inline std::string to_string(const advice& a) {
  const std::string by = to_string(static_cast<const order_choice&>(a)) + ", " + name_of(a.schedule);
  return a.schedule == schedule_kind::sm_affine ? by + ", run " + std::to_string(a.run) : by;
}

}  // namespace heddle::inline HEDDLE_ABI::predict
