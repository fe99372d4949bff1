#pragma once

#include <heddle/config.hpp>

#if !defined(__CUDACC_RTC__)
#include <cstddef>
#include <string>
#include <string_view>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Returns the bytes of the character of UTF-8 that a text begins with, or 0 if it begins with none that XML allows.
inline std::size_t size_of_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc0 || first > 0xf4 || text.size() < size) return 0;
  unsigned code = first & 0x7fu >> size;
  for (std::size_t i = 1; i < size; ++i) {
    if ((text[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (text[i] & 0x3f);
  }
  constexpr unsigned least[] = {0x80, 0x800, 0x10000};  // by size: smaller codes have shorter forms
  const bool is_half = code >= 0xd800 && code < 0xe000, is_none = code == 0xfffe || code == 0xffff;
  return code >= least[size - 2] && code < 0x110000 && !is_half && !is_none ? size : 0;
}

/// Returns a text with U+FFFD in place of each byte that is no part of a character: UTF-8 whatever it is given.
inline std::string utf_8(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const std::size_t size = size_of_character(text);
    all.append(size == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, size));
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return all;
}

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif
