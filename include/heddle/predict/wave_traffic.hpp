#pragma once

#include <limits>

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Bytes that one wave of blocks moves, or all waves together.
struct wave_traffic {
  long long requested_bytes = 0;  // read by the blocks: what each asks for once
  long long dram_bytes = 0;       // read from DRAM: what of it the shared cache did not hold
  long long written_bytes = 0;    // to DRAM, the same whatever the order

  /// How often a byte from DRAM is used. 1 where nothing is read; infinite where all was already there.
  double reuse() const {
    if (dram_bytes > 0) return static_cast<double>(requested_bytes) / static_cast<double>(dram_bytes);
    return requested_bytes > 0 ? std::numeric_limits<double>::infinity() : 1.0;
  }

  /// Share of the bytes asked for that the cache held. Hardware counters show less: they count every
  /// request for a line that is still on its way as a miss of its own.
  double hit_rate() const {
    if (requested_bytes == 0) return 1.0;
    return 1.0 - static_cast<double>(dram_bytes) / static_cast<double>(requested_bytes);
  }

  wave_traffic& operator+=(const wave_traffic& that) {
    requested_bytes += that.requested_bytes;
    dram_bytes += that.dram_bytes;
    written_bytes += that.written_bytes;
    return *this;
  }

  friend bool operator==(const wave_traffic&, const wave_traffic&) = default;
};

}  // namespace heddle::inline HEDDLE_ABI::predict
