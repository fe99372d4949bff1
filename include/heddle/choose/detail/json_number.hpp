#pragma once

#include <heddle/config.hpp>

#if !defined(__CUDACC_RTC__)
#include <charconv>
#include <string>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Returns a finite number as JSON, with as many digits as it takes to read the same number back.
template <class Number>
std::string json_number(Number number) {
  char digits[40];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif
