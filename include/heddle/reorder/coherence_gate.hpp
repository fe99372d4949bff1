#pragma once

#include <heddle/reorder/coherence.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Decides, round by round, whether a block asks how its keys are spread, and whether it sorts its threads. So a loop
/// need not be measured first: where sorting does not pay, it is hardly slower than without.
///
///   round       0    1  2  3  4    5  6  7  8       9      10     11        12       a question takes 1/16 of a visit
///   keys        together              mixed                      together
///   the gate    no   pause         no pause         sorts  sorts  no        no
///
/// The numbers are an example. Each thread has a gate of its own, built on the host or in the kernel. Those of a block
/// stay equal, since `block_reorder::rank_if` gives the same answers to all threads.
///
/// **Pauses**: a round of a pause has no barrier. A question in vain begins one, so long that questions take at most
/// 1/64 of the clocks of one visit per round: 1 + 64 * `of_question` / clocks rounds at most, and 21; three times as
/// many where the cheap question did not suffice. While sorting pays there is no pause: the barrier of the ranks counts
/// the visits. So keys that change are noticed at once by a block that sorts, and by another block after its pause.
/// **Cost**: five values per thread, two of which change; three instructions per round of a pause.
/// **Example** (examples/05_reorder/after.cu):
///
///     heddle::coherence_gate gate = reorder::gate(200, exchange::words);
///     …
///     if (gate.next_round()) {
///       const auto [pays, rank, active] = by_material.rank_if(gate, mine.material);
///       if (pays) mine = exchange(states).to(mine, rank);
///     }
class coherence_gate {
 public:
  /// The most rounds of a pause.
  static constexpr int longest_pause = 63;

  /// A gate for a loop in which a visit to a key takes `clocks_of_visit`, at least 1, and an exchange moves `words`
  /// words per thread. If sorting does not pay even in the `best` case that a block can be in, the gate begins with the
  /// longest pause. `block_reorder::gate` knows that case.
  HEDDLE_FN coherence_gate(float clocks_of_visit, unsigned words, const coherence::cost& of, const coherence& best)
      : least_(visits(of.sorted(words), clocks_of_visit)) {
    const float rounds = 64 * visits(of.of_question, clocks_of_visit);
    if (pays(best) && rounds < static_cast<float>(pause_)) pause_ = static_cast<int>(rounds + 0.999f);
    if (!pays(best)) left_ = longest_pause;
  }

  /// Goes on to the next round. Returns whether the block asks or sorts in it: not if it is one of a pause.
  HEDDLE_FN bool next_round() { return --left_ < 0; }

  /// Returns whether sorting pays for a block with such keys.
  HEDDLE_FN bool pays(const coherence& how) const {
    const auto saved = static_cast<int>(how.visits - how.sorted_visits());
    return static_cast<float>(saved) > least_ * static_cast<float>(how.warps());
  }

  /// Begins a pause, for one to three questions that were in vain.
  HEDDLE_FN void pause(int questions) { left_ = questions * pause_; }
  /// Notes that the block sorts, and how many keys it has.
  HEDDLE_FN void sort(unsigned keys) {
    keys_ = keys;
    left_ = 0;
  }
  /// Notes that sorting no longer pays. The next round asks.
  HEDDLE_FN void stop() { sort(0); }

  /// Returns whether the block sorts.
  HEDDLE_FN bool is_sorting() const { return keys_ != 0; }
  /// Returns the number of keys that the block had when it began to sort.
  HEDDLE_FN unsigned keys() const { return keys_; }

 private:
  /// Returns for how many visits the clocks suffice.
  HEDDLE_FN static float visits(float clocks, float of_visit) {
    return (clocks > 0 ? clocks : 0) / (of_visit > 1 ? of_visit : 1);
  }

  float least_;                    // visits per warp that sorting must save
  int pause_ = longest_pause / 3;  // rounds without a question, for one that was in vain
  int left_ = 0;                   // rounds left of a pause
  unsigned keys_ = 0;              // 0: the block does not sort
};

}  // namespace heddle::inline HEDDLE_ABI
