#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <type_traits>

#include <heddle/detail/utf_8.hpp>
#include <heddle/invalid_argument.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace draw::detail {

using namespace heddle::detail;

/// Joins strings and whole numbers, independently of the locale: streams may write separators into numbers.
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

/// Text that may stand between tags and in an attribute. A control character, which XML forbids, becomes a blank, and a
/// byte that is no UTF-8 becomes U+FFFD.
inline std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : utf_8(text)) {
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

/// "1.04" for 1.0351 with two decimals. Takes any finite number and 0 to 9 decimals.
inline std::string rounded(double value, int decimals) {
  long long scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  constexpr double whole = 0x1p53;  // from here on doubles are whole; below, so is every product
  if (std::abs(value) * static_cast<double>(scale) >= whole) {
    char digits[512];  // 309 before the point, 9 after it
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, decimals);
    return error == std::errc{} ? std::string(digits, end) : "";
  }
  const long long units = std::llround(value * static_cast<double>(scale)), size = units < 0 ? -units : units;
  markup text;
  text.add(units < 0 ? "-" : "", size / scale);
  if (decimals > 0) text.add(".", std::to_string(scale + size % scale).substr(1));
  return text.str();
}

/// The number of characters of a UTF-8 text: all bytes that do not continue one.
inline long long characters(const std::string& text) {
  long long count = 0;
  for (const char c : text) count += (c & 0xc0) != 0x80;
  return count;
}

/// The first tag of a picture, and its title. Screen readers read a picture with a title and pass over one without.
inline std::string open_svg(long long width, long long height, const std::string& title) {
  markup svg;
  svg.add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ", height, "\" width=\"", width,
          "\" height=\"", height, title.empty() ? "\" aria-hidden=\"true\">\n" : "\" role=\"img\">\n");
  if (!title.empty()) svg.add("<title>", escaped(title), "</title>\n");
  return svg.str();
}

}}}  // namespace heddle::HEDDLE_ABI::draw::detail
