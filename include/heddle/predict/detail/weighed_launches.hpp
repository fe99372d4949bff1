#pragma once

#include <algorithm>
#include <utility>

#include <heddle/predict/detail/launch_time.hpp>
#include <heddle/predict/detail/orders_over.hpp>
#include <heddle/predict/detail/sampled_replay.hpp>
#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// The size of a sample that says what an order moves.
constexpr sample_size to_answer{4 << 19, 1 << 17, 3 << 18, 5 << 18};

/// What a replay asks that nothing ends.
constexpr auto to_the_end = [](long long) { return true; };

/// Returns what a launch moves by the problem's coarse replay, whole or in a sample, until `goes_on(again)` is false.
template <class Space, class Replay, class GoesOn>
sampled_traffic sample_launch(const predict::launch_choice& by, const Space& space, long long compulsory,
                              const Replay& empty, const replay_size& chip, sample_size size, const GoesOn& goes_on) {
  using orders = orders_over<Space>;
  const bool is_affine = by.schedule == predict::schedule_kind::sm_affine;
  const predict::schedule_choice replayed = is_affine ? predict::schedule_choice(by) : predict::schedule_choice{};
  const long long pattern = is_affine ? 1LL * by.run * chip.multiprocessors : orders::pattern(by, space);
  return replay_sample(orders::at(by, space), compulsory, empty, chip, replayed, pattern, size, goes_on);
}

/// Replays launches of a problem and weighs each by its seconds, beside the plain one.
template <class Problem>
class weighed_launches {
 protected:
  using space = typename plain<decltype(tiles_of(any<Problem>()))>::type;
  using orders = orders_over<space>;

 public:
  /// A launch, and what was found of it.
  struct candidate {
    predict::launch_choice by;
    sampled_traffic moved;
    launch_work work{};
    double seconds = 0;  // or a share of the plain launch, if a rate of the device is unknown
  };

  weighed_launches(const Problem& problem, const predict::device& device, int blocks, double measured_seconds)
      : problem_(problem),
        rules_(problem.rules(device, blocks)),
        space_(tiles_of(problem)),
        chip_(replay_size_of(rules_, device, blocks)),
        empty_(problem.coarse_replay(chip_.cache_bytes)),
        tiles_(problem, orders::at(rules_.plain, space_), device.multiprocessors * blocks),
        time_(device, rules_, tiles_.operations()),
        compulsory_(problem.compulsory_bytes()) {
    plain_ = {rules_.plain, sample(rules_.plain, to_answer, to_the_end)};
    written_ = plain_.moved.total.written_bytes;
    weigh(plain_);
    if (measured_seconds > 0) time_.measured(measured_seconds, plain_.work);
    const unit_times times = time_.of(plain_.work);
    knows_seconds_ = times.dram > 0 && (tiles_.operations() == 0 || times.arithmetic > 0);
    cells_left_ -= plain_.moved.cells;
    plain_.moved = sure(plain_, cells_left_ / 3);
    plain_.work.dram_bytes = static_cast<double>(plain_.moved.total.dram_bytes + written_);
    plain_.seconds = seconds(plain_.work);
  }

  weighed_launches(const weighed_launches&) = delete;

  /// Returns a launch with the problem's schedule for more than one wave, but `ticket` for `strided` if it gains.
  candidate with_schedule_of(candidate chosen) const {
    if (!tiles_.are_many()) return chosen;
    const double drawn = chosen.seconds;
    chosen.by.schedule = rules_.beyond_one_wave;
    if (rules_.beyond_one_wave != predict::schedule_kind::strided) return chosen;
    weigh(chosen);
    if (chosen.seconds <= (1 + rules_.tolerance) * drawn) return chosen;
    chosen.by.schedule = predict::schedule_kind::ticket;
    weigh(chosen);
    return chosen;
  }

  const candidate& plain_launch() const { return plain_; }
  const predict::advice_rules& rules() const { return rules_; }
  const launch_time& time() const { return time_; }
  bool knows_seconds() const { return knows_seconds_; }
  bool is_uneven() const { return tiles_.are_uneven(); }
  long long cache_bytes() const { return chip_.cache_bytes; }
  long long compulsory_bytes() const { return compulsory_; }

 protected:
  static bool is_affine(const predict::launch_choice& by) { return by.schedule == predict::schedule_kind::sm_affine; }

  template <class GoesOn>
  sampled_traffic sample(const predict::launch_choice& by, sample_size size, const GoesOn& goes_on) const {
    return sample_launch(by, space_, compulsory_, empty_, chip_, size, goes_on);
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
    return tiles_.are_uneven() ? time_of_both(bytes, end, 4) : bytes;
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
    of.work.idle_share = tiles_.idle_share(orders::at(of.by, space_), of.by.schedule);
    of.work.waits_to_draw = is_affine(of.by);
    of.seconds = seconds(of.work);
  }

  const Problem& problem_;
  predict::advice_rules rules_;
  space space_;
  replay_size chip_;
  decltype(any<Problem>().coarse_replay(0)) empty_;
  uneven_tiles<Problem> tiles_;
  launch_time time_;
  long long compulsory_, written_ = 0, cells_left_ = 8 << 19;
  bool knows_seconds_ = false;
  candidate plain_;
};

}  // namespace heddle::inline HEDDLE_ABI::detail
