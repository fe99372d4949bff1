#pragma once

#include <heddle/reorder/coherence.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Decides for the rounds of a loop whether the block asks how its keys are spread, and whether it sorts its threads.
/// Each thread has a gate of its own; all gates of a block are equal, since they take the same answers.
///
///   round       0   1 2 3   4   5 6 7 8 9 10   11    12    13   14
///   keys        together, all the time         mixed mixed together
///   the gate    no  . . .   no  . . . . . .    sorts sorts no   no ...      . is a pause: no question, no barrier
///
/// **Pauses**: a question that was in vain is paid for by rounds without one: questions take at most 1/64 of the clocks
/// of a round's visit. Each question in vain doubles the next pause, up to 8 times the first and to 64 rounds. While
/// sorting pays there is no pause: ranks need a barrier anyway, and it counts the visits. So keys that change are found
/// at once if the block sorts, and at the end of a pause if it does not.
/// **Cost**: three values that live from round to round; in a pause, a subtraction and a branch per round.
/// **Example** (examples/05_reorder/after.cu):
///
///     heddle::coherence_gate gate = reorder::gate(200, exchange::words);
///     …
///     const auto [pays, rank, active] = by_material.rank_if(gate, mine.material);
///     if (pays) mine = exchange(states).to(mine, rank);
class coherence_gate {
 public:
  /// The most rounds of a pause.
  static constexpr unsigned longest_pause = 64;

  /// A gate for a loop in which a visit to a key takes `clocks_of_visit`, at least 1, and an exchange moves `words`
  /// words per thread. It asks only if sorting pays for the `best` case that a block can be in. `block_reorder::gate`
  /// knows it.
  HEDDLE_FN coherence_gate(float clocks_of_visit, unsigned words, const coherence::cost& of, const coherence& best)
      : clocks_(clocks_of_visit > 1 ? clocks_of_visit : 1),
        words_(words),
        of_(of),
        price_(first_price()),
        debt_(pays(best) ? 0 : 1e30f) {}

  /// Counts a round. Returns whether it is one of a pause. If threads may be inactive, even a gate that never pays asks
  /// after the longest pause, so that a loop ends that has no active thread left.
  HEDDLE_FN bool pass(bool is_everybody_active = true) {
    if (!is_everybody_active) debt_ = least(debt_, longest_pause * clocks_);
    debt_ -= clocks_;
    return debt_ > 0;
  }

  /// Returns whether sorting pays for a block with such keys.
  HEDDLE_FN bool pays(const coherence& how) const { return how.pays(clocks_, words_, of_); }

  /// Begins a pause: the question was in vain.
  HEDDLE_FN void pause() {
    debt_ = price_;
    price_ = least(2 * price_, least(8 * first_price(), longest_pause * clocks_));
  }

  /// Notes that the block sorts from now on, and how many keys it has.
  HEDDLE_FN void sort(unsigned keys) {
    keys_ = keys;
    price_ = first_price();
  }
  /// Notes that sorting no longer pays. The next round asks.
  HEDDLE_FN void stop() {
    keys_ = 0;
    debt_ = 0;
  }

  /// Returns whether the block sorts.
  HEDDLE_FN bool is_sorting() const { return keys_ != 0; }
  /// Returns the number of keys that the block had when it began to sort.
  HEDDLE_FN unsigned keys() const { return keys_; }

 private:
  HEDDLE_FN float first_price() const { return 64 * least(of_.of_question, clocks_); }
  HEDDLE_FN static float least(float one, float other) { return one < other ? one : other; }

  float clocks_;
  unsigned words_;
  coherence::cost of_;
  float price_, debt_;  // clocks of rounds without a question: of the next pause; of this one, those that are left
  unsigned keys_ = 0;   // 0: not sorting
};

}  // namespace heddle::inline HEDDLE_ABI
