#pragma once

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// What the tiles of a pass ask of L1, each pixel once per tile, and what of that L1 did not hold.
struct l1_traffic_report {
  long long requested_bytes = 0, l2_bytes = 0;

  double hit_rate() const {
    return requested_bytes == 0 ? 1.0 : 1.0 - static_cast<double>(l2_bytes) / static_cast<double>(requested_bytes);
  }
};

}  // namespace heddle::inline HEDDLE_ABI::predict
