#pragma once

#include <utility>

namespace heddle_test {

/// A machine whose workers access memory one after another, for `draws` and seats.
struct one_at_a_time {
  unsigned multiprocessor, count, number = 0;

  unsigned worker() const { return number; }
  unsigned sm() const { return multiprocessor; }
  unsigned workers() const { return count; }
  unsigned launch() const { return 1; }
  template <class Word>
  Word add(Word* word, Word value) const {
    return std::exchange(*word, *word + value);
  }
  template <class Word>
  Word exchange(Word* word, Word value) const {
    return std::exchange(*word, value);
  }
  template <class Word>
  Word bit_or(Word* word, Word value) const {
    return std::exchange(*word, *word | value);
  }
  template <class Word>
  Word load(const Word* word) const {
    return *word;
  }
  template <class Word>
  void store(Word* word, Word value) const {
    *word = value;
  }
  void fence() const {}
};

}  // namespace heddle_test
