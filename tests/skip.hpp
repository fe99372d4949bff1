#pragma once

#include <cstdio>

namespace heddle_test {

inline int skips = 0;

/// Prints why a test case does not run here. The caller must return.
inline void skip(const char* reason) {
  std::printf("skipped: %s\n", reason);
  ++skips;
}

}  // namespace heddle_test
