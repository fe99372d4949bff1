#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <heddle/order/row_major.hpp>
#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/detail/device_members.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/predict/makespan.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Returns the time of two units that alone take a and b, (a^p + b^p)^(1/p). No power of a time leaves the range of a
/// double.
inline double time_of_both(double a, double b, double p) {
  const double longer = (std::max)(a, b), shorter = (std::min)(a, b);
  return longer > 0 ? longer * std::pow(1 + std::pow(shorter / longer, p), 1 / p) : 0;
}

/// What a launch takes: bytes to and from DRAM and L2, blocks that have a tile each, the share of the time that blocks
/// idle, and whether they wait for their tiles. Blocks that stay for many tiles do not count.
struct launch_work {
  double dram_bytes = 0, l2_bytes = 0;
  int blocks = 0;
  double idle_share = 0;
  bool waits_to_draw = false;
};

/// How long each unit needs alone, in seconds; 0 if its rate or its work is unknown.
struct unit_times {
  double dram, l2, l1, arithmetic, launching, starting;

  double of_others() const { return (std::max)({l2, l1, arithmetic}); }
  bool known() const { return dram > 0 && of_others() > 0; }
  bool dram_is_top() const { return known() && dram >= of_others(); }
  bool memory_hardly_counts() const { return dram > 0 && l2 > 0 && 4 * (std::max)(dram, l2) <= arithmetic; }
};

/// Turns what a launch takes into seconds. Units overlap, but the less the closer they are. H200, the passes of
/// examples/convolution: L1 serves threads and takes what comes from L2 by the same ports, so that these two overlap
/// little; both overlap with arithmetic and with DRAM, and the better the more blocks a multiprocessor has. A product
/// requests the same of L2 in any order: L2 counts only where it is known what L1 keeps from it.
class launch_time {
 public:
  /// `operations` are those of the matrix unit.
  launch_time(const predict::device& device, const predict::advice_rules& rules, double operations, int blocks)
      : device_(device),
        rules_(rules),
        overlap_((std::min)(16.0, device.overlap_of_units + rules.overlap + 0.5 * blocks)),
        has_matrix_work_(operations > 0),
        is_alone_(blocks == 1) {
    require_member("advice_rules", "matrix_operations_per_second", rules.matrix_operations_per_second, of_rate);
    require_member("advice_rules", "overlap", rules.overlap, {0, 16});
    const double rate = rules.matrix_operations_per_second;
    matrix_ = over(operations, rate > 0 ? rate : device.matrix_operations_per_second);
  }

  /// Takes what no known unit explains of a launch's measured time to be arithmetic.
  void measured(double seconds, const launch_work& launch) {
    unit_times times = of(launch);
    seconds = (std::max)(0.0, seconds - times.starting);
    times.arithmetic = times.starting = 0;
    const double explained = of(times), p = overlap_;
    unexplained_ = seconds > explained ? seconds * std::pow(1 - std::pow(explained / seconds, p), 1 / p) : 0;
    unexplained_ *= 1 - launch.idle_share;
    is_measured_ = true;
  }

  /// Returns whether the problem says what its threads compute, or how long they take.
  bool knows_limit() const { return is_measured_ || has_matrix_work_ || rules_.instructions > 0; }
  bool has_matrix_work() const { return has_matrix_work_; }
  bool knows_l1() const { return rules_.l1_bytes > 0 && device_.l1_bytes_per_second > 0; }

  unit_times of(const launch_work& launch) const {
    const double busy = 1 - (std::min)(launch.idle_share, 0.999999);
    const auto issue = [&](double instructions) {
      return over(instructions, issued * device_.instructions_per_second);
    };
    const double drawing = launch.waits_to_draw ? rules_.drawing_instructions : 0;
    const double arithmetic =
        is_measured_ ? unexplained_ + issue(drawing) : (std::max)(matrix_, issue(rules_.instructions + drawing));
    const double turns = is_alone_ ? 1.0 * launch.blocks / device_.multiprocessors : 0;
    return {over(launch.dram_bytes, device_.dram_bytes_per_second),
            over(launch.l2_bytes, device_.l2_bytes_per_second),
            over(rules_.l1_bytes, device_.l1_bytes_per_second),
            arithmetic / busy,
            seconds_of_a_block * launch.blocks,
            seconds_of_a_start * (std::max)(0.0, turns - 1)};
  }

  /// Returns the seconds of a launch, or 0 if nothing is known.
  double of(const unit_times& times) const {
    const double l1 = knows_l1() ? times.l1 : 0, l2 = knows_l1() || rules_.l2_bytes ? times.l2 : 0;
    const double memory = time_of_both(l1, l2, device_.overlap_of_l1_and_l2);
    const double busy = time_of_both(time_of_both(memory, times.arithmetic, overlap_), times.dram, overlap_);
    return time_of_both(busy, times.launching, overlap_) + times.starting;
  }

