#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <heddle/order/row_major.hpp>
#include <heddle/predict/detail/at_rate.hpp>
#include <heddle/predict/detail/byte_units.hpp>
#include <heddle/predict/detail/order_search.hpp>
#include <heddle/predict/detail/problem_space.hpp>
#include <heddle/predict/detail/replay_size.hpp>
#include <heddle/predict/detail/sampled_replay.hpp>
#include <heddle/predict/detail/time_of_both.hpp>
#include <heddle/predict/makespan.hpp>
#include <heddle/predict/space_advice.hpp>
#include <heddle/predict/wave_traffic.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Searches for the launch of least time, by bytes and by idle time. Of launches within 1 % of the least, the first
/// that was considered is the simplest.
///
/// The time follows from what DRAM and the matrix unit take alone by the device's `overlap_of_units`: they overlap, but
/// the less the closer they are. Full-screen passes were measured to do so (docs/convolution.md).
///
/// `with_orders(named, f)` calls f(order, pattern) with the order that an advice names, and the tiles after which it
/// does the same again, or 0.
template <class Problem, class WithOrders>
class launch_search {
 public:
  launch_search(const Problem& problem, const predict::device& device, int blocks, const WithOrders& with_orders)
      : problem_(problem),
        with_orders_(with_orders),
        chip_(replay_size_of(problem, device, blocks)),
        device_(at_rate(problem.rules(device, blocks).matrix_operations_per_second, device)),
        workers_(device.multiprocessors * blocks),
        least_bytes_(problem.compulsory_bytes() + problem.written_bytes()),
        usual_(problem.rules(device, blocks).beyond_one_wave),
        tiles_(tiles_of(problem).size()) {}

  /// Considers an order. The first is the plain one.
  void consider(const predict::space_advice& named) {
    const bool is_plain = found_.empty();
    with_orders_(named, [&](const auto& order, long long pattern) {
      if (is_plain) weigh_tiles(order);
      const sampled_traffic moved = replay_sample(
          order, problem_, problem_.coarse_replay(chip_.cache_bytes), chip_, {}, pattern, to_compare,
          [&](long long again) { return is_plain || seconds(least_bytes_ + again, shortest_end()) <= most_seconds(); });
      found_.push_back({named, moved, least_bytes_ + moved.again, end_of(order, predict::schedule_kind::one_shot)});
      if (is_plain) set_rates(found_.back());
    });
    best_ = (std::min)(best_, seconds(found_.back()));
  }

  /// Takes the plain order only if every other one is 1 % slower: bytes and idle time do not tell all, and others were
  /// measured to be faster.
  void take_plain_last() { plain_is_last_ = true; }

  /// Returns the order with the least time so far, or the simplest of those within 1 %.
  const predict::space_advice& best() const { return first_within_limit().named; }

  /// Returns whether DRAM idles for at least half of the time with that order, and blocks for more than 1 %.
  bool dram_and_blocks_idle() const {
    const candidate& order = first_within_limit();
    return order.end > 1.01 * shortest_end() &&
           2 * static_cast<double>(order.bytes) * per_byte_ <= order.end * per_operation_;
  }

  /// Returns the advice. `plain` names the plain order in its reason.
  predict::space_advice advice(const char* plain) const {
    const candidate &order = first_within_limit(), first = sure(found_.front());
    const bool is_first = &order == &found_.front();
    candidate chosen = is_first ? first : sure(order);
    if (tiles_ > workers_ && usual_ != predict::schedule_kind::one_shot) {
      with_orders_(order.named,
                   [&](const auto& tiles, long long) { chosen.end = end_of(tiles, predict::schedule_kind::strided); });
      chosen.named.schedule = predict::schedule_kind::strided;
      if (seconds(chosen) > (plain_is_last_ ? most_seconds() : (std::min)(most_seconds(), seconds(first)))) {
        chosen.end = order.end;
        chosen.named.schedule = predict::schedule_kind::ticket;
      }
    }
    predict::space_advice advice = chosen.named;
    advice.predicted_bytes = chosen.bytes;
    advice.plain_bytes = first.bytes;
    advice.bytes_error = (std::max)(chosen.moved.relative_error(), first.moved.relative_error());
    advice.idle_share = idle_share(chosen.end);
    advice.plain_idle_share = idle_share(first.end);
    if (knows_rates()) {
      advice.predicted_seconds = seconds(chosen);
      advice.plain_seconds = seconds(first);
    }
    advice.reason = reason(advice, chosen, is_first ? nullptr : plain) + sample_text(advice.bytes_error);
    return advice;
  }

 private:
  struct candidate {
    predict::space_advice named;
    sampled_traffic moved;
    long long bytes;  // to and from DRAM
    double end;       // of the launch, in operations, by blocks that take tiles as they are done
  };

  /// Returns a candidate whose bytes are as sure as an answer should be.
  candidate sure(candidate of) const {
    if (of.moved.error == 0) return of;
    with_orders_(of.named, [&](const auto& order, long long pattern) {
      of.moved = replay_sample(order, problem_, problem_.coarse_replay(chip_.cache_bytes), chip_, {}, pattern,
                               to_answer, [](long long) { return true; });
    });
    of.bytes = least_bytes_ + of.moved.again;
    return of;
  }

  double shortest_end() const { return work_ / workers_; }
  double idle_share(double end) const { return end > 0 ? (std::max)(0.0, 1 - work_ / (end * workers_)) : 0; }
  double most_seconds() const { return 1.01 * best_; }
  bool knows_rates() const { return device_.dram_bytes_per_second > 0 && device_.matrix_operations_per_second > 0; }

