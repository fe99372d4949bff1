#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <heddle/predict/detail/weighed_launches.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Compares the launches of a problem. Each is replayed, whole or in a sample, and weighed by its seconds: of those
/// that take about the least time the first is the best. A launch is out as soon as it has read so much again that it
/// cannot be.
class launch_search : public weighed_launches {
 public:
  using weighed_launches::weighed_launches;

  /// Returns the best launch of those without sm_affine, with the schedule of the rules. The plain one is among them.
  candidate best_order() {
    std::vector<recipe> orders_to_try = rules_.launches.empty() ? asked_.usual : rules_.launches;
    std::erase_if(orders_to_try, is_affine);
    std::erase(orders_to_try, rules_.plain);
    orders_to_try.insert(rules_.plain_is_last ? orders_to_try.end() : orders_to_try.begin(), rules_.plain);
    std::vector<candidate> found = compare(orders_to_try, 3 << 19);
    const auto is_sampled = [](const candidate& one) { return one.moved.error > 0; };
    if (std::any_of(found.begin(), found.end(), is_sampled)) {
      found = compare(near(found), cells_left_ / 2);
    }
    candidate chosen = first_within_limit(found);
    if (!(chosen.by == plain_.by)) {
      chosen.moved = sure(chosen, cells_left_);
      weigh(chosen);
    }
    if (rules_.may_sort_groups) chosen = heaviest_first(chosen);
    return with_schedule_of(chosen);
  }

  /// Returns the first launch by sm_affine that gains enough beside another launch; else one of no time. A gain that is
  /// predicted and does not come is worse than one that is missed.
  candidate best_affine(const candidate& than) {
    const double limit = (1 - rules_.least_affine_gain) * than.seconds;
    for (const recipe& by : rules_.launches) {
      if (!is_affine(by)) continue;
      candidate one{by, than.moved};
      one.moved.total.dram_bytes = compulsory_;
      weigh(one);
      if (!(one.seconds < limit)) continue;
      one.moved = sample(by, to_answer, to_the_end);
      one.work.dram_bytes = static_cast<double>(one.moved.total.dram_bytes + written_);
      one.seconds = seconds(one.work);
      if (one.seconds < limit) return one;
    }
    return {};
  }

  bool is_plain(candidate one) const {
    one.by.schedule = plain_.by.schedule;
    return one.by == plain_.by;
  }

 private:
  /// Returns the candidates among launches, in their order, that are replayed for so many cells in all. A launch is out
  /// as soon as it has read so much again that another one is better. The last one is looked at early, since it is of
  /// another kind than the first ones: the sooner a good one is found, the sooner others are out.
  std::vector<candidate> compare(const std::vector<recipe>& launches, long long cells) {
    std::vector<std::size_t> turns(launches.size());
    std::iota(turns.begin(), turns.end(), std::size_t{0});
    const bool has_early = launches.size() > 3;
    if (has_early) std::rotate(turns.begin() + 1, turns.end() - (launches.back() == plain_.by ? 2 : 1), turns.end());
    std::vector<std::pair<std::size_t, candidate>> found;
    candidate best = plain_;
    const auto at_least = [&](long long again) {
      launch_work work = plain_.work;
      work.dram_bytes = static_cast<double>(compulsory_ + again + written_);
      work.idle_share = 0;
      return seconds(work);
    };
    const auto may_be_better = [&](long long again) {
      const double unsure = plain_.moved.error > 0 ? 0.05 : 0, least = at_least(again);
      if (least > (1 + rules_.tolerance + unsure) * best.seconds) return false;
      const auto most = static_cast<double>(best.moved.again + rules_.bytes_that_count) +
                        unsure * static_cast<double>(best.moved.total.dram_bytes);
      return rules_.bytes_that_count == 0 || static_cast<double>(again) < most || least < best.seconds;
    };
    for (std::size_t turn = 0; turn < turns.size(); ++turn) {
      const long long share = (std::max)(1LL << 13, cells / static_cast<long long>(turns.size() - turn));
      const recipe& by = launches[turns[turn]];
      candidate one = plain_;
      if (!(by == plain_.by)) {
        if (cells < -(1 << 19)) continue;  // samples of few waves took more than their share
        bool is_out = false;
        one = {by, sample(by, {2 * share, share / 4, share, share}, [&](long long again) {
                 is_out = !may_be_better(again);
                 return !is_out;
               })};
        cells -= one.moved.cells;
        cells_left_ -= one.moved.cells;
        if (is_out) continue;
        weigh(one);
      }
      if (one.seconds < best.seconds || (one.seconds == best.seconds && one.moved.again < best.moved.again)) best = one;
      found.emplace_back(turns[turn], one);
      // It is preferred to the launches behind, and as good as any can be.
      const bool is_early = has_early && turn == 1;
      const bool is_least = one.moved.again < (rules_.bytes_that_count > 0 ? rules_.bytes_that_count : 1LL << 62);
      if (!is_early && is_least && one.moved.error == 0 && one.seconds <= (1 + rules_.tolerance) * at_least(0)) break;
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<candidate> in_order;
    for (const auto& [place, one] : found) in_order.push_back(one);
    if (in_order.empty()) in_order.push_back(plain_);
    return in_order;
  }

  /// Returns the few launches that a larger sample may find to be the best: the first ones and the quickest.
  std::vector<recipe> near(const std::vector<candidate>& found) const {
    std::vector<double> times;
    for (const candidate& one : found) times.push_back(one.seconds);
    std::sort(times.begin(), times.end());
    const double limit = (1 + rules_.tolerance + 0.05) * times.front();
    std::vector<recipe> launches;
    for (const candidate& one : found) {
      const bool is_among = launches.size() < 2 || one.seconds <= times[(std::min)(times.size(), std::size_t{6}) - 1];
      if (is_among && one.seconds <= limit) launches.push_back(one.by);
    }
    return launches;
  }

  /// Returns a launch with the heaviest group first, if it gains and DRAM idles for half of the time. It puts groups of
  /// few rows together, which wait for their B. H200, 128 groups x 1536 x 2048, Zipf(1): 5 % slower than as numbered
  /// (docs/grouped.md).
  candidate heaviest_first(const candidate& chosen) const {
    candidate sorted = chosen;
    sorted.by.sequence = group_sequence::heaviest_first;
    const bool may_gain = chosen.work.idle_share > 0.01 && knows_seconds_ && time_.of(chosen.work).dram_is_half_idle();
    if (!may_gain) return chosen;
    sorted.moved = sample(sorted.by, to_answer, to_the_end);
    weigh(sorted);
    return (1 + rules_.tolerance) * sorted.seconds < chosen.seconds ? sorted : chosen;
  }

  candidate first_within_limit(const std::vector<candidate>& found) const {
    double least = found.front().seconds;
    for (const candidate& one : found) least = (std::min)(least, one.seconds);
    const auto is_near = [&](const candidate& one) { return one.seconds <= (1 + rules_.tolerance) * least; };
    long long again = (std::numeric_limits<long long>::max)();
    for (const candidate& one : found) {
      if (is_near(one)) again = (std::min)(again, one.moved.again);
    }
    return *std::find_if(found.begin(), found.end(), [&](const candidate& one) {
      return is_near(one) && (rules_.bytes_that_count == 0 || one.moved.again - again < rules_.bytes_that_count);
    });
  }
};

}}}  // namespace heddle::HEDDLE_ABI::detail
