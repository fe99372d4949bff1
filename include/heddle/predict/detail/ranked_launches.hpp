#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <heddle/predict/detail/launch_time.hpp>
#include <heddle/predict/detail/orders_over.hpp>
#include <heddle/predict/detail/stretches.hpp>
#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// What a comparison of launches asks of a problem, whatever its type: only these answers are compiled per problem.
struct launch_question {
  predict::advice_rules rules;
  replay_size chip;
  int blocks, tiles;  // blocks per multiprocessor
  long long compulsory_bytes;
  double operations;  // of the matrix unit, in all tiles
  bool are_uneven, are_many;
  std::function<moved_bytes(const recipe&, long long cells, const replay_goes_on&)> move;
  std::function<double(const recipe&)> idle_share;
};

/// Returns the question of a problem, which must outlive it.
template <class Problem>
launch_question question_of(const Problem& problem, const predict::device& device, int blocks) {
  const auto space = tiles_of(problem);
  using orders = orders_over<typename plain<decltype(space)>::type>;
  predict::advice_rules rules = problem.rules(device, blocks);
  if (rules.launches.empty()) rules.launches = orders::usual(space);
  const replay_size chip = replay_size_of(rules, device, blocks);
  const long long compulsory = problem.compulsory_bytes();
  const uneven_tiles<Problem> tiles(problem, orders::at(rules.plain, space), device.multiprocessors * blocks);
  launch_question asked{
      std::move(rules), chip, blocks, space.size(), compulsory, tiles.operations(), tiles.are_uneven(),
      tiles.are_many(), {},   {}};
  asked.idle_share = [space, tiles](const recipe& by) { return tiles.idle_share(orders::at(by, space), by.schedule); };
  asked.move = [space, compulsory, empty = problem.coarse_replay(chip.cache_bytes), chip](
                   const recipe& by, long long cells, const replay_goes_on& goes_on) {
    require_int_at_least(1, "heddle::recipe: run", by.run);
    require_int_at_least(1, "heddle::recipe: interleave", by.interleave);
    const recipe replayed = by.schedule == recipe::sm_affine ? by : recipe{};
    return replay_stretches(orders::at(by, space), compulsory, empty, chip, replayed, cells, goes_on);
  };
  return asked;
}

/// A launch, and what was found of it.
struct weighed_launch {
  recipe by;
  moved_bytes moved;
  launch_work work{};
  double seconds = 0;  // or a share of the plain launch, if a rate of the device is unknown
  int place = 0;       // among the launches of the rules, from 1 on; the plain order: 0

  bool has_plain_order() const { return place == 0; }
};

/// Weighs the launches of a problem by their seconds, and ranks them: the least first, and of those within half a
/// percent of it the one that the rules list first. The plain order is first, by the schedule of the rules, unless
/// another one gains more than the margin of its kind of problem. A launch is dropped as soon as it has read so many
/// bytes more than once that it cannot be the first.
class ranked_launches {
 public:
  ranked_launches(launch_question asked, const predict::device& device, double measured_seconds)
      : asked_(std::move(asked)), time_(device, rules_, asked_.operations, asked_.blocks) {
    plain_.by = rules_.plain;
    plain_.moved = asked_.move(rules_.plain, most_cells / 2, [](long long) { return true; });
    written_ = plain_.moved.total.written_bytes;
    weigh(plain_);
    if (measured_seconds > 0) time_.measured(measured_seconds, plain_.work);
    const unit_times times = time_.of(plain_.work);
    knows_seconds_ = times.dram > 0 && (asked_.operations == 0 || times.arithmetic > 0);
    plain_.seconds = seconds(plain_.work) * measured(plain_.by);
    kept_ = with_schedule(plain_);
    if (plain_.seconds <= kept_.seconds) plain_ = kept_;
    ranked_ = {kept_};
    if (!(plain_.by == kept_.by)) ranked_.push_back(plain_);

    long long cells = most_cells - plain_.moved.cells, left = static_cast<long long>(rules_.launches.size());
    double least = kept_.seconds;
    for (const recipe& by : rules_.launches) {
      const long long share = (std::max)(1LL << 13, cells / left--);
      if (by == rules_.plain) continue;
      bool is_out = false;
      const auto goes_on = [&](long long again) { return !(is_out = at_least(by, again) > least); };
      const moved_bytes moved = asked_.move(by, share, goes_on);
      cells -= moved.cells;
      if (is_out) continue;
      ranked_.push_back(
          with_schedule({.by = by, .moved = moved, .place = 1 + static_cast<int>(&by - rules_.launches.data())}));
      if (may_be_advised(by)) least = (std::min)(least, ranked_.back().seconds);
    }
    rank();
    for (std::size_t i = 0; i < (std::min)(ranked_.size(), std::size_t{4}); ++i) {  // longer stretches of the best
      weighed_launch& one = ranked_[i];
      if (one.moved.replayed == 1 || one.has_plain_order()) continue;
      one.moved = asked_.move(one.by, most_cells / 8, [](long long) { return true; });
      one.work.dram_bytes = static_cast<double>(one.moved.total.dram_bytes + written_);
      one.seconds = seconds(one.work) * measured(one.by);
    }
    rank();
  }

  ranked_launches(const ranked_launches&) = delete;

