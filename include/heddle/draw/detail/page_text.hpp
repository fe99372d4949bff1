#pragma once

#include <string>

#include <heddle/draw/detail/markup.hpp>

namespace heddle::inline HEDDLE_ABI::draw::detail {

/// Text with what is between two backquotes as code. A single backquote is left as it is.
inline std::string prose(const std::string& text) {
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t begin = text.find('`', at), end = begin < text.size() ? text.find('`', begin + 1) : begin;
    if (end == std::string::npos) return result + escaped(text.substr(at));
    result +=
        escaped(text.substr(at, begin - at)) + "<code>" + escaped(text.substr(begin + 1, end - begin - 1)) + "</code>";
    at = end + 1;
  }
}

/// "launch-boxes" for "Launch boxes". Not empty; whatever is no letter and no digit of ASCII becomes a hyphen.
inline std::string name_of_anchor(const std::string& heading) {
  std::string name;
  for (const char c : heading) {
    const bool is_upper = 'A' <= c && c <= 'Z';
    const bool is_plain = ('a' <= c && c <= 'z') || ('0' <= c && c <= '9');
    name += is_upper ? static_cast<char>(c - 'A' + 'a') : is_plain ? c : '-';
  }
  return name.empty() ? "section" : name;
}

/// "38.2" for 1.67 of 4.37. Written without a locale.
inline std::string percent_of(double value, double most) {
  return rounded(most > 0 ? value / most * 100 : 0, 1);
}

/// A row that stands out: one of `rows`, or -1 for none.
inline void require_marked(int marked, long long rows) {
  require_at_least(-1, "heddle::draw::page: marked row", marked);
  require_at_most(rows - 1, "heddle::draw::page: marked row", marked);
}

}  // namespace heddle::inline HEDDLE_ABI::draw::detail
