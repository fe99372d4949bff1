#pragma once

#include <heddle/invalid_argument.hpp>

#include "test.hpp"

namespace heddle_test {

/// Returns the text of the invalid_argument that `build` throws.
template <class Build>
std::string refusal(Build build) {
  try {
    build();
  } catch (const std::exception& error) {
    REQUIRE(dynamic_cast<const heddle::invalid_argument*>(&error) != nullptr);
    return error.what();
  }
  return "not refused";
}

}  // namespace heddle_test
