#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Names a side of a diagonal.
enum class side {
  lower,  // the tiles on the diagonal and below it
  upper   // the tiles on the diagonal and above it
};

}}  // namespace heddle::HEDDLE_ABI
