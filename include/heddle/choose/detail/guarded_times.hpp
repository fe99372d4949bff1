#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <heddle/choose/detail/guard_budget.hpp>
#include <heddle/choose/detail/sampled_time.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// What is known of the candidates of one key of a guard, and what launches of them have cost and may cost: the part of
/// `guarded_key` that decides nothing.
class guarded_times {
 public:
  static constexpr int stride = 12;  // calls of a decided candidate of which one is timed

  explicit guarded_times(int candidates) : all_(static_cast<std::size_t>(candidates)) {}

  int candidates() const { return static_cast<int>(all_.size()); }
  /// Returns the candidate that is the best, as far as is known beyond doubt.
  int running() const { return running_; }
  /// Returns what a launch of a candidate takes, as far as is known: 0 before its first time.
  double seconds(int which) const { return at(which).time.mean(); }
  double noise() const { return spread_.share(); }
  /// Returns whether nothing is left to compare for now.
  bool is_settled() const { return is_settled_; }
  /// Returns after how many calls an idle candidate is tried again, if the budget allows.
  double period(int i) const {
    constexpr double of_budget = 0.7;
    const double least = i == 0 ? 24 : 64;  // all is measured by number 0, and its launches are not owed
    // Few samples may be slow ones.
    const double surely = seconds(i) * (1 - 2 * spread_.share() / std::sqrt(at(i).time.count()));
    const double over = (std::max)(0.0, surely / seconds(running_) - 1);
    return least + (candidates() - 1) * over / (of_budget * guard_budget::share);
  }

 protected:
  static constexpr int most_samples = 256;  // of each, after which what may be the best is not asked any more

  struct candidate {
    sampled_time time;
    int pending = 0;          // calls whose time is not known yet
    int lost = 0;             // first calls whose time is lost
    long long last = 0;       // call that was timed
    bool is_probed = false;   // its calls in flight are the first after a while
    bool is_dropped = false;  // for ever
  };
  candidate& at(int i) { return all_[static_cast<std::size_t>(i)]; }
  const candidate& at(int i) const { return all_[static_cast<std::size_t>(i)]; }
  double mean(int i) const { return at(i).time.mean(); }
  bool is_known(int i) const { return !at(i).is_dropped && at(i).time.count() > 0; }

  /// Returns the standard error of the ratio of two means.
  double error(int i, int j) const {
    return spread_.share() * std::sqrt(1.0 / at(i).time.count() + 1.0 / at(j).time.count());
  }

  /// Returns by how many seconds a sample of a candidate counts as more than it is: samples that happen to be quick
  /// must not pay for others. What all of them count as more is twice the standard error of their sum.
  double doubt(int i) const { return spread_.share() * mean(i) / std::sqrt(1.0 * at(i).time.count()); }
  /// Returns a lower bound of what number 0 and the candidate that runs take: what a launch takes beyond it is owed. It
  /// allows for a card that is quicker for a while, and for few samples that happen to be slow.
  double reference(int i) const {
    const double recent = calls_ - near_at_ <= stride ? (std::min)(near_, mean(0)) : mean(0);
    const double first = recent * (1 - 1.5 * spread_.share() / std::sqrt(1.0 * at(0).time.count()));
    return i == running_ || running_ == 0 ? first : (std::min)(mean(running_), first);
  }
  /// Returns by how many seconds a launch of a candidate may be slower than what it is measured by: number 0 for the
  /// one that runs, and the quicker of these two for others.
  double cost(int i) const {
    if (i == 0 && running_ == 0) return 0;
    const double feared = i == 0 ? mean(0) : at(i).time.feared();
    return (std::max)(0.0, feared - (i == running_ ? mean(0) : (std::min)(mean(running_), mean(0))));
  }
  void charge(int i, double seconds) { i == running_ ? budget_.risk(seconds) : budget_.charge(seconds); }
  /// Updates what number 0 took lately by a sample of it.
  void notice_first(double counted) {
    near_ = near_ == 0 ? counted : near_ + (counted - near_) / 8;
    near_at_ = calls_;
  }
  /// Counts calls. Each pays back a share of what is owed.
  void repay(int calls) {
    double most = 0;
    for (int i = 0; i < candidates(); ++i) {
      if (is_known(i)) most = (std::max)(most, cost(i));
    }
    budget_.repay(calls, mean(running_), mean(0), most);
    calls_ += calls;
  }
  bool is_affordable(int i) const {
    if (at(0).time.count() < 8 && 2 * mean(i) > mean(0)) return false;  // what number 0 takes is not known well yet
    if (i == running_) return budget_.allows_running(cost(i), mean(0));
    double in_flight = 0;
    for (int j = 0; j < candidates(); ++j) {
      if (is_known(j)) in_flight += at(j).pending * cost(j);
    }
    return budget_.allows(cost(i), in_flight, candidates(), mean(running_));
  }

  /// Returns whether more samples may show that a candidate is better than the one that runs.
  bool is_open(int i) const {
    constexpr double tie = 0.01;
    if (i == running_ || !is_known(i) || at(i).time.count() >= most_samples) return false;
    const double wide = error(i, running_);
    if (i == 0 && mean(0) < mean(running_) * (1 + 4 * wide)) return true;
    return is_settled_ ? mean(i) * (1 + wide) < mean(running_) : mean(i) * (1 - 2 * wide) < mean(running_) * (1 - tie);
  }

  /// Returns whether more times of number 0 say little while the others have as few as they have.
  bool is_first_known() const {
    int most = 0;
    for (int i = 1; i < candidates(); ++i) most = (std::max)(most, at(i).time.count());
    return at(0).time.count() >= 4 * most && at(0).time.count() >= 24 + 400 * spread_.share() * spread_.share();
  }
  /// Returns whether a candidate ran in the last calls, and nothing says that it has changed.
  bool is_recent(int i) const {
    return (is_settled_ && i == running_) || (calls_ - at(i).last < stride && !at(i).is_probed);
  }

  /// Returns the quickest of those that are quicker than number 0 beyond doubt, or number 0. The more noise there is,
  /// the more samples that takes.
  int best() const {
    const double square = spread_.share() * spread_.share();
    int found = 0;
    for (int i = 1; i < candidates(); ++i) {
      if (!is_known(i) || i == doubted_ || at(i).time.count() < 2) continue;
      const bool is_enough = at(i).time.count() >= 3 + 30 * square && at(0).time.count() >= 8 + 400 * square;
      if (i != running_ && (!is_enough || at(i).time.is_odd())) continue;
      const double doubt = (i == running_ ? 2 : 2.5) * error(i, 0);
      if (mean(i) * (1 + doubt) < mean(0) && mean(i) < mean(found)) found = i;
    }
    return found;
  }

  std::vector<candidate> all_;
  time_spread spread_;
  guard_budget budget_;
  int running_ = 0;
  int doubted_ = -1;  // ran, was slow once, and is to be tried again
  bool is_settled_ = false;
  long long calls_ = 0;
  double near_ = 0;        // what number 0 took lately
  long long near_at_ = 0;  // the call at which that became known
};

}}}  // namespace heddle::HEDDLE_ABI::detail
