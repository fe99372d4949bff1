#pragma once

#include <cstdio>
#include <string>

// Counts of checks.

namespace {

int passed = 0, failed = 0;

void expect(bool holds, const std::string& what) {
  ++(holds ? passed : failed);
  if (!holds) std::printf("FAILED: %s\n", what.c_str());
}

}  // namespace
