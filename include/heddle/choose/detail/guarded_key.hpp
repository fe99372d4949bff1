#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <heddle/choose/detail/guarded_times.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Decides for one key which candidate runs, call by call, by the times of earlier calls. It has no clock and waits for
/// nothing: times come when they come. Number 0 is what the user had.
///
/// Why it cannot lose, in expected times:
///
/// - Each candidate is launched once, alone, before anything is known of it: one of the two launches that the bound
///   has.
/// - Until a key is settled, candidates that may be the best take turns. Calls are timed; of number 0's calls in a row,
///   every second one. A launch of one that is slower is charged to a budget when its time is known, and as feared
///   while it is in flight: a launch is owed at most, or more of many candidates, and calls pay back 0.8 % each. The
///   reference is a time that number 0 is surely not below, and samples count as more than they are: quick ones pay for
///   no others. Every other call is one of number 0, so that both are timed in the same state of the card.
/// - Another than number 0 runs when it is quicker beyond doubt, which takes the more samples the more noise there is.
///   One call in `stride` of it is timed: two odd samples, or samples that are behind number 0 by 12 launches in all,
///   end that, and one odd sample while nothing is settled. So a step costs what is in flight, the calls up to the
///   sample, and those launches.
/// - Others are tried again every `period(i)` calls, within the same budget. One that did not run lately is launched
///   once until its time is known.
class guarded_key : public guarded_times {
 public:
  /// What a call does: which candidate runs, and whether it is timed.
  struct turn {
    int which = 0;
    bool is_timed = false;
  };

  using guarded_times::candidates, guarded_times::running, guarded_times::is_settled;
  using guarded_times::guarded_times;
  using guarded_times::seconds, guarded_times::noise, guarded_times::period;

  /// Returns the candidate for a call that cannot be timed.
  int untimed() const { return is_settled_ ? running_ : 0; }

  /// Begins with an earlier decision: the candidate that runs, and the seconds of each, 0 where unknown.
  void recall(int which, const std::vector<double>& seconds) {
    for (std::size_t i = 0; i < all_.size() && i < seconds.size(); ++i) {
      if (seconds[i] > 0) all_[i].time = {seconds[i], 2};
    }
    is_settled_ = is_known(0) && is_known(which);
    running_ = is_settled_ ? which : 0;
  }

  /// Returns whether the next call runs the decided candidate and is not timed, whenever it comes.
  bool is_quiet() const { return quiet_ > 0; }

  /// Leaves the next calls of a settled key untimed, since none can be timed for now.
  void rest() { quiet_ = is_settled_ ? most_quiet : 0; }

  /// Decides a call that can be timed.
  turn next() {
    ++new_calls_;
    if (quiet_ > 0) {
      --quiet_;
      return {running_};
    }
    count_calls();
    for (int i = 0; i < candidates(); ++i) {
      const candidate& one = at(i);
      if (!one.is_dropped && one.time.count() == 0 && one.pending == 0) return begin(i);
    }
    if (const int tried = wanted(); tried >= 0) return begin(tried);
    if (!is_settled_) {
      const int tried = contender();
      spared_ = tried == 0 && last_ == 0 && spared_ < (is_first_known() ? most_quiet : 1) ? spared_ + 1 : 0;
      return spared_ > 0 ? turn{} : begin(tried);
    }
    const long long untimed = stride - 1 - (calls_ - at(running_).last);
    quiet_ = static_cast<int>(std::clamp<long long>(untimed < 0 ? stride : untimed, 0, most_quiet));
    return untimed < 0 ? begin(running_) : turn{running_};
  }

  /// Takes the time of a call that has ended.
  void told(int which, double seconds) {
    count_calls();
    candidate& one = at(which);
    --one.pending, one.is_probed = false;
    if (one.is_dropped) return;
    const bool is_first = one.time.count() == 0, was_running = is_settled_ && which == running_;
    const int longer = which != 0 && (which == running_ || which == doubted_) ? 2 : 3;
    const double deviations = which == 0 && is_settled_ && running_ != 0 ? 2 : 4;  // it may have changed while idle
    const double counted = one.time.add(seconds, spread_, deviations, is_settled_ ? 64 : most_samples, longer);
    if (which == 0) notice_first(counted);
    if (!is_first && which != 0 && !was_running) charge(which, counted + doubt(which) - reference(which));
    if (which == doubted_ && !one.time.is_odd()) doubted_ = -1;
    if (was_running && which != 0 && watch_.add(seconds, stride, mean(0))) fall_back();
    if (which != 0 && which == running_ && !is_settled_ && one.time.is_odd()) {
      doubted_ = which, run_another(0);  // it may not have run for a while, and changed meanwhile
    }
    decide(which);
  }

