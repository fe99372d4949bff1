#pragma once

#include <algorithm>
#include <limits>

#include <heddle/order/row_major.hpp>
#include <heddle/predict/makespan.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Says how long blocks idle in a launch whose tiles take `problem.cost(tile)` each: all tiles are weighed if they are
/// few, else some that are spread over an order.
template <class Problem>
class uneven_tiles {
 public:
  template <class Order>
  uneven_tiles(const Problem& problem, const Order& order, int workers)
      : problem_(problem), workers_(workers), tiles_(order.size()) {
    const int weighed = (std::min)(tiles_, few_tiles);
    for (int i = 0; i < weighed; ++i) {
      const double cost = problem_.cost(order(static_cast<int>(1LL * tiles_ * i / weighed)));
      work_ += cost;
      longest_ = (std::max)(longest_, cost);
      shortest_ = (std::min)(shortest_, cost);
    }
    if (weighed < tiles_) work_ *= 1.0 * tiles_ / weighed;
  }

  /// Returns what all tiles cost together.
  double operations() const { return work_; }
  bool are_uneven() const { return shortest_ < longest_; }
  /// Returns whether some block has more than one.
  bool are_many() const { return tiles_ > workers_; }

  /// Returns the share of their time in which blocks have no tile. Of even tiles it follows from the number of turns,
  /// and where the longest tile is 0.2 % of a block's work from the latest end that a block that takes the next tile
  /// can have: no launch is run for either.
  template <class Order>
  double idle_share(const Order& order, predict::schedule_kind schedule) const {
    const double end = work_ > 0 ? end_of(order, schedule) : 0;
    return end > 0 ? (std::max)(0.0, 1 - work_ / (end * workers_)) : 0;
  }

 private:
  template <class Order>
  double end_of(const Order& order, predict::schedule_kind schedule) const {
    const double even = work_ / workers_;
    const bool is_dealt = schedule == predict::schedule_kind::strided;
    if (!are_uneven()) return ((tiles_ - 1) / workers_ + 1) * longest_;
    if (!is_dealt && longest_ <= 0.002 * even) return even + (1 - 1.0 / workers_) * longest_;
    const auto end_of_some = [&](int tiles, const auto& index) {
      const auto cost = [&](coord number) { return problem_.cost(order(index(number.col))); };
      return predict::makespan(row_major{extent(1, tiles)}, cost, workers_,
                               is_dealt ? schedule : predict::schedule_kind::one_shot);
    };
    if (tiles_ <= few_tiles) return end_of_some(tiles_, [](int i) { return i; }).end;
    if (is_dealt) {  // some turns of all blocks
      const int all = tiles_ / workers_, turns = std::clamp(few_tiles / workers_, 1, (std::max)(1, all));
      const auto index = [&](int i) {
        return static_cast<int>(1LL * all * (i / workers_) / turns) * workers_ + i % workers_;
      };
      return end_of_some((std::min)(tiles_, turns * workers_), index).end * tiles_ / workers_ / turns;
    }
    // Blocks that take tiles as they are done are level until the last tiles.
    const predict::makespan_report end = end_of_some(few_tiles, [&](int i) { return tiles_ - few_tiles + i; });
    return (work_ - end.work) / workers_ + end.end;
  }

  static constexpr int few_tiles = 1 << 17;

  const Problem& problem_;
  int workers_, tiles_;
  double work_ = 0, longest_ = 0, shortest_ = std::numeric_limits<double>::infinity();
};

}  // namespace heddle::inline HEDDLE_ABI::detail
