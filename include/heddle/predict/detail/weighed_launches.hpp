#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <heddle/predict/detail/launch_time.hpp>
#include <heddle/predict/detail/orders_over.hpp>
#include <heddle/predict/detail/sampled_replay.hpp>
#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// The size of a sample that says what an order moves.
constexpr sample_size to_answer{4 << 19, 1 << 17, 3 << 18, 5 << 18};

/// What a replay asks that nothing ends.
inline bool to_the_end(long long) {
  return true;
}

/// Returns what a launch moves by the problem's coarse replay, whole or in a sample, until `goes_on(again)` is false.
template <class Space, class Replay>
sampled_traffic sample_launch(const recipe& by, const Space& space, long long compulsory, const Replay& empty,
                              const replay_size& chip, sample_size size, const replay_goes_on& goes_on) {
  require_int_at_least(1, "heddle::recipe: run", by.run);
  require_int_at_least(1, "heddle::recipe: interleave", by.interleave);
  using orders = orders_over<Space>;
  const bool is_affine = by.schedule == recipe::sm_affine;
  const recipe replayed = is_affine ? by : recipe{};
  const long long pattern = is_affine ? 1LL * by.run * chip.multiprocessors : orders::pattern(by, space);
  return replay_sample(orders::at(by, space), compulsory, empty, chip, replayed, pattern, size, goes_on);
}

/// What a comparison of launches asks of a problem, whatever its type: only these answers are compiled per problem.
struct launch_question {
  predict::advice_rules rules;
  std::vector<recipe> usual;  // launches of the problem's space
  replay_size chip;
  long long compulsory_bytes;
  double operations;  // of the matrix unit, in all tiles
  bool are_uneven, are_many;
  std::function<sampled_traffic(const recipe&, sample_size, const replay_goes_on&)> sample;
  std::function<double(const recipe&)> idle_share;
};

/// Returns the question of a problem, which must outlive it.
template <class Problem>
launch_question question_of(const Problem& problem, const predict::device& device, int blocks) {
  const auto space = tiles_of(problem);
  using orders = orders_over<typename plain<decltype(space)>::type>;
  predict::advice_rules rules = problem.rules(device, blocks);
  const replay_size chip = replay_size_of(rules, device, blocks);
  const long long compulsory = problem.compulsory_bytes();
  const uneven_tiles<Problem> tiles(problem, orders::at(rules.plain, space), device.multiprocessors * blocks);
  const auto sample = [space, compulsory, empty = problem.coarse_replay(chip.cache_bytes), chip](
                          const recipe& by, sample_size size, const replay_goes_on& goes_on) {
    return sample_launch(by, space, compulsory, empty, chip, size, goes_on);
  };
  const auto idle_share = [space, tiles](const recipe& by) {
    return tiles.idle_share(orders::at(by, space), by.schedule);
  };
  return {std::move(rules),   orders::usual(space), chip,   compulsory, tiles.operations(),
          tiles.are_uneven(), tiles.are_many(),     sample, idle_share};
}

/// A launch, and what was found of it.
struct weighed_launch {
  recipe by;
  sampled_traffic moved;
  launch_work work{};
  double seconds = 0;  // or a share of the plain launch, if a rate of the device is unknown
};

/// Replays launches of a problem and weighs each by its seconds, beside the plain one.
class weighed_launches {
 public:
  using candidate = weighed_launch;

  weighed_launches(launch_question asked, const predict::device& device, double measured_seconds)
      : asked_(std::move(asked)), time_(device, rules_, asked_.operations) {
    plain_ = {rules_.plain, sample(rules_.plain, to_answer, to_the_end)};
    written_ = plain_.moved.total.written_bytes;
    weigh(plain_);
    if (measured_seconds > 0) time_.measured(measured_seconds, plain_.work);
    const unit_times times = time_.of(plain_.work);
    knows_seconds_ = times.dram > 0 && (asked_.operations == 0 || times.arithmetic > 0);
    cells_left_ -= plain_.moved.cells;
    plain_.moved = sure(plain_, cells_left_ / 3);
    plain_.work.dram_bytes = static_cast<double>(plain_.moved.total.dram_bytes + written_);
    plain_.seconds = seconds(plain_.work) * measured(plain_.by);
  }

  weighed_launches(const weighed_launches&) = delete;

  /// Returns a launch with the problem's schedule for more than one wave, but `ticket` for `strided` if it gains.
  candidate with_schedule_of(candidate chosen) const {
    if (!asked_.are_many) return chosen;
    chosen.by.schedule = rules_.beyond_one_wave;
    if (rules_.beyond_one_wave != recipe::strided) return chosen;
    weigh(chosen);
    candidate drawn = chosen;
    drawn.by.schedule = recipe::ticket;
    weigh(drawn);
    return chosen.seconds <= (1 + rules_.tolerance) * drawn.seconds ? chosen : drawn;
  }

  const candidate& plain_launch() const { return plain_; }
  const predict::advice_rules& rules() const { return rules_; }
  const launch_time& time() const { return time_; }
  /// Returns what a launch was measured to take of its time by the model, if that is known.
  double measured(const recipe& by) const { return knows_seconds_ && rules_.measured ? rules_.measured(by) : 1; }
  bool knows_seconds() const { return knows_seconds_; }
  bool is_uneven() const { return asked_.are_uneven; }
  long long cache_bytes() const { return asked_.chip.cache_bytes; }
  long long compulsory_bytes() const { return compulsory_; }

 protected:
  static bool is_affine(const recipe& by) { return by.schedule == recipe::sm_affine; }

  sampled_traffic sample(const recipe& by, sample_size size, const replay_goes_on& goes_on) const {
    return asked_.sample(by, size, goes_on);
  }

  /// Returns what a launch moves, as sure as an answer should be for so many cells.
  sampled_traffic sure(const candidate& of, long long most) {
    most = (std::min)(most, to_answer.whole);
    if (of.moved.error == 0 || 2 * of.moved.cells > most) return of.moved;
    const sampled_traffic larger = sample(of.by, {most, most / 8, most / 2, most}, to_the_end);
    cells_left_ -= larger.cells;
    return larger;
  }

  double seconds(const launch_work& work) const {
    if (knows_seconds_) return time_.of(time_.of(work));
    const double bytes = work.dram_bytes / (std::max)(1.0, plain_.work.dram_bytes);
    const double end = (1 - plain_.work.idle_share) / (1 - (std::min)(work.idle_share, 0.999999));
    return asked_.are_uneven ? time_of_both(bytes, end, 4) : bytes;
  }

  void weigh(candidate& of) const {
    // Without sm_affine it is chance which blocks share a multiprocessor: no order alone is credited with L1 hits.
    if (of.by == plain_.by || is_affine(of.by)) {
      const auto requested = static_cast<double>(of.moved.total.requested_bytes),
                 written = static_cast<double>(written_);
      of.work.l2_bytes = written + (rules_.l2_bytes ? rules_.l2_bytes(of.by) : requested);
    } else {
      of.work.l2_bytes = plain_.work.l2_bytes;
    }
    of.work.dram_bytes = static_cast<double>(of.moved.total.dram_bytes + written_);
    of.work.idle_share = asked_.idle_share(of.by);
    of.work.waits_to_draw = is_affine(of.by);
    of.seconds = seconds(of.work) * measured(of.by);
  }

  launch_question asked_;
  const predict::advice_rules& rules_ = asked_.rules;
  launch_time time_;
  long long compulsory_ = asked_.compulsory_bytes, written_ = 0, cells_left_ = 8 << 19;
  bool knows_seconds_ = false;
  candidate plain_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail
