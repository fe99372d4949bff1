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

 protected:
  struct candidate {
    sampled_time time;
    int pending = 0;          // calls whose time is not known yet
    int lost = 0;             // first calls whose time is lost
    long long last = 0;       // call that was timed
    long long heard = 0;      // call at which a time became known
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
  /// Updates what number 0 took lately by a sample of it. `is_only` says that there was no other lately.
  void notice_first(double counted, bool is_only) {
    near_ = is_only ? counted : near_ + (counted - near_) / 8;
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
  bool is_affordable(int i, int calls) const {
    if (at(0).time.count() < 8 && 2 * mean(i) > mean(0)) return false;  // what number 0 takes is not known well yet
    if (i == running_) return budget_.allows_running(calls * cost(i), mean(0));
    double in_flight = 0;
    for (int j = 0; j < candidates(); ++j) {
      if (is_known(j)) in_flight += at(j).pending * cost(j);
    }
    return budget_.allows(calls * cost(i), in_flight, candidates(), mean(running_));
  }

  std::vector<candidate> all_;
  time_spread spread_;
  guard_budget budget_;
  int running_ = 0;
  long long calls_ = 0;
  double near_ = 0;        // what number 0 took lately
  long long near_at_ = 0;  // the call at which that became known
};

}}}  // namespace heddle::HEDDLE_ABI::detail