  const std::vector<weighed_launch>& all() const { return ranked_; }
  /// Returns the first launch of which this is true, or null.
  const weighed_launch* first(const std::function<bool(const weighed_launch&)>& is_meant) const {
    for (const weighed_launch& one : ranked_) {
      if (is_meant(one)) return &one;
    }
    return nullptr;
  }
  /// Returns the plain launch, and its order by the schedule of the rules, which is no slower.
  const weighed_launch& plain_launch() const { return plain_; }
  const weighed_launch& kept_launch() const { return kept_; }
  /// Returns whether enough is known of the kernel to advise a launch: for sm_affine, what limits the kernel.
  bool may_be_advised(const recipe& by) const {
    return by.schedule != recipe::sm_affine || time_.knows_limit() || !knows_seconds_;
  }
  /// Returns whether a launch is quicker than the plain order by more than the margin.
  bool gains(const weighed_launch& one) const { return one.seconds < (1 - rules_.margin) * kept_.seconds; }

  const predict::advice_rules& rules() const { return rules_; }
  const launch_time& time() const { return time_; }
  bool knows_seconds() const { return knows_seconds_; }
  bool is_uneven() const { return asked_.are_uneven; }
  long long cache_bytes() const { return asked_.chip.cache_bytes; }
  long long compulsory_bytes() const { return asked_.compulsory_bytes; }

 private:
  static constexpr long long most_cells = 6 << 19;  // of all replays together

  void rank() {
    const auto is_before = [](double seconds, const weighed_launch& other) { return seconds < other.seconds; };
    for (auto one = ranked_.begin(); one != ranked_.end(); ++one) {  // few: sorted as they come, equal ones in order
      std::rotate(std::upper_bound(ranked_.begin(), one, one->seconds, is_before), one, one + 1);
    }
    auto first =
        std::find_if(ranked_.begin(), ranked_.end(), [&](const weighed_launch& one) { return one.by == kept_.by; });
    if (gains(ranked_.front())) {
      const weighed_launch least = ranked_.front();
      first = ranked_.begin();
      for (auto one = first; one != ranked_.end() && one->seconds <= 1.005 * least.seconds && gains(*one); ++one) {
        if (one->work.dram_bytes <= 1.01 * least.work.dram_bytes && one->place < first->place) first = one;
      }
    }
    std::rotate(ranked_.begin(), first, first + 1);
  }

  /// Returns a launch with the quickest schedule of the rules. Blocks that stay are dealt their tiles unless drawing
  /// them is quicker.
  weighed_launch with_schedule(weighed_launch one) const {
    if (asked_.are_many && one.by.schedule == recipe::one_shot) one.by.schedule = rules_.beyond_one_wave;
    weigh(one);
    if (one.by.schedule != recipe::strided) return one;
    weighed_launch drawn = one;
    drawn.by.schedule = recipe::ticket;
    weigh(drawn);
    return drawn.seconds < one.seconds ? drawn : one;
  }

  void weigh(weighed_launch& of) const {
    of.work = work_of(of.by, static_cast<double>(of.moved.total.dram_bytes + written_));
    // Without sm_affine it is chance which blocks share a multiprocessor: no order alone is credited with L1 hits.
    const bool is_affine = of.by.schedule == recipe::sm_affine, is_plain = plain_.work.l2_bytes == 0;
    if (is_affine || is_plain) {
      const auto requested = static_cast<double>(of.moved.total.requested_bytes);
      of.work.l2_bytes = static_cast<double>(written_) + (rules_.l2_bytes ? rules_.l2_bytes(of.by) : requested);
    }
    of.work.idle_share = asked_.idle_share(of.by);
    of.seconds = seconds(of.work) * measured(of.by);
  }

  launch_work work_of(const recipe& by, double dram_bytes) const {
    return {.dram_bytes = dram_bytes,
            .l2_bytes = plain_.work.l2_bytes,
            .blocks = by.schedule == recipe::one_shot ? asked_.tiles : 0,
            .waits_to_draw = by.schedule == recipe::sm_affine};
  }

  /// Returns the least seconds of a launch whose replay has read `again` bytes more than once.
  double at_least(const recipe& by, long long again) const {
    launch_work work = work_of(by, static_cast<double>(asked_.compulsory_bytes + again + written_));
    work.blocks = 0;
    if (by.schedule == recipe::sm_affine) work.l2_bytes = static_cast<double>(asked_.compulsory_bytes + written_);
    return seconds(work) * measured(by);
  }

  double seconds(const launch_work& work) const {
    if (knows_seconds_) return time_.of(time_.of(work));
    const double bytes = work.dram_bytes / (std::max)(1.0, plain_.work.dram_bytes);
    const double end = (1 - plain_.work.idle_share) / (1 - (std::min)(work.idle_share, 0.999999));
    return asked_.are_uneven ? time_of_both(bytes, end, 4) : bytes;
  }

  /// Returns the factor of a launch's measured time over the model's. It is 1 where everything fits in L2, or
  /// arithmetic takes four times as long as memory: there no order is better than another.
  double measured(const recipe& by) const {
    if (!knows_seconds_ || !rules_.measured || asked_.compulsory_bytes <= asked_.chip.cache_bytes) return 1;
    return time_.of(plain_.work).memory_hardly_counts() ? 1 : rules_.measured(by);
  }

  launch_question asked_;
  const predict::advice_rules& rules_ = asked_.rules;
  launch_time time_;
  long long written_ = 0;
  bool knows_seconds_ = false;
  weighed_launch plain_, kept_;
  std::vector<weighed_launch> ranked_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail
