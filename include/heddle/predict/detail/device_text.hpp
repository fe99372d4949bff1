#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include <heddle/detail/json.hpp>
#include <heddle/predict/device.hpp>

// A description of a device as JSON, an object of one level. Numbers are the same in every locale.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

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
  for (int digits = 15;; ++digits) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
    if (digits == 17 || number_of({text, end.ptr}) == value) return {text, end.ptr};
  }
}
inline std::string text_of(std::integral auto value) {
  return std::to_string(value);
}
inline std::string text_of(const predict::device_name& name) {
  return json_text(name.c_str());
}

inline std::string text_of(const predict::device& described) {
  std::string text;
  const auto add = [&](const char* before, const char* name, const std::string& value) {
    text.append(before).append("\n  \"").append(name).append("\": ").append(value);
  };
  add("{", device_format_name, std::to_string(device_format));
  for_each_member(described, [&](const char* name, const auto& value, limits) { add(",", name, text_of(value)); });
  return text.append("\n}\n");
}

/// Reads a description. `error` says what is wrong, in words; what was read until then is of no use.
class device_reader {
 public:
  explicit device_reader(std::string_view text) {
    json_reader reader(text);
    if (const std::optional<json> all = reader.read()) {
      read(*all);
    } else {
      fail(reader.line(), std::string("this is no JSON: ") + reader.why());
    }
  }

  predict::device found{};
  std::string error;

 private:
  static constexpr int required = 3;

  void fail(int line, const std::string& what) {
    if (error.empty()) error = "line " + std::to_string(line) + ": " + what;
  }

  void read(const json& all) {
    if (all.is != json::kind::object || all.names.empty() || all.names[0] != device_format_name) {
      return fail(all.line, "this is no description of a device");
    }
    int format = 0;
    read(device_format_name, all.items[0], format, limits{1, 0x7fffffff});
    if (error.empty() && format != device_format) {
      fail(all.items[0].line, "the format has version " + std::to_string(format) + "; this heddle reads version " +
                                  std::to_string(device_format));
    }
    for (std::size_t i = 1; i < all.names.size() && error.empty(); ++i) read_member(all, i);
    int member = 0;
    for_each_member(found, [&](const char* of, const auto&, limits) {
      const bool is_there = std::find(all.names.begin(), all.names.end(), of) != all.names.end();
      if (member++ < required && !is_there) fail(all.line, std::string(of) + " is missing");
    });
  }

  void read_member(const json& all, std::size_t i) {
    const std::string& name = all.names[i];
    const json& item = all.items[i];
    const auto here = all.names.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(all.names.begin(), here, name) != here) return fail(item.line, name + " stands there twice");
    bool is_member = false;
    for_each_member(found, [&](const char* of, auto& value, limits allowed) {
      if (name != of) return;
      is_member = true;
      read(of, item, value, allowed);
    });
    if (!is_member) fail(item.line, "a device has no member \"" + name + "\"");
  }

  void read(const char* of, const json& item, predict::device_name& name, limits) {
    const std::string& text = item.text;
    if (item.is != json::kind::text || text.find('\0') != std::string::npos) {
      fail(item.line, std::string(of) + " is no text between quotes, or has a zero");
    } else if (text.size() > predict::device_name::most) {
      fail(item.line, std::string(of) + " has " + std::to_string(text.size()) + " bytes; it must have at most " +
                          std::to_string(predict::device_name::most));
    } else {
      name = text.c_str();
    }
  }

  template <class Number>
  void read(const char* of, const json& item, Number& value, limits allowed) {
    double number = NAN;
    if constexpr (std::floating_point<Number>) {
      if (item.is == json::kind::number) number = number_of(item.text);
      if (!std::isfinite(number)) {
        return fail(item.line, std::string(of) + " is no finite number: \"" + item.text + "\"");
      }
      value = number;
    } else {
      long long whole = 0;
      const char* const last = item.text.data() + item.text.size();
      const auto [end, wrong] = std::from_chars(item.text.data(), last, whole);
      if (item.is != json::kind::number || wrong != std::errc{} || end != last) {
        return fail(item.line, std::string(of) + " is no whole number that fits 64 bits: \"" + item.text + "\"");
      }
      number = static_cast<double>(whole);
      value = static_cast<Number>(whole);
    }
    if (allowed.have(number)) return;
    const bool is_high = number > allowed.most, is_fraction = !is_high && number > allowed.least;
    fail(item.line, std::string(of) + " is " + item.text + "; it must be " +
                        (is_high       ? "at most " + text_of(allowed.most)
                         : is_fraction ? "0 or at least 1"
                                       : "at least " + text_of(allowed.least)));
  }
};

}}}  // namespace heddle::HEDDLE_ABI::detail
