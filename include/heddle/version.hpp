#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// The version as one number to compare, MMmmpp: major, minor and patch, two digits each.
inline constexpr int version = 300;
/// The version as text.
inline constexpr char version_string[] = "0.3.0";

}}  // namespace heddle::HEDDLE_ABI
