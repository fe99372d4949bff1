#pragma once

#include <limits>
#include <vector>

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Counts the bytes that one wave of blocks moves, or all waves together.
///
/// **Example** (tests/predict/traffic.cpp):
///
///     const wave_traffic last = traffic(row_major{p.grid()}, p, 1, endless).waves[3];
///     CHECK(last.requested_bytes == 2 * 128 * 64 * 2);
///     CHECK(last.dram_bytes == 0);
struct wave_traffic {
  long long requested_bytes = 0;  // read by the blocks, each byte once per block
  long long dram_bytes = 0;       // read from DRAM, because the shared cache did not have them
  long long written_bytes = 0;    // written to DRAM, the same in any order

  /// Returns how often a byte from DRAM is used: 1 if nothing is read, infinite if the cache had everything.
  double reuse() const {
    if (dram_bytes > 0) return static_cast<double>(requested_bytes) / static_cast<double>(dram_bytes);
    return requested_bytes > 0 ? std::numeric_limits<double>::infinity() : 1.0;
  }

  /// Returns the share of the requested bytes that were in the cache. Hardware counters show less: they count each
  /// request for a line that is still on its way as a miss.
  double hit_rate() const {
    if (requested_bytes == 0) return 1.0;
    return 1.0 - static_cast<double>(dram_bytes) / static_cast<double>(requested_bytes);
  }

  /// Adds the bytes of another wave.
  wave_traffic& operator+=(const wave_traffic& that) {
    requested_bytes += that.requested_bytes;
    dram_bytes += that.dram_bytes;
    written_bytes += that.written_bytes;
    return *this;
  }

  friend bool operator==(const wave_traffic&, const wave_traffic&) = default;
};

/// Counts the bytes that the tiles of a pass read from L1, each pixel once per tile, and those that L1 reads from L2.
struct l1_traffic_report {
  long long requested_bytes = 0, l2_bytes = 0;  // read from L1, and of these the ones that L1 had to read from L2

  /// Returns the share of the bytes that were in L1; 1 if nothing is read.
  double hit_rate() const {
    return requested_bytes == 0 ? 1.0 : 1.0 - static_cast<double>(l2_bytes) / static_cast<double>(requested_bytes);
  }
};

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

}}}  // namespace heddle::HEDDLE_ABI::predict
