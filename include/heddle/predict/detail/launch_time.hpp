#pragma once

#include <algorithm>
#include <cmath>

#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/detail/device_members.hpp>
#include <heddle/predict/device.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns the time of two units that alone take a and b, (a^p + b^p)^(1/p). No power of a time leaves the range of a
/// double.
inline double time_of_both(double a, double b, double p) {
  const double longer = (std::max)(a, b), shorter = (std::min)(a, b);
  return longer > 0 ? longer * std::pow(1 + std::pow(shorter / longer, p), 1 / p) : 0;
}

/// What a launch takes: bytes to and from DRAM and L2, the share of the time that blocks idle, and whether
/// blocks wait for their tiles.
struct launch_work {
  double dram_bytes = 0, l2_bytes = 0, idle_share = 0;
  bool waits_to_draw = false;
};

/// How long each unit needs alone, in seconds; 0 if its rate or its work is unknown.
struct unit_times {
  double dram, l2, l1, arithmetic;

  double of_others() const { return (std::max)({l2, l1, arithmetic}); }
  bool known() const { return dram > 0 && of_others() > 0; }
  bool dram_is_top() const { return known() && dram >= of_others(); }
  bool dram_is_half_idle() const { return known() && 2 * dram <= of_others(); }
  /// Arithmetic hides what memory does: if the fourth powers of times add up, as with the usual `overlap_of_units`, a
  /// quarter of the time in DRAM costs 0.1 %. No product at the rate of a matrix unit is so in tiles up to 256 x 256.
  bool memory_hardly_counts() const { return dram > 0 && l2 > 0 && 4 * (std::max)(dram, l2) <= arithmetic; }
};

/// Turns what a launch takes into seconds. Units overlap, but the less the closer they are. H200, the passes of
/// examples/convolution: L1 serves threads and takes what comes from L2 by the same ports, so that these two overlap
/// little; both overlap well with arithmetic and with DRAM. A product requests the same of L2 in any order: L2 counts
/// only where it is known what L1 keeps from it.
class launch_time {
 public:
  /// `operations` are those of the matrix unit.
  launch_time(const predict::device& device, const predict::advice_rules& rules, double operations)
      : device_(device), rules_(rules), has_matrix_work_(operations > 0) {
    require_rate("heddle::predict::advice_rules: matrix_operations_per_second", rules.matrix_operations_per_second);
    const double rate = rules.matrix_operations_per_second;
    matrix_ = over(operations, rate > 0 ? rate : device.matrix_operations_per_second);
  }

  /// Takes from the time that a launch was measured to take what no known unit explains.
  void measured(double seconds, const launch_work& launch) {
    unit_times times = of(launch);
    times.arithmetic = 0;
    const double explained = of(times), p = device_.overlap_of_units;
    unexplained_ = seconds > explained ? seconds * std::pow(1 - std::pow(explained / seconds, p), 1 / p) : 0;
    unexplained_ *= 1 - launch.idle_share;
    is_measured_ = true;
  }

  /// Returns whether the problem says what its threads compute, or how long they take.
  bool knows_limit() const { return is_measured_ || has_matrix_work_ || rules_.instructions > 0; }
  bool knows_l1() const { return rules_.l1_bytes > 0 && device_.l1_bytes_per_second > 0; }

  unit_times of(const launch_work& launch) const {
    const double busy = 1 - (std::min)(launch.idle_share, 0.999999);
    const auto issue = [&](double instructions) { return over(instructions, device_.instructions_per_second); };
    const double drawing = launch.waits_to_draw ? rules_.drawing_instructions : 0;
    const double arithmetic =
        is_measured_ ? unexplained_ + issue(drawing) : (std::max)(matrix_, issue(rules_.instructions + drawing));
    return {over(launch.dram_bytes, device_.dram_bytes_per_second), over(launch.l2_bytes, device_.l2_bytes_per_second),
            over(rules_.l1_bytes, device_.l1_bytes_per_second), arithmetic / busy};
  }

  /// Returns the seconds of a launch, or 0 if nothing is known.
  double of(const unit_times& times) const {
    const double l1 = knows_l1() ? times.l1 : 0, l2 = knows_l1() || rules_.l2_bytes ? times.l2 : 0;
    const double memory = time_of_both(l1, l2, device_.overlap_of_l1_and_l2);
    const double p = device_.overlap_of_units;
    return time_of_both(time_of_both(memory, times.arithmetic, p), times.dram, p);
  }

 private:
  static double over(double work, double rate) { return rate > 0 ? work / rate : 0; }

  const predict::device& device_;
  const predict::advice_rules& rules_;
  double matrix_ = 0, unexplained_ = 0;
  bool has_matrix_work_, is_measured_ = false;
};

}  // namespace heddle::inline HEDDLE_ABI::detail
