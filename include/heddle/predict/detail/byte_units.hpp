#pragma once

#include <cstdio>
#include <string>

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// "1.05 GB", to three digits.
inline std::string in_units(double value, const char* const (&units)[5]) {
  int unit = 0;
  for (; value >= 999.5 && unit < 4; ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s",
                value >= 99.95 || unit == 0 ? 0
                : value >= 9.995            ? 1
                                            : 2,
                value, units[unit]);
  return text;
}
inline std::string bytes_text(double bytes) {
  return in_units(bytes, {"B", "kB", "MB", "GB", "TB"});
}
inline std::string time_text(double seconds) {
  return in_units(seconds * 1e9, {"ns", "µs", "ms", "s", "ks"});
}
inline std::string percent_text(double share) {
  return std::to_string(static_cast<int>(100 * share + 0.5)) + " %";
}

}  // namespace heddle::inline HEDDLE_ABI::detail