  /// Handles a call whose time is lost. A candidate whose first time is lost twice is dropped.
  void lost(int which) {
    count_calls();
    candidate& one = at(which);
    --one.pending, one.is_probed = false;
    if (which != 0 && one.time.count() == 0 && ++one.lost == 2) drop(which);
  }

  /// Leaves a candidate out for ever; number 0 stays.
  void drop(int which) {
    if (which == 0 || at(which).is_dropped) return;
    count_calls();
    at(which).is_dropped = true;
    if (at(0).time.count() > 0) decide(which);
  }

 private:
  static constexpr int most_quiet = 3;

  /// Counts the calls since the last one that was decided, and has the next one decided again.
  void count_calls() {
    repay(new_calls_);
    new_calls_ = 0, quiet_ = 0;
  }

  turn begin(int i) {
    candidate& one = at(i);
    one.is_probed = !is_recent(i);
    ++one.pending;
    one.last = calls_, last_ = i;
    return {i, true};
  }

  /// Returns an idle candidate whose turn it is to be tried again, or -1.
  int wanted() const {
    int found = -1;
    for (int i = 0; i < candidates(); ++i) {
      const candidate& one = at(i);
      if (i == running_ || !is_known(i) || one.pending > 0) continue;
      if (i == doubted_) return i;
      const bool is_due = one.time.count() == 1 || one.time.is_odd() ||
                          (is_settled_ && static_cast<double>(calls_ - one.last) >= period(i));
      if (is_due && (i == 0 || is_affordable(i)) && (found < 0 || one.last < at(found).last)) found = i;
    }
    return found;
  }

  /// Returns the one that may take the least among those that may be the best; every other time, number 0.
  int contender() const {
    if (last_ != 0 && running_ == 0) return 0;
    if (running_ != 0 && calls_ - at(0).last >= (is_affordable(0) ? 1 : 4) * stride) return 0;
    int found = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < candidates(); ++i) {
      const candidate& one = at(i);
      if (i == running_ ? i == 0 : !is_open(i)) continue;
      if (i != 0 && (one.pending >= (is_recent(i) ? one.time.count() : 1) || !is_affordable(i))) continue;
      const double hoped = mean(i) * (1 - 3 * spread_.share() / std::sqrt(one.time.count() + one.pending));
      if (hoped < least) found = i, least = hoped;
    }
    return found;
  }

  void run_another(int which) { running_ = which, is_settled_ = false; }

  /// Has number 0 run until it is known whether the candidate that ran has become slow.
  void fall_back() {
    if (at(running_).time.is_odd()) doubted_ = running_;
    run_another(0);
    forget();
  }
  void forget() {
    for (candidate& each : all_) each.time.forget(8);
  }

  /// Decides after news of a candidate. What is settled on is the one of which they are: it may have changed while
  /// idle.
  void decide(int heard) {
    if (at(0).time.count() == 0) return;
    const bool is_gone = at(running_).is_dropped;
    if (const int found = best(); (!is_settled_ || is_gone) && found != running_) run_another(found);
    bool is_open_still = false;
    for (int i = 0; i < candidates(); ++i) {
      is_open_still = is_open_still || is_open(i) || (!at(i).is_dropped && at(i).time.count() == 0);
    }
    if (is_settled_ && is_open_still) forget();
    if (!is_settled_) watch_ = {};
    is_settled_ = !is_open_still && (is_settled_ || (heard == running_ && at(running_).time.count() >= 4));
  }

  slip_watch watch_;
  int new_calls_ = 0, quiet_ = 0;  // those that are not counted yet, and those for which nothing is decided
  int last_ = 0;                   // which was timed last
  int spared_ = 0;                 // calls of an undecided key in a row that were not timed
};

}}}  // namespace heddle::HEDDLE_ABI::detail
