#pragma once

#include <vector>

#include <heddle/predict/wave_traffic.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Reports the bytes of a replay: the result of `traffic`.
///
/// **Example** (tests/predict/traffic.cpp):
///
///     const traffic_report seen = traffic(row_major{source_text.grid()}, source_text, 132, source_cache);
///     REQUIRE(seen.waves.size() == 32);  // 4096 tiles
struct traffic_report {
  std::vector<wave_traffic> waves;  // one after the other
  wave_traffic total;               // of all waves
  long long compulsory_bytes = 0;   // what any order must read, however large the cache
};

}  // namespace heddle::inline HEDDLE_ABI::predict
