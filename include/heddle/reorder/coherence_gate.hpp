#pragma once

#include <heddle/reorder/coherence.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Decides, round by round, whether a block asks how its keys are spread, and whether it sorts its threads. So a loop
/// need not be measured first: where sorting does not pay, it is hardly slower than without.
///
///   round       0    1  2  3  4    5  6  7  8  9    10     11        12              a question takes 1/16 of a visit
///   keys        together              mixed                together
///   the gate    no   pause         no pause         sorts  no        no
///
/// The numbers are an example. Each thread has a gate of its own, built on the host or in the kernel. Those of a block
/// stay equal, since `block_reorder::rank_if` gives the same answers to all threads.
///
/// **Pauses**: the rounds of a pause are an inner loop, without a barrier or any instruction of the gate. A question in
/// vain begins one, so long that questions take at most 1/64 of the clocks of one visit per round: 1 + 64 *
/// `of_question` / clocks rounds at most, and 21; three times as many where the cheap question did not suffice. While
/// sorting pays there is no pause: the barrier of the ranks counts the visits. So keys that change are noticed at once
/// by a block that sorts, and by another block after its pause.
/// **Cost**: four values per thread, two of which change.
/// **Example** (examples/05_reorder/after.cu):
///
///     heddle::coherence_gate gate = reorder::gate(200, exchange::words);
///     …
///     for (unsigned bounce = 0;;) {
///       for (const unsigned end = gate.until(bounce, 8); bounce < end; ++bounce) mine = bounced(mine);
///       if (bounce == 8) break;
///       const auto [pays, rank, active] = by_material.rank_if(gate, mine.material);
///       if (pays) mine = exchange(states).to(mine, rank);
///     }
class coherence_gate {
 public:
  /// The most rounds of a pause.
  static constexpr unsigned longest_pause = 63;

  /// A gate for a loop in which a visit to a key takes `clocks_of_visit`, at least 1, and an exchange moves `words`
  /// words per thread. If sorting does not pay even in the `best` case that a block can be in, the gate begins with the
  /// longest pause. `block_reorder::gate` knows that case.
  HEDDLE_FN coherence_gate(float clocks_of_visit, unsigned words, const coherence::cost& of, const coherence& best) {
    const float visit = clocks_of_visit > 1 ? clocks_of_visit : 1;
    const float sorted = of.sorted(words), asked = of.of_question;
    worth_ = visit / (sorted > 1e-6f ? sorted : 1e-6f);  // no division by 0
    const float rounds = 1.999f + 64 * (asked > 0 ? asked : 0) / visit;
    if (!pays(best)) {
      left_ = longest_pause;
    } else if (rounds < static_cast<float>(period_)) {
      period_ = static_cast<unsigned>(rounds);
    }
  }

  /// Returns the round before which `rank_if` comes next, in a loop that is at `round` and has `end` rounds: the next
  /// one if the block sorts, or the one after a pause; at first `round` itself. `end` is at most 2^32 - 64.
  HEDDLE_FN unsigned until(unsigned round, unsigned end) {
    const unsigned next = round + left_ < end ? round + left_ : end;
    left_ -= next - round;
    return next;
  }

  /// Returns whether sorting pays for a block with such keys.
  HEDDLE_FN bool pays(const coherence& how) const {
    const auto saved = static_cast<int>(how.visits - how.sorted_visits());
    return static_cast<float>(saved) * worth_ > static_cast<float>(how.warps());
  }
  /// Notes whether the block sorts, and how many keys it has. If not, a pause begins for each of the `questions` that
  /// were in vain, one to three; after a round that was sorted there were none.
  HEDDLE_FN void note(bool sorts, unsigned keys, unsigned questions) {
    keys_ = sorts ? keys : 0;
    left_ = sorts ? 1 : 1 + questions * (period_ - 1);
  }

  /// Returns whether the block sorts.
  HEDDLE_FN bool is_sorting() const { return keys_ != 0; }
  /// Returns the number of keys that the block had when it began to sort.
  HEDDLE_FN unsigned keys() const { return keys_; }

 private:
  float worth_;                              // of a visit that is saved, in ranks and exchanges of a warp
  unsigned period_ = 1 + longest_pause / 3;  // rounds from a question in vain to the next
  unsigned left_ = 0;                        // rounds before the next `rank_if`
  unsigned keys_ = 0;                        // 0: the block does not sort
};

}}  // namespace heddle::HEDDLE_ABI
