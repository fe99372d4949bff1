#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <heddle/choose/detail/sampled_time.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Decides for one key which candidate runs, call by call, by the times of earlier calls. It has no clock and waits for
/// nothing: times come when they come. Number 0 is what the user had.
class guarded_key {
 public:
  /// What a call does: which candidate runs, and whether a timing begins before it and ends after it.
  struct turn {
    int which = 0;
    bool begins = false, ends = false;
    int calls = 1;  // from the begin to the end
  };

  explicit guarded_key(int candidates) : all_(static_cast<std::size_t>(candidates)) {}

  int candidates() const { return static_cast<int>(all_.size()); }
  /// Returns the candidate that runs while nothing is tried.
  int running() const { return running_; }
  bool is_settled() const { return is_settled_; }
  const sampled_time& time(int which) const { return at(which).time; }

  /// Begins with what an earlier process found, as times of all candidates; 0 for one that has none.
  void recall(int which, const std::vector<double>& seconds) {
    for (std::size_t i = 0; i < all_.size() && i < seconds.size(); ++i) {
      if (seconds[i] > 0) all_[i].time = {seconds[i], 2};
    }
    running_ = which, is_settled_ = all_[0].time.count() > 0 && at(which).time.count() > 0;
    if (!is_settled_) running_ = 0;
  }

  /// Returns the candidate for a call that cannot be timed.
  int untimed() const { return is_settled_ ? running_ : 0; }

  /// Returns what a call does that can be timed. It says whether no other call came since the last one of this key.
  turn next(bool is_consecutive) {
    ++calls_;
    streak_ = is_consecutive ? streak_ + 1 : 0;
    if (!is_consecutive) cut();
    repay();
    if (left_ > 0) return {in_run_, false, --left_ == 0, of_run_};
    for (int i = 0; i < candidates(); ++i) {
      const candidate& one = at(i);
      if (!one.is_dropped && one.time.count() == 0 && one.pending == 0) return begin(i, 1);
    }
    if (at(0).time.count() == 0) return begin(0, 1);
    const int tried = wanted();
    if (tried >= 0) return begin(tried);
    if (!is_settled_) {
      const int next_timed = contender();
      return begin(next_timed, run_of(next_timed));
    }
    if (calls_ - at(running_).last + run_of(running_) > stride || (at(running_).time.is_odd() && at(running_).pending == 0)) {
      return begin(running_, run_of(running_));
    }
    return {running_};
  }

  /// Takes the time of a run of calls that has ended.
  void told(int which, int calls, double seconds) {
    candidate& one = at(which);
    one.pending -= calls;
    one.is_probed = false;
    if (one.is_dropped) return;
    const bool is_first = one.time.count() == 0;
    const bool was_running = is_settled_ && which == running_;
    const double counted = one.time.add(seconds / calls, spread_, is_settled_ ? 64 : 256, which == running_ ? 2 : 3);
    if (which == 0) near_ = is_first || calls_ - near_at_ > stride ? counted : near_ + (counted - near_) / 4, near_at_ = calls_;
    if (!is_first && which != 0 && !was_running) charge(which, calls * (counted - reference(which)));
    if (which == doubted_ && !one.time.is_odd()) doubted_ = -1;
    if (was_running && which != 0) watch(seconds / calls);
    decide();
  }

  /// Takes notice that the time of a run of calls is lost. A candidate that cannot be timed twice is dropped.
  void lost(int which, int calls) {
    candidate& one = at(which);
    one.pending -= calls, one.is_probed = false;
    if (one.time.count() > 0) {
      charge(which, calls * cost(which));
    } else if (which != 0 && ++one.lost == 2) {
      drop(which);
    }
  }

  /// Ends a run of calls before its time.
  void cut() {
    if (left_ == 0) return;
    left_ = 0, streak_ = 0;
    at(in_run_).last = calls_ - stride;  // it is timed again at once
    lost(in_run_, of_run_);
  }

  /// Leaves a candidate out for ever; number 0 stays.
  void drop(int which) {
    if (which == 0) return;
    if (left_ > 0 && in_run_ == which) cut();
    at(which).is_dropped = true;
    decide();
  }

 private:
  struct candidate {
    sampled_time time;
    int pending = 0;  // calls whose time is not known yet
    int lost = 0;     // first calls whose time is lost
    long long last = 0;  // call that was timed
    bool is_probed = false;  // its calls in flight are the first after a while
    bool is_dropped = false;
  };