 private:
  // No kernel issues in every clock: of 0.76 to 0.9, with a raster of dense steps at 1.1 to 1.3 of its prediction by 1,
  // this is nearest to the passes of bench/results (bench_answer).
  static constexpr double issued = 0.8;
  static constexpr double seconds_of_a_block = 0.61e-9;  // H200: 16.7 million blocks that do nothing take 10 ms
  // A block that is alone on its multiprocessor: nothing runs until its pipeline is full, and while it stores its tile.
  // H200 and H100: one_shot takes 1.3 to 1.7 µs per turn longer than blocks that stay, medians of products in tiles of
  // 128 x 256 and of causal attention to 16k keys (bench/results); clusters of two take 1.2 to 3.2.
  static constexpr double seconds_of_a_start = 1.6e-6;

  static double over(double work, double rate) { return rate > 0 ? work / rate : 0; }

  const predict::device& device_;
  const predict::advice_rules& rules_;
  double overlap_, matrix_ = 0, unexplained_ = 0;
  bool has_matrix_work_, is_alone_, is_measured_ = false;
};

/// Says how long blocks idle in a launch whose tiles take `problem.cost(tile)` each: all tiles are weighed if they are
/// few, else some that are spread over an order.
template <class Problem>
class uneven_tiles {
 public:
  template <class Order>
  uneven_tiles(const Problem& problem, const Order& order, int workers)
      : problem_(problem), workers_(workers), tiles_(order.size()) {
    const int weighed = (std::min)(tiles_, few_tiles);
    for (int i = 0; i < weighed; ++i) {
      const double cost = problem_.cost(order(static_cast<int>(1LL * tiles_ * i / weighed)));
      work_ += cost;
      longest_ = (std::max)(longest_, cost);
      shortest_ = (std::min)(shortest_, cost);
    }
    if (weighed < tiles_) work_ *= 1.0 * tiles_ / weighed;
  }

  /// Returns what all tiles cost together.
  double operations() const { return work_; }
  bool are_uneven() const { return shortest_ < longest_; }
  /// Returns whether some block has more than one tile.
  bool are_many() const { return tiles_ > workers_; }

  /// Returns the share of their time in which blocks have no tile. Of even tiles it follows from the number of turns,
  /// and where the longest tile is 0.2 % of a block's work from the latest end of blocks that take no tile before they
  /// are done: no launch is run for either.
  template <class Order>
  double idle_share(const Order& order, recipe::schedule_kind schedule) const {
    const double end = work_ > 0 ? end_of(order, schedule) : 0;
    return end > 0 ? (std::max)(0.0, 1 - work_ / (end * workers_)) : 0;
  }

 private:
  template <class Order>
  double end_of(const Order& order, recipe::schedule_kind schedule) const {
    const double even = work_ / workers_;
    const bool is_dealt = schedule == recipe::strided;
    if (!are_uneven()) return ((tiles_ - 1) / workers_ + 1) * longest_;
    if (!is_dealt && longest_ <= 0.002 * even) return even + (1 - 1.0 / workers_) * longest_;
    const auto end_of_some = [&](int tiles, const auto& index) {
      const std::function<double(coord)> cost = [&](coord number) { return problem_.cost(order(index(number.col))); };
      return predict::makespan(row_major{extent(1, tiles)}, cost, {workers_}, {.schedule = schedule});
    };
    if (is_dealt && tiles_ <= few_tiles) return end_of_some(tiles_, [](int i) { return i; }).end;
    if (is_dealt) {  // some turns of all blocks
      const int all = tiles_ / workers_, turns = std::clamp(few_tiles / workers_, 1, (std::max)(1, all));
      const auto index = [&](int i) {
        return static_cast<int>(1LL * all * (i / workers_) / turns) * workers_ + i % workers_;
      };
      return end_of_some((std::min)(tiles_, turns * workers_), index).end * tiles_ / workers_ / turns;
    }
    // Blocks that take tiles as they are done are level until the last tiles.
    const int last = (std::min)(tiles_, few_drawn_tiles);
    const predict::makespan_report end = end_of_some(last, [&](int i) { return tiles_ - last + i; });
    return (work_ - end.work) / workers_ + end.end;
  }

  static constexpr int few_tiles = 1 << 17, few_drawn_tiles = 1 << 15;

  const Problem& problem_;
  int workers_, tiles_;
  double work_ = 0, longest_ = 0, shortest_ = std::numeric_limits<double>::infinity();
};

}}}  // namespace heddle::HEDDLE_ABI::detail
