#pragma once

#include <heddle/foreign.hpp>

#include <cstdio>

/// Counts launches and those that break a law, and prints the first of these.
struct tally {
  const char* what;
  int launches = 0, wrong = 0;
  long long tiles = 0;

  void add(const heddle::laws::taken_report& found, int rows, int cols) {
    ++launches, tiles += found.tiles;
    if (!found && wrong++ == 0) std::printf("%s, %d x %d: %s\n", what, rows, cols, found.failure.c_str());
  }
  ~tally() { std::printf("%s: %d of %d launches wrong, %lld tiles\n", what, wrong, launches, tiles); }
};

inline int any(int least, int most) {
  return least + int(simt::random() % unsigned(most - least + 1));
}
