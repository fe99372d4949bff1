#pragma once

#include <cstdio>
#include <string>

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns a value with at least `digits` behind the point, and with as many as tell it from another: a message never
/// says that 80 % is less than 80 %.
inline std::string number_text(double value, double other, int digits) {
  char text[48], of_other[48];
  do {
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    std::snprintf(of_other, sizeof of_other, "%.*f", digits, other);
  } while (value != other && std::string(text) == of_other && ++digits < 16);
  return text;
}

/// Returns "1.05 GB": three digits or more, in the largest unit that leaves one before the point.
inline std::string in_units(double value, double other, const char* const (&units)[5]) {
  int unit = 0;
  for (; value >= 999.5 && unit < 4; ++unit) value /= 1000, other /= 1000;
  const int digits = value >= 99.95 || unit == 0 ? 0 : value >= 9.995 ? 1 : 2;
  return number_text(value, other, digits) + " " + units[unit];
}
/// Returns bytes as a text that differs from that of `other` bytes.
inline std::string bytes_text(double bytes, double other) {
  return in_units(bytes, other, {"B", "kB", "MB", "GB", "TB"});
}
/// Returns a time as a text that differs from that of `other` seconds.
inline std::string time_text(double seconds, double other) {
  return in_units(seconds * 1e9, other * 1e9, {"ns", "µs", "ms", "s", "ks"});
}
/// Returns "12.5 %": a limit with all its digits.
inline std::string percent_text(double limit) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g %%", 100 * limit);
  return text;
}
/// Returns a share as a text that differs from that of a limit.
inline std::string percent_text(double share, double limit) {
  return share == limit ? percent_text(limit) : number_text(100 * share, 100 * limit, 0) + " %";
}

/// Returns a sentence on how sure bytes are; nothing if they are exact.
inline std::string sample_text(double error) {
  if (error == 0) return "";
  return " The bytes are those of a sample of the tiles, scaled up to all; their standard error is " +
         number_text(100 * error, 0, 1) + " %.";
}

}  // namespace heddle::inline HEDDLE_ABI::detail
