#pragma once

#include <algorithm>
#include <string>

#include <heddle/predict/detail/byte_units.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/predict/overlap.hpp>
#include <heddle/predict/wave_traffic.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// How long each unit would need alone, in seconds; 0 if its rate or its work is unknown.
struct unit_times {
  double dram, l2, matrix;

  bool known() const { return dram > 0 && (l2 > 0 || matrix > 0); }
  bool dram_is_top() const { return known() && dram >= l2 && dram >= matrix; }
  bool dram_is_half_idle() const { return known() && 2 * dram <= (std::max)(l2, matrix); }

  /// Arithmetic hides what memory does: if the fourth powers of times add up, as with the usual `overlap_of_units`, a
  /// quarter of the time in DRAM costs 0.1 %. No product at the rate of a matrix unit is so in tiles up to 256 x 256.
  bool memory_hardly_counts() const { return dram > 0 && l2 > 0 && 4 * (std::max)(dram, l2) <= matrix; }
};

/// Returns the times for a problem that moves these bytes.
template <class Problem>
unit_times times_of(const Problem& problem, const predict::device& device, const predict::wave_traffic& bytes) {
  const auto time = [](double work, double rate) { return rate > 0 ? work / rate : 0; };
  const auto written = static_cast<double>(bytes.written_bytes);
  return {time(static_cast<double>(bytes.dram_bytes) + written, device.dram_bytes_per_second),
          time(static_cast<double>(bytes.requested_bytes) + written, device.l2_bytes_per_second),
          time(problem.matrix_operations(), device.matrix_operations_per_second)};
}

/// The three conditions under which thread-group tiling was published to pay.
struct conditions {
  unit_times times;  // of row_major
  double hit_rate;   // of row_major
  predict::overlap overlap;

  static constexpr double least_hit_rate = 0.8, least_share = 0.2;

  bool low_hit_rate() const { return hit_rate < least_hit_rate; }
  bool footprints_overlap() const { return overlap.share >= least_share; }
};

/// Returns a sentence without its full stop.
inline std::string to_string(const conditions& c) {
  std::string text = "In row_major order ";
  if (c.times.known()) {
    text += c.times.dram_is_top() ? "DRAM is the top unit (" : "DRAM is not the top unit (";
    text +=
        "alone at the device's rates, DRAM needs " + time_text(c.times.dram, (std::max)(c.times.l2, c.times.matrix));
    if (c.times.l2 > 0) text += ", L2 " + time_text(c.times.l2, c.times.dram);
    if (c.times.matrix > 0) text += ", arithmetic " + time_text(c.times.matrix, c.times.dram);
    text += ")";
  } else {
    text += "it is not known whether DRAM is the top unit (without work, or without the device's rates)";
  }
  text += c.low_hit_rate() ? ", the L2 hit rate is low (" : ", the L2 hit rate is not low (";
  text += percent_text(c.hit_rate, c.least_hit_rate) + "; low is under " + percent_text(c.least_hit_rate) + ")";

  const int apart = c.overlap.distance;
  text += c.footprints_overlap() ? ", and footprints overlap (" : ", and footprints hardly overlap (";
  text += apart == 1 ? "neighbours" : "tiles " + std::to_string(apart) + " apart";
  text += c.overlap.axis == axis::x ? " in a row share " : " in a column share ";
  return text + percent_text(c.overlap.share, c.least_share) + " of what they read; overlap begins at " +
         percent_text(c.least_share) + ")";
}

}  // namespace heddle::inline HEDDLE_ABI::detail
