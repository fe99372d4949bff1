#pragma once

// What tests that run schedulers on the host begin with. Include simt.hpp first.

#include <vector>

namespace heddle_test {

/// Returns a number from `least` to `most`, by the seed of the run.
inline unsigned drawn(unsigned least, unsigned most) {
  return least + static_cast<unsigned>(simt::random() % (most - least + 1));
}

/// A state, zeroed once.
struct zeroed {
  std::vector<unsigned long long> words = std::vector<unsigned long long>(2048);
  void* data() { return words.data(); }
};

}  // namespace heddle_test
