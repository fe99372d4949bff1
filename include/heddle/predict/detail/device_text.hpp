#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <locale>
#include <sstream>
#include <string>

#include <heddle/predict/detail/device_members.hpp>

// A description of a device as JSON, an object of one level. Numbers are the same in every locale.

namespace heddle::inline HEDDLE_ABI::detail {

/// The version of the format, and the member that has it, which comes first.
constexpr int device_format = 1;
constexpr const char* device_format_name = "heddle_device";

/// Returns the double of a text, or nothing finite if the text is anything else.
inline double number_of(const std::string& text) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double value = 0;
  return in >> value && in.peek() == std::istringstream::traits_type::eof() ? value : NAN;
}

/// Returns the shortest text of a finite double that reads back as the same double.
inline std::string text_of(double value) {
  std::string text;
  for (int digits = 15; digits <= 17; ++digits) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(digits);
    out << value;
    text = out.str();
    if (number_of(text) == value) break;
  }
  return text;
}
inline std::string text_of(int value) {
  return std::to_string(value);
}
inline std::string text_of(long long value) {
  return std::to_string(value);
}
inline std::string text_of(const predict::device_name& name) {
  std::string text = "\"";
  for (const char* at = name.c_str(); *at != '\0'; ++at) {
    if (*at == '"' || *at == '\\') text += '\\';
    if (static_cast<unsigned char>(*at) >= 0x20) {
      text += *at;
    } else {
      text += std::string("\\u00") + (*at < 0x10 ? '0' : '1') + "0123456789abcdef"[*at % 16];
    }
  }
  return text + "\"";
}

inline std::string text_of(const predict::device& described) {
  std::string text = std::string("{\n  \"") + device_format_name + "\": " + std::to_string(device_format);
  for_each_member(described, [&](const char* name, const auto& value, limits) {
    text += std::string(",\n  \"") + name + "\": " + text_of(value);
  });
  return text + "\n}\n";
}

/// Reads a description. `error` says what is wrong, in words; what was read until then is of no use.
class device_reader {
 public:
  explicit device_reader(const std::string& text) : text_(text) { read(); }

  predict::device found{};
  std::string error;

 private:
  static constexpr int members = 18, required = 3;

  bool fail(const std::string& what) {
    if (error.empty()) error = "line " + std::to_string(line_) + ": " + what;
    return false;
  }

  char next() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      line_ += text_[at_++] == '\n';
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char expected) {
    if (next() != expected) return false;
    ++at_;
    return true;
  }

  void read() {
    std::string name;
    if (!take('{') || !read(name) || name != device_format_name) {
      fail("this is no description of a device");
      return;
    }
    int format = 0;
    if (!take(':') || !read(device_format_name, format, limits{1, 0x7fffffff})) {
      fail("the version of the format is missing");
      return;
    }
    if (format != device_format) {
      fail("the format has version " + std::to_string(format) + "; this heddle reads version " +
           std::to_string(device_format));
      return;
    }
    while (take(',')) {
      if (!read(name)) {
        fail("the name of a member is missing");
        return;
      }
      if (!take(':')) {
        fail("':' is missing after " + name);
        return;
      }
      if (!read_member(name)) return;
    }
    if (!take('}')) {
      fail("',' or '}' is missing: the text is damaged or ends early");
      return;
    }
    if (next() != '\0' || at_ < text_.size()) {
      fail("there is text after the last '}'");
      return;
    }
    int member = 0;
    for_each_member(found, [&](const char* of, const auto&, limits) {
      if (member < required && !seen_[member]) fail(std::string(of) + " is missing");
      ++member;
    });
  }

  bool read_member(const std::string& name) {
    int member = 0, which = -1;
    for_each_member(found, [&](const char* of, auto& value, limits allowed) {
      if (name == of && !seen_[member]) {
        which = member;
        read(of, value, allowed);
      } else if (name == of) {
        fail(name + " stands there twice");
      }
      ++member;
    });
    if (which < 0) return fail("a device has no member \"" + name + "\"");
    seen_[which] = true;
    return error.empty();
  }

  /// Reads a text between quotes.
  bool read(std::string& text) {
    text.clear();
    if (!take('"')) return false;
    while (at_ < text_.size() && text_[at_] != '"') {
      char letter = text_[at_++];
      if (static_cast<unsigned char>(letter) < 0x20) return false;
      if (letter == '\\') {
        if (at_ >= text_.size()) return false;
        letter = text_[at_++];
        if (letter == 'u') {
          unsigned code = 0;
          const char* const begin = text_.data() + at_;
          if (text_.size() - at_ < 4) return false;
          if (const auto [end, wrong] = std::from_chars(begin, begin + 4, code, 16);
              wrong != std::errc{} || end != begin + 4 || code == 0 || code >= 0x80) {
            return false;
          }
          at_ += 4;
          letter = static_cast<char>(code);
        } else if (letter != '"' && letter != '\\' && letter != '/') {
          return false;
        }
      }
      text += letter;
    }
    return take('"');
  }

  bool read(const char* of, predict::device_name& name, limits) {
    std::string text;
    if (!read(text)) return fail(std::string(of) + " is no text of printable characters between quotes");
    if (text.size() > predict::device_name::most) {
      return fail(std::string(of) + " has " + std::to_string(text.size()) + " bytes; it must have at most " +
                  std::to_string(predict::device_name::most));
    }
    name = text.c_str();
    return true;
  }

  /// Returns the letters of a number.
  std::string number() {
    next();
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string("+-.eE0123456789").find(text_[at_]) != std::string::npos) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool read(const char* of, long long& value, limits allowed) {
    const std::string digits = number();
    const char* const last = digits.data() + digits.size();
    const auto [end, wrong] = std::from_chars(digits.data(), last, value);
    if (digits.empty() || wrong != std::errc{} || end != last) {
      return fail(std::string(of) + " is no whole number that fits 64 bits: \"" + digits + "\"");
    }
    return is_allowed(of, digits, static_cast<double>(value), allowed);
  }

  bool read(const char* of, int& value, limits allowed) {
    long long wide = 0;
    if (!read(of, wide, allowed)) return false;
    value = static_cast<int>(wide);
    return true;
  }

  bool read(const char* of, double& value, limits allowed) {
    const std::string digits = number();
    value = number_of(digits);
    if (!std::isfinite(value)) return fail(std::string(of) + " is no finite number: \"" + digits + "\"");
    return is_allowed(of, digits, value, allowed);
  }

  bool is_allowed(const char* of, const std::string& digits, double value, limits allowed) {
    if (value >= allowed.least && value <= allowed.most) return true;
    const bool is_low = value < allowed.least;
    return fail(std::string(of) + " is " + digits + "; it must be at " + (is_low ? "least " : "most ") +
                text_of(is_low ? allowed.least : allowed.most));
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool seen_[members]{};
};

}  // namespace heddle::inline HEDDLE_ABI::detail
