#pragma once

#include <algorithm>

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Keeps account of what tries of candidates have cost a key of a guard, and of what they may cost. Seconds are those
/// by which launches took longer than a reference.
///
/// `owed` counts what candidates that do not run cost beyond the one that does; `risked` counts what the one that runs
/// costs beyond number 0 while nothing is decided. Each call pays back a share of a launch. What a quick launch gains
/// pays back what is owed, and is not saved.
class guard_budget {
 public:
  static constexpr double share = 0.008;  // of each call: the rest of 1 % is for what is not known well

  /// Pays back for `calls` calls. `running` and `first` are the seconds of a launch of the candidate that runs and of
  /// number 0. Calls save up to `most`, the cost of the dearest try.
  void repay(int calls, double running, double first, double most) {
    owed_ = (std::max)(owed_ - calls * share * running, -most);
    risked_ = (std::max)(risked_ - calls * share * first, 0.0);
  }
  void charge(double seconds) { add(owed_, seconds); }
  void risk(double seconds) { add(risked_, seconds); }

  /// Returns whether a try of this cost is allowed while others are in flight. The more candidates there are, the more
  /// launches may be owed: the bound has two of each.
  bool allows(double cost, double in_flight, int candidates, double running) const {
    return owed_ + cost + in_flight <= (0.75 * candidates - 1) * running;
  }
  bool allows_running(double cost, double first) const { return risked_ + cost <= first; }

 private:
  static void add(double& account, double seconds) {
    account = seconds > 0 ? account + seconds : (std::max)(account + seconds, (std::min)(account, 0.0));
  }

  double owed_ = 0, risked_ = 0;
};

/// Notices that the candidate that runs has become slower than number 0: it sums up by how much its samples are behind.
class slip_watch {
 public:
  static constexpr double most = 12;  // launches of number 0 by which it may be behind

  /// Adds a sample that stands for `calls` calls. Returns whether the candidate is too far behind.
  bool add(double seconds, int calls, double first) {
    const double more = calls * (seconds - (1 + guard_budget::share) * first);
    behind_ = (std::max)(behind_ + more, 0.0);
    return behind_ > most * first;
  }

 private:
  double behind_ = 0;
};

}}}  // namespace heddle::HEDDLE_ABI::detail
