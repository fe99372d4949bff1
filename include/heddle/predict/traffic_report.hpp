#pragma once

#include <vector>

#include <heddle/predict/wave_traffic.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// What a replay saw.
struct traffic_report {
  std::vector<wave_traffic> waves;
  wave_traffic total;
  long long compulsory_bytes = 0;  // reads that no order and no cache can spare
};

}  // namespace heddle::inline HEDDLE_ABI::predict
