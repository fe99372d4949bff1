#pragma once

#include <heddle/schedule/detail/tallies.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::schedule {

/// Counts the stored parts of each split tile. At most 1024 tiles are split; their steps are counted in 32 bits.
using parts_of_tiles = tallies<1024>;

/// Divides tiles of `k_steps` steps among `workers`. The tiles of the incomplete wave are split evenly by steps, among
/// as many sharers as get `least_steps` each. They stay whole if those are no more than the tiles, as do all other
/// tiles.
///
/// Parts are numbered: first those of split tiles in the order of k, then whole tiles. From one part of a split tile to
/// the next the worker, the tile or both increase by one, so worker + tile is the number of the part.
class division {
 public:
  static constexpr int least_steps = 8;  // a sharer gets at least 8 steps
  static constexpr int most_steps = 0xffffffffu / parts_of_tiles::most;

  HEDDLE_FN division(unsigned tiles, int k_steps, int most_sharers, unsigned workers)
      : workers_(workers), tiles_(tiles), k_steps_(static_cast<unsigned>(k_steps)) {
    const unsigned rest = tiles % workers;
    unsigned sharers = workers < static_cast<unsigned>(most_sharers) ? workers : static_cast<unsigned>(most_sharers);
    if (sharers <= rest) return;
    const unsigned steps = rest * k_steps_;  // below 2^32, since rest is below `parts_of_tiles::most`
    if (steps / least_steps < sharers) sharers = steps / least_steps;
    if (sharers <= rest) return;
    split_ = rest;
    sharers_ = sharers;
    share_ = steps / sharers;
    longer_ = steps % sharers;
  }

  HEDDLE_FN unsigned split_tiles() const { return split_; }
  HEDDLE_FN unsigned sharers() const { return sharers_; }

  /// The end of the numbers.
  HEDDLE_FN unsigned size() const { return split_numbers() + tiles_ - split_; }

  HEDDLE_FN unsigned first(unsigned worker) const {
    if (worker >= sharers_) return split_numbers() + worker;
    return worker + begin_of(worker) / k_steps_;
  }

  HEDDLE_FN unsigned next(unsigned number, unsigned worker) const {
    if (number >= split_numbers()) return number + workers_;
    const unsigned last_tile = (begin_of(worker + 1) - 1) / k_steps_;
    return number - worker < last_tile ? number + 1 : split_numbers() + worker;
  }

  /// Steps [begin, end) of a tile that `parts` workers share. The numbers of their parts begin with `first`.
  struct part {
    unsigned tile;
    int begin, end;
    unsigned first, parts;
  };

  HEDDLE_FN part operator()(unsigned number, unsigned worker) const {
    if (number >= split_numbers()) return {split_ + (number - split_numbers()), 0, static_cast<int>(k_steps_), 0, 1};
    const unsigned tile = number - worker;
    const unsigned origin = tile * k_steps_, end = origin + k_steps_;
    const unsigned from = begin_of(worker), to = begin_of(worker + 1);
    const unsigned first = sharer_of(origin), last = sharer_of(end - 1);
    return {tile, from < origin ? 0 : static_cast<int>(from - origin), static_cast<int>((to < end ? to : end) - origin),
            first + tile, last - first + 1};
  }

 private:
  HEDDLE_FN unsigned split_numbers() const { return sharers_ + split_; }

  /// The first step of a sharer, counted through all split tiles. The first `longer_` sharers have one step more.
  HEDDLE_FN unsigned begin_of(unsigned sharer) const { return sharer * share_ + (sharer < longer_ ? sharer : longer_); }

  HEDDLE_FN unsigned sharer_of(unsigned step) const {
    const unsigned by_longer = longer_ * (share_ + 1);
    if (step < by_longer) return step / (share_ + 1);
    return longer_ + (step - by_longer) / share_;
  }

  unsigned workers_, tiles_, k_steps_;
  unsigned split_ = 0, sharers_ = 0, share_ = 0, longer_ = 0;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::schedule
