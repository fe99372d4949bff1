#pragma once

#include <stdexcept>
#include <string>

// Include this after the simulator.

namespace heddle_test {

/// Runs a launch in the simulator, and returns what it throws: a check that failed, or a misuse; nothing if it ends.
template <class Kernel>
std::string said(simt::shape of, Kernel kernel) {
  try {
    simt::launch_together(of, kernel);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace heddle_test