  static constexpr double share = 0.007;  // of the running candidate's time, for others that are slower
  static constexpr double credit = 1;     // launches of the running candidate that may be owed
  static constexpr double slip = 12;      // launches of number 0 by which the running candidate may be behind it
  static constexpr double tie = 0.01;
  static constexpr int stride = 16;       // calls of the running candidate of which one is timed
  static constexpr int least_period = 64;

  candidate& at(int i) { return all_[static_cast<std::size_t>(i)]; }
  const candidate& at(int i) const { return all_[static_cast<std::size_t>(i)]; }
  double mean(int i) const { return at(i).time.mean(); }
  bool is_known(int i) const { return !at(i).is_dropped && at(i).time.count() > 0; }

  /// Returns the standard error of the ratio of two means.
  double error(int i, int j) const {
    return spread_.share() * std::sqrt(1.0 / at(i).time.count() + 1.0 / at(j).time.count());
  }

  /// Returns a time of number 0 that it is surely not below: what a launch takes more is owed. The card may be quicker for
  /// a while, and few samples may be slow ones.
  double reference(int i) const {
    const double recent = calls_ - near_at_ <= stride ? (std::min)(near_, mean(0)) : mean(0);
    const double first = recent * (1 - spread_.share() / std::sqrt(1.0 * at(0).time.count()));
    return i == running_ || running_ == 0 ? first : (std::min)(mean(running_), first);
  }
  double cost(int i) const {
    if (i == 0 && running_ == 0) return 0;
    const double feared = i == 0 ? mean(0) : at(i).time.feared();
    return (std::max)(0.0, feared - (i == running_ ? mean(0) : (std::min)(mean(running_), mean(0))));
  }

  /// Charges what calls took more than their reference. What a faster one gains pays back what is owed, and is not saved.
  void charge(int i, double seconds) {
    double& account = i == running_ ? risked_ : owed_;
    account = seconds > 0 ? account + seconds : (std::max)(account + seconds, (std::min)(account, 0.0));
  }
  void repay() {
    double most = 0;
    for (int i = 0; i < candidates(); ++i) {
      if (is_known(i)) most = (std::max)(most, cost(i));
    }
    owed_ = (std::max)(owed_ - share * mean(running_), -most);
    risked_ = (std::max)(risked_ - share * mean(0), 0.0);
  }
  bool is_affordable(int i, int calls) const {
    if (i == running_) return risked_ + calls * cost(i) <= credit * mean(0);
    double all = owed_ + calls * cost(i);
    for (int j = 0; j < candidates(); ++j) {
      if (is_known(j)) all += at(j).pending * cost(j);
    }
    return all <= credit * mean(running_);
  }

  int run_of(int i) const {
    return streak_ < stride || !is_recent(i) ? 1 : static_cast<int>(std::clamp(100e-6 / (std::max)(mean(i), 1e-9), 1.0, 8.0));
  }

  turn begin(int i, int calls = 1) {
    candidate& one = at(i);
    one.is_probed = !is_recent(i);
    one.pending += calls;
    one.last = calls_ + calls - 1, last_ = i;
    in_run_ = i, of_run_ = calls, left_ = calls - 1;
    return {i, true, calls == 1, calls};
  }

  /// Returns whether the time of a candidate is known to be what it was, give or take the calls in flight.
  bool is_recent(int i) const { return (is_settled_ && i == running_) || (calls_ - at(i).last < stride && !at(i).is_probed); }

  /// Returns an idle candidate whose turn it is to be tried again, or -1.
  int wanted() const {
    int found = -1;
    for (int i = 0; i < candidates(); ++i) {
      const candidate& one = at(i);
      if (i == running_ || !is_known(i) || one.pending > 0) continue;
      if (i == doubted_) return i;
      const double over = (std::max)(0.0, mean(i) / mean(running_) - 1);
      const bool is_due = one.time.count() == 1 || one.time.is_odd() ||
                          (is_settled_ && static_cast<double>(calls_ - one.last) >=
                                              least_period + (candidates() - 1) * over / (0.7 * share));
      if (is_due && is_affordable(i, 1) && (found < 0 || one.last < at(found).last)) found = i;
    }
    return found;
  }

