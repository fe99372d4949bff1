#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <heddle/predict/detail/at_rate.hpp>
#include <heddle/predict/detail/byte_units.hpp>
#include <heddle/predict/detail/problem_rules.hpp>
#include <heddle/predict/detail/problem_space.hpp>
#include <heddle/predict/detail/replay_size.hpp>
#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/makespan.hpp>
#include <heddle/predict/space_advice.hpp>
#include <heddle/predict/wave_traffic.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Searches for the launch of least time, by bytes and by idle time. Of launches within 1 % of the least, the first
/// that was considered is the simplest.
///
/// The time follows from what DRAM and the matrix unit take alone by the device's `overlap_of_units`: they overlap, but
/// the less the closer they are. Full-screen passes were measured to do so (docs/convolution.md).
template <class Problem>
class launch_search {
 public:
  /// `sample` is the problem, or a smaller one that moves a `parts`-th of the bytes that are read again.
  launch_search(const Problem& problem, const Problem& sample, double parts, const predict::device& device, int blocks)
      : problem_(problem),
        sample_(sample),
        parts_(parts),
        chip_(replay_size_of(problem, device, blocks)),
        device_(at_rate(rules_of(problem, device, blocks).matrix_operations_per_second, device)),
        workers_(
            require_at_most(0x7fffffff, "heddle::predict: concurrent blocks", 1LL * device.multiprocessors * blocks)),
        compulsory_(problem.compulsory_bytes()),
        usual_(rules_of(problem, device, blocks).beyond_one_wave) {}

  /// Considers an order: of all tiles, and of those of the sample. The first is the plain one.
  template <class Order, class SampleOrder>
  void consider(const predict::space_advice& named, const Order& order, const SampleOrder& of_sample) {
    const bool is_plain = found_.empty();
    if (is_plain) weigh_tiles(order);
    predict::wave_traffic total;
    auto replay = sample_.coarse_replay(chip_.cache_bytes);
    for_each_wave(of_sample, {of_sample.size(), chip_.multiprocessors, chip_.blocks, {}}, [&](const auto& wave) {
      total += replay(wave);
      return is_plain || seconds(read(replay.bytes_again()) + written_, shortest_end()) <= most_seconds();
    });
    if (is_plain) written_ = std::llround(static_cast<double>(total.written_bytes) * parts_);
    const long long bytes = read(replay.bytes_again()) + written_;
    const double end = end_of(order, predict::schedule_kind::one_shot);
    if (is_plain) set_rates(bytes, end);
    found_.push_back({named, bytes, end, [this, order] { return end_of(order, predict::schedule_kind::strided); }});
    best_ = (std::min)(best_, seconds(found_.back()));
  }

  /// Takes the plain order only if every other one is 1 % slower: bytes and idle time do not tell all, and others were
  /// measured to be faster.
  void take_plain_last() { plain_is_last_ = true; }

  /// Returns the order with the least time so far, or the simplest of those within 1 %.
  const predict::space_advice& best() const { return first_within_limit().named; }

  /// Returns whether DRAM idles for at least half of the time with that order.
  bool dram_is_half_idle() const {
    const candidate& order = first_within_limit();
    return 2 * static_cast<double>(order.bytes) * per_byte_ <= order.end * per_operation_;
  }

  /// Returns the advice. `plain` names the plain order in its reason.
  predict::space_advice advice(const char* plain) const {
    const candidate &first = found_.front(), &order = first_within_limit();
    candidate chosen = order;
    if (tiles_ > workers_ && usual_ != predict::schedule_kind::one_shot) {
      chosen.end = order.strided_end();
      chosen.named.schedule = predict::schedule_kind::strided;
      if (seconds(chosen) > (plain_is_last_ ? most_seconds() : (std::min)(most_seconds(), seconds(first)))) {
        chosen.end = order.end;
        chosen.named.schedule = predict::schedule_kind::ticket;
      }
    }
    predict::space_advice advice = chosen.named;
    advice.predicted_bytes = chosen.bytes;
    advice.plain_bytes = first.bytes;
    advice.idle_share = idle_share(chosen.end);
    advice.plain_idle_share = idle_share(first.end);
    if (knows_rates()) {
      advice.predicted_seconds = seconds(chosen);
      advice.plain_seconds = seconds(first);
    }
    advice.reason = reason(advice, chosen, &order == &first ? nullptr : plain);
    return advice;
  }

 private:
  struct candidate {
    predict::space_advice named;
    long long bytes;  // to and from DRAM
    double end;       // of the launch, in operations, by blocks that take tiles as they are done
    std::function<double()> strided_end;
  };

  long long read(long long again) const { return compulsory_ + std::llround(static_cast<double>(again) * parts_); }
  double shortest_end() const { return work_ / workers_; }
  double idle_share(double end) const { return end > 0 ? (std::max)(0.0, 1 - work_ / (end * workers_)) : 0; }
  double most_seconds() const { return 1.01 * best_; }
  bool knows_rates() const { return device_.dram_bytes_per_second > 0 && device_.matrix_operations_per_second > 0; }

  double seconds(long long bytes, double end) const {
    const double overlap = device_.overlap_of_units;
    return std::pow(std::pow(static_cast<double>(bytes) * per_byte_, overlap) + std::pow(end * per_operation_, overlap),
                    1 / overlap);
  }
  double seconds(const candidate& of) const { return seconds(of.bytes, of.end); }

  const candidate& first_within_limit() const {
    const auto first = found_.begin() + (plain_is_last_ && tiles_ > 0 && found_.size() > 1 ? 1 : 0);
    const auto found =
        std::find_if(first, found_.end(), [&](const candidate& c) { return seconds(c) <= most_seconds(); });
    return found == found_.end() ? found_.front() : *found;
  }

  template <class Order>
  void weigh_tiles(const Order& order) {
    tiles_ = order.size();
    for (int i = 0; i < tiles_; ++i) {
      const double cost = problem_.cost(order(i));
      work_ += cost;
      longest_ = (std::max)(longest_, cost);
      shortest_ = (std::min)(shortest_, cost);
    }
  }

  /// Takes the seconds of a byte and of an operation of one block from the device's rates. If one is unknown, the plain
  /// order's bytes and its arithmetic count alike.
  void set_rates(long long bytes, double end) {
    per_byte_ = knows_rates() ? 1 / device_.dram_bytes_per_second : bytes > 0 ? 1 / static_cast<double>(bytes) : 0;
    per_operation_ = knows_rates() ? workers_ / device_.matrix_operations_per_second : end > 0 ? 1 / end : 0;
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
    const auto cost = [&](const auto& tile) { return problem_.cost(tile); };
    return predict::makespan(order, cost, workers_, schedule).end;
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

  Problem problem_, sample_;
  double parts_;
  replay_size chip_;
  predict::device device_;
  int workers_;
  long long compulsory_, written_ = 0;
  predict::schedule_kind usual_;

  bool plain_is_last_ = false;
  int tiles_ = 0;
  double work_ = 0, longest_ = 0, shortest_ = std::numeric_limits<double>::infinity();  // operations
  double per_byte_ = 0, per_operation_ = 0, best_ = std::numeric_limits<double>::infinity();
  std::vector<candidate> found_;
};

}  // namespace heddle::inline HEDDLE_ABI::detail
