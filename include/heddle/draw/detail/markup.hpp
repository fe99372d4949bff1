#pragma once

#include <string>
#include <type_traits>

#include <heddle/invalid_argument.hpp>

namespace heddle::inline v0::draw::detail {

using namespace heddle::detail;

/// Text out of strings and whole numbers: a locale may write fractions with a comma, or thousands apart.
class markup {
 public:
  template <class... Parts>
  markup& add(const Parts&... parts) {
    (append(parts), ...);
    return *this;
  }

  const std::string& str() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  template <class Part>
  void append(const Part& part) {
    if constexpr (std::is_integral_v<Part>) {
      text_.append(std::to_string(part));
    } else {
      text_.append(part);
    }
  }

  std::string text_;
};

/// "13.5" for 27.
inline std::string half(long long n) {
  return std::to_string(n / 2) + (n % 2 != 0 ? ".5" : "");
}

/// Text that can stand between tags and in an attribute. XML has no place at all for control characters.
inline std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result.append("&amp;");
        break;
      case '<':
        result.append("&lt;");
        break;
      case '>':
        result.append("&gt;");
        break;
      case '"':
        result.append("&quot;");
        break;
      default:
        result.push_back(static_cast<unsigned char>(c) < ' ' ? ' ' : c);
    }
  }
  return result;
}

}  // namespace heddle::inline v0::draw::detail
