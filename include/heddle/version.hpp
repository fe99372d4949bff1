#pragma once

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI {

/// MMmmpp: major, minor and patch, two digits each, as one number to compare.
inline constexpr int version = 100;
inline constexpr char version_string[] = "0.1.0";

}  // namespace heddle::inline HEDDLE_ABI
