#pragma once

#include <string>
#include <vector>

#include <heddle/config.hpp>
#include <heddle/coord.hpp>
#include <heddle/predict/advice.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/recipe/recipe.hpp>
#include <heddle/trace/report.hpp>

// What heddle does to time on the GPU at hand: measured*.cu with a CUDA compiler, not_measured.cpp without.

namespace demo {

/// What was measured, or why nothing was.
template <class Row>
struct measurement {
  std::string gpu, why_not;  // one of the two is empty
  std::vector<Row> rows;
};

/// The card that predictions are for: the GPU at hand, of any kind, or an H200 if there is none.
struct predicted_card {
  heddle::predict::device chip = heddle::predict::h200();
  std::string name = "an H200";  // in a sentence
};
const predicted_card& card_at_hand();

/// The GPU that is measured, by name, or why there is none. No rows. Products are measured on a Hopper alone.
measurement<int> gpu_at_hand();

/// Milliseconds with blocks of 128 x 128, and with clusters of two blocks of 128 x 256, which share what they load.
struct order_times {
  std::string order;
  double blocks, clusters;
};

/// A product in bf16 in each order, static and persistent; medians.
measurement<order_times> measure_product(int m, int n, int k, const std::vector<heddle::recipe>& orders);

/// Milliseconds of storing 8 bytes for each item that sources spawn.
struct expansion_times {
  double loop, packed_prefix, scanned;
};

/// For each vector of the counts of all sources; medians.
measurement<expansion_times> measure_expansion(const std::vector<std::vector<unsigned>>& all);

/// Which of up to eight branches each thread takes, eight times.
struct branching {
  static constexpr int threads = 256;   // of a block
  static constexpr unsigned words = 4;  // of a thread's state
  static constexpr float clocks = 200;  // of a branch

  unsigned branches = 8;  // a power of two
  unsigned skew = 0;      // how many of 65536 draws are the first branch whatever else they say
  bool together = false;  // all threads of a warp take one branch

  HEDDLE_FN unsigned key(unsigned thread, unsigned seed, unsigned turn) const {
    if (together) return ((thread / 32 + turn) * 0x9e3779b9u >> 16) % branches;
    return seed >> 16 < skew ? 0 : seed % branches;
  }
};

/// Milliseconds without an exchange, with one wherever the gate says that it pays, and with one every time.
struct reordering_times {
  double plain, gated, always;
};

measurement<reordering_times> measure_reordering(const std::vector<branching>& all);

/// A launch over uneven tiles, and its schedule.
struct traced_schedule {
  heddle::recipe by;
  heddle::trace::report report;
};

/// The tiles that are traced.
inline heddle::extent painted_tiles() {
  return {64, 96};
}

/// The kernel of examples/trace, traced under a few schedulers.
measurement<traced_schedule> measure_traces();

}  // namespace demo
