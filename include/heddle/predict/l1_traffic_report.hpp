#pragma once

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Counts the bytes that the tiles of a pass read from L1, each pixel once per tile, and those that L1 reads from L2.
struct l1_traffic_report {
  long long requested_bytes = 0, l2_bytes = 0;  // read from L1, and of these the ones that L1 had to read from L2

  /// Returns the share of the bytes that were in L1; 1 if nothing is read.
  double hit_rate() const {
    return requested_bytes == 0 ? 1.0 : 1.0 - static_cast<double>(l2_bytes) / static_cast<double>(requested_bytes);
  }
};

}  // namespace heddle::inline HEDDLE_ABI::predict