  /// Returns the one with the fewest samples of those that may be the best.
  int contender() const {
    int found = 0;
    long long fewest = -1;
    if (last_ != 0 && running_ == 0) return 0;  // what others take is compared with what it takes at the same time
    if (running_ != 0 && calls_ - at(0).last >= stride && is_affordable(0, 1)) return 0;
    for (int i = 0; i < candidates(); ++i) {
      if (i != running_ && !is_open(i)) continue;
      const candidate& one = at(i);
      if (i != 0 && one.pending >= (is_recent(i) ? one.time.count() : 1)) continue;
      if (i != 0 && !is_affordable(i, run_of(i))) continue;
      const long long samples = one.time.count() + one.pending;
      if (fewest < 0 || samples < fewest) found = i, fewest = samples;
    }
    return found;
  }

  /// Returns whether more samples may show that a candidate is better than the one that runs.
  bool is_open(int i) const {
    if (i == running_ || !is_known(i) || at(i).time.count() >= 256) return false;
    const double wide = error(i, running_);
    if (i == 0 && mean(0) < mean(running_) * (1 + 4 * wide)) return true;
    return is_settled_ ? mean(i) * (1 + wide) < mean(running_) : mean(i) * (1 - 2 * wide) < mean(running_) * (1 - tie);
  }

  /// Compares the running candidate with what number 0 took.
  void watch(double seconds) {
    const double more = stride * (seconds - (1 + share) * mean(0));
    if (behind_ + more <= 0) {
      behind_ = 0, since_ = 0, sum_ = 0;
      return;
    }
    behind_ += more, sum_ += seconds, ++since_;
    if (behind_ <= slip * mean(0)) return;
    candidate& one = at(running_);
    if (one.time.is_odd()) {
      doubted_ = running_;
    } else if (one.time.count() > 2) {
      one.time = {sum_ / since_, (std::min)(since_, 4)};
    }
    behind_ = 0, since_ = 0, sum_ = 0;
    owed_ *= mean(0) / mean(running_);
    running_ = 0, is_settled_ = false;
    for (candidate& each : all_) each.time.forget(8);
  }

  void decide() {
    int best = 0;
    for (int i = 1; i < candidates(); ++i) {
      if (!is_known(i) || i == doubted_ || at(i).time.count() < 2) continue;
      if (i != running_ && (at(i).time.count() < 3 || at(0).time.count() < 8)) continue;
      const bool is_sure = mean(i) * (1 + (i == running_ ? 2 : 3.5) * error(i, 0)) < mean(0);
      if (is_sure && mean(i) < mean(best)) best = i;
    }
    if (!is_settled_ || at(running_).is_dropped || mean(running_) > mean(0)) {
      if (best != running_) is_settled_ = false;
      owed_ *= mean(best) / mean(running_);
      running_ = best;
    }
    bool any_open = doubted_ >= 0;
    for (int i = 0; i < candidates(); ++i) {
      any_open = any_open || is_open(i) || (!at(i).is_dropped && at(i).time.count() == 0);
    }
    if (is_settled_ && any_open) {
      for (candidate& each : all_) each.time.forget(8);
    }
    if (running_ != 0 && !is_recent(running_)) any_open = true;
    if (!is_settled_ && (any_open || at(running_).time.count() < 4)) return;
    if (!is_settled_) behind_ = 0, since_ = 0, sum_ = 0;
    is_settled_ = !any_open;
  }

  std::vector<candidate> all_;
  time_spread spread_;
  int running_ = 0;
  bool is_settled_ = false;
  int doubted_ = -1;  // ran, was slow once, and is to be tried again
  long long calls_ = 0;
  int last_ = 0;         // which was timed last
  double near_ = 0;      // what number 0 took lately
  long long near_at_ = 0;
  double owed_ = 0;    // seconds that others took more than the running one, less what was repaid
  double risked_ = 0;  // seconds that the running one took more than number 0, before it was settled
  double behind_ = 0;  // seconds by which the running one may be behind number 0, since it was not
  double sum_ = 0;     // of its samples since
  int since_ = 0;
  int in_run_ = 0, of_run_ = 0, left_ = 0;
  int streak_ = 0;  // calls since another call of the guard came between
};

}}}  // namespace heddle::HEDDLE_ABI::detail