  double seconds(long long bytes, double end) const {
    return time_of_both(static_cast<double>(bytes) * per_byte_, end * per_operation_, device_.overlap_of_units);
  }
  double seconds(const candidate& of) const { return seconds(of.bytes, of.end); }

  const candidate& first_within_limit() const {
    const auto first = found_.begin() + (plain_is_last_ && tiles_ > 0 && found_.size() > 1 ? 1 : 0);
    const auto found =
        std::find_if(first, found_.end(), [&](const candidate& c) { return seconds(c) <= most_seconds(); });
    return found == found_.end() ? found_.front() : *found;
  }

  /// Weighs all tiles if they are few, else some that are spread over the order.
  template <class Order>
  void weigh_tiles(const Order& order) {
    const int weighed = (std::min)(tiles_, few_tiles);
    for (int i = 0; i < weighed; ++i) {
      const double cost = problem_.cost(order(static_cast<int>(1LL * tiles_ * i / weighed)));
      work_ += cost;
      longest_ = (std::max)(longest_, cost);
      shortest_ = (std::min)(shortest_, cost);
    }
    if (weighed < tiles_) work_ *= 1.0 * tiles_ / weighed;
  }

  /// Takes the seconds of a byte and of an operation of one block from the device's rates. If one is unknown, the plain
  /// order's bytes and its arithmetic count alike.
  void set_rates(const candidate& plain) {
    const auto share = [](double of) { return of > 0 ? 1 / of : 0; };
    per_byte_ = knows_rates() ? 1 / device_.dram_bytes_per_second : share(static_cast<double>(plain.bytes));
    per_operation_ = knows_rates() ? workers_ / device_.matrix_operations_per_second : share(plain.end);
  }

  /// Returns when a launch ends, in operations. Of even tiles it is the number of turns, and where the longest tile is
  /// 0.2 % of a block's work, the latest end that a block that is done and takes the next tile can have: no launch is
  /// run for either.
  template <class Order>
  double end_of(const Order& order, predict::schedule_kind schedule) const {
    if (tiles_ == 0) return 0;
    if (shortest_ == longest_) return ((tiles_ - 1) / workers_ + 1) * longest_;
    if (schedule != predict::schedule_kind::strided && longest_ <= 0.002 * shortest_end()) {
      return shortest_end() + (1 - 1.0 / workers_) * longest_;
    }
    const auto end_of_some = [&](int tiles, const auto& index) {
      const auto cost = [&](coord number) { return problem_.cost(order(index(number.col))); };
      return predict::makespan(row_major{extent(1, tiles)}, cost, workers_, schedule);
    };
    if (tiles_ <= few_tiles) return end_of_some(tiles_, [](int i) { return i; }).end;
    if (schedule == predict::schedule_kind::strided) {  // some turns of all blocks
      const int all = order.size() / workers_, turns = std::clamp(few_tiles / workers_, 1, (std::max)(1, all));
      const auto index = [&](int i) {
        return static_cast<int>(1LL * all * (i / workers_) / turns) * workers_ + i % workers_;
      };
      return end_of_some((std::min)(order.size(), turns * workers_), index).end * tiles_ / workers_ / turns;
    }
    // Blocks that take tiles as they are done are level until the last tiles.
    const int last = (std::min)(order.size(), few_tiles), before = order.size() - last;
    const predict::makespan_report end = end_of_some(last, [&](int i) { return before + i; });
    return (work_ - end.work) / workers_ + end.end;
  }

  /// Returns two sentences. Without a plain order to compare with, the advice is the plain order.
  std::string reason(const predict::space_advice& advice, const candidate& chosen, const char* plain) const {
    const auto bytes = static_cast<double>(advice.predicted_bytes), by_plain = static_cast<double>(advice.plain_bytes);
    std::string text;
    const auto idle = [](double share, double other) { return number_text(100 * share, 100 * other, 1) + " %"; };
    if (plain == nullptr) {
      text = "order will not matter: " + to_string(advice) + " moves " + bytes_text(bytes, bytes) +
             " to and from DRAM and leaves blocks idle for " + idle(advice.idle_share, advice.idle_share) +
             " of the time, and no order that was tried gains 1 %.";
    } else {
      text = to_string(advice) + " moves " + bytes_text(bytes, by_plain) +
             " to and from DRAM and leaves blocks idle for " + idle(advice.idle_share, advice.plain_idle_share) +
             " of the time; " + plain + " moves " + bytes_text(by_plain, bytes) + " and leaves them idle for " +
             idle(advice.plain_idle_share, advice.idle_share) + ".";
    }
    if (!knows_rates()) return text + " Without the device's rates, bytes and idle time count alike.";
    const double dram = bytes * per_byte_, arithmetic = chosen.end * per_operation_;
    return text + " Alone at the device's rates, DRAM needs " + time_text(dram, arithmetic) +
           ", and arithmetic with its idle time " + time_text(arithmetic, dram) + ".";
  }

  static constexpr int few_tiles = 1 << 17;
  static constexpr sample_size to_compare{1 << 19, 1 << 14, 1 << 16, 1 << 16};

  const Problem& problem_;
  WithOrders with_orders_;
  replay_size chip_;
  predict::device device_;
  int workers_;
  long long least_bytes_;  // to and from DRAM, by any order
  predict::schedule_kind usual_;

  int tiles_;
  bool plain_is_last_ = false;
  double work_ = 0, longest_ = 0, shortest_ = std::numeric_limits<double>::infinity();  // operations
  double per_byte_ = 0, per_operation_ = 0, best_ = std::numeric_limits<double>::infinity();
  std::vector<candidate> found_;
};

}  // namespace heddle::inline HEDDLE_ABI::detail
