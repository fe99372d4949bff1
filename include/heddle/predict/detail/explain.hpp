#pragma once

#include <algorithm>
#include <string>

#include <heddle/predict/detail/byte_units.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/predict/overlap.hpp>
#include <heddle/predict/wave_traffic.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// How long each unit would need alone. 0 where a rate is not known, or for work that a problem does not describe.
struct unit_times {
  double dram, l2, matrix;

  bool known() const { return dram > 0 && (l2 > 0 || matrix > 0); }
  bool dram_is_top() const { return known() && dram >= l2 && dram >= matrix; }
  bool dram_is_half_idle() const { return known() && 2 * dram <= (std::max)(l2, matrix); }
};

template <class Problem>
unit_times times_of(const Problem& problem, const predict::device& device, const predict::wave_traffic& bytes) {
  const auto time = [](double work, double rate) { return rate > 0 ? work / rate : 0; };
  const auto written = static_cast<double>(bytes.written_bytes);
  return {time(static_cast<double>(bytes.dram_bytes) + written, device.dram_bytes_per_second),
          time(static_cast<double>(bytes.requested_bytes) + written, device.l2_bytes_per_second),
          time(problem.matrix_operations(), device.matrix_operations_per_second)};
}

/// The three conditions under which the source text promises a gain.
struct conditions {
  unit_times times;  // of row_major
  double hit_rate;   // of row_major
  predict::overlap overlap;

  bool low_hit_rate() const { return hit_rate < 0.8; }
  bool footprints_overlap() const { return overlap.share >= 0.2; }
};

/// As the end of a sentence.
inline std::string to_string(const conditions& c) {
  std::string text = "whether DRAM is the top unit is not known (it takes the device's rates)";
  if (c.times.known()) {
    text = c.times.dram_is_top() ? "DRAM is the top unit (" : "DRAM is not the top unit (";
    text += time_text(c.times.dram);
    if (c.times.l2 > 0) text += ", L2 " + time_text(c.times.l2);
    if (c.times.matrix > 0) text += ", arithmetic " + time_text(c.times.matrix);
    text += ", each alone at the device's rate)";
  }
  text += c.low_hit_rate() ? ", row_major's L2 hit rate is low (" : ", row_major's L2 hit rate is not low (";
  text += percent_text(c.hit_rate) + ", the limit is 80 %)";

  const int apart = c.overlap.distance;
  text += c.footprints_overlap() ? ", and footprints overlap (" : ", and footprints hardly overlap (";
  text += apart == 1 ? "neighbours" : "tiles " + std::to_string(apart) + " apart";
  text += c.overlap.axis == axis::x ? " in a row share " : " in a column share ";
  return text + percent_text(c.overlap.share) + " of what they read)";
}

}  // namespace heddle::inline HEDDLE_ABI::detail
