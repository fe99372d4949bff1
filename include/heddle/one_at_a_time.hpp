#pragma once

#include <heddle/concepts.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// A machine on which schedulers decide outside of a kernel: memory is plain, and every call of `draws` is whole before
/// the next worker's. A machine of your own derives from it, and has what differs.
///
/// **Example** (tests/schedule/interleavings.cpp):
///
///     struct counting : one_at_a_time {
///     …
///       template <class Word>
///       Word add(Word* word, Word value) const {
struct one_at_a_time {
  unsigned multiprocessor, count, number = 0;  // of this worker, of how many, and which one it is
  unsigned* begun = nullptr;                   // how many workers have begun; others can be taken over

  /// Returns the number of this worker.
  HEDDLE_FN unsigned worker() const { return number; }
  /// Returns how many workers there are.
  HEDDLE_FN unsigned workers() const { return count; }
  /// Returns 0: a worker is one block.
  HEDDLE_FN unsigned rank() const { return 0; }
  /// Returns the number of the multiprocessor.
  HEDDLE_FN unsigned sm() const { return multiprocessor; }
  /// Returns the number of the launch.
  HEDDLE_FN unsigned launch() const { return 1; }

  /// Stores a value, and returns the one before.
  template <class Word>
  HEDDLE_FN Word exchange(Word* word, Word value) const {
    const Word before = *word;
    *word = value;
    return before;
  }
  /// Adds a value, and returns what was there before.
  template <class Word>
  HEDDLE_FN Word add(Word* word, Word value) const {
    return exchange(word, static_cast<Word>(*word + value));
  }
  /// Sets bits, and returns what was there before.
  template <class Word>
  HEDDLE_FN Word bit_or(Word* word, Word value) const {
    return exchange(word, static_cast<Word>(*word | value));
  }
  /// Returns a word.
  template <class Word>
  HEDDLE_FN Word load(const Word* word) const {
    return *word;
  }
  /// Stores a word.
  template <class Word>
  HEDDLE_FN void store(Word* word, Word value) const {
    *word = value;
  }
  /// Does nothing: accesses are in order.
  HEDDLE_FN void fence() const {}
  /// Does nothing.
  HEDDLE_FN void pause() const {}

  /// Does nothing.
  HEDDLE_FN void begin_canceling(auto&) const {}
  /// Takes over the next worker that has not begun, if there is one.
  HEDDLE_FN void ask_to_cancel(auto& shared) const {
    shared.answer[0] = begun != nullptr && *begun < count ? ++*begun : 0;
  }
  /// Does nothing: the answer is here.
  HEDDLE_FN void wait_for_answer(auto&, unsigned) const {}
  /// Returns the worker that was taken over, or `none`.
  HEDDLE_FN unsigned canceled(auto& shared, unsigned none) const {
    return shared.answer[0] == 0 ? none : static_cast<unsigned>(shared.answer[0] - 1);
  }
};

static_assert(drawing_machine<one_at_a_time>);

}}  // namespace heddle::HEDDLE_ABI
