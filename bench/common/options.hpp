#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "../../examples/common/command_line.hpp"

namespace heddle_bench {

using namespace command_line;

/// Has an exception that nothing catches printed, and the program end with 1.
inline const auto usual_end = std::set_terminate([] {
  const int status = caught([]() -> int { throw; });
  std::fflush(nullptr);
  std::_Exit(status);
});

}  // namespace heddle_bench
