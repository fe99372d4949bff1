#pragma once

#include <heddle/config.hpp>

#if !defined(__CUDACC_RTC__)
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Returns a text as JSON, in quotes.
inline std::string json_text(std::string_view text) {
  std::string all = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      all += '\\';
      all += letter;
    } else if (letter == '\n') {
      all += "\\n";
    } else if (code < 0x20) {
      const char* const digits = "0123456789abcdef";
      all += "\\u00";
      all += digits[code / 16];
      all += digits[code % 16];
    } else {
      all += letter;
    }
  }
  return all += '"';
}

/// A value of JSON. `find` finds the first of two members of one name.
struct json {
  enum class kind { word, number, text, array, object };

  kind is = kind::word;
  std::string text;                // of a text, without quotes; of a number or a word, its letters
  std::vector<std::string> names;  // of the members of an object
  std::vector<json> items;         // of an array; the members of an object
  int line = 1;                    // where it begins

  /// Returns the member of this name, of this kind, or null.
  const json* find(std::string_view name, kind wanted) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return items[i].is == wanted ? &items[i] : nullptr;
    }
    return nullptr;
  }
};

/// Reads one value of JSON, as RFC 8259 has it. Deeper nesting than any file of heddle has is an error, so that no text
/// overflows the stack.
class json_reader {
 public:
  explicit json_reader(std::string_view text) : text_(text) {}

  /// Returns the value that is the whole text, or nothing.
  std::optional<json> read() {
    json value = any(0);
    skip_blanks();
    if (at_ != text_.size()) wrong("there is text after the end");
    if (is_wrong()) return {};
    return value;
  }

  /// Returns what is wrong with the text; `line` is the line of it.
  const char* why() const { return why_; }
  int line() const { return line_; }

 private:
  static constexpr int deepest = 16;

  json wrong(const char* why) {
    if (!is_wrong()) why_ = why;
    return {};
  }
  bool is_wrong() const { return why_ != nullptr; }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool is_at(char letter) {
    if (at_ >= text_.size() || text_[at_] != letter) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
      line_ += text_[at_++] == '\n';
    }
  }

  json any(int depth) {
    skip_blanks();
    if (depth > deepest) return wrong("it is nested too deeply");
    if (is_at('{')) return list('}', json::kind::object, depth);
    if (is_at('[')) return list(']', json::kind::array, depth);
    if (next() == '"') return {json::kind::text, string(), {}, {}, line_};
    for (const std::string_view word : {"true", "false", "null"}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return {json::kind::word, std::string(word), {}, {}, line_};
    }
    return number();
  }

  json list(char end, json::kind is, int depth) {
    json all{is, {}, {}, {}, line_};
    skip_blanks();
    if (is_at(end)) return all;
    do {
      if (is == json::kind::object) {
        skip_blanks();
        all.names.push_back(string());
        skip_blanks();
        if (!is_at(':')) return wrong("':' is missing after a name");
      }
      all.items.push_back(any(depth + 1));
      skip_blanks();
    } while (!is_wrong() && is_at(','));
    return is_at(end) && !is_wrong() ? all : wrong("',' or an end is missing: the text is damaged or ends early");
  }

  json number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      const std::size_t first = at_;
      while (next() >= '0' && next() <= '9') ++at_;
      return at_ > first;
    };
    is_at('-');
    const bool is_zero = next() == '0';
    const std::size_t first = at_;
    bool is_right = digits() && (!is_zero || at_ == first + 1);
    if (is_at('.')) is_right = digits() && is_right;
    if (is_at('e') || is_at('E')) {
      if (!is_at('+')) is_at('-');
      is_right = digits() && is_right;
    }
    if (!is_right) return wrong("a value is missing, or is none of JSON");
    return {json::kind::number, std::string(text_.substr(begin, at_ - begin)), {}, {}, line_};
  }

  std::string string() {
    std::string all;
    if (!is_at('"')) wrong("a name between quotes is missing");
    while (!is_wrong() && !is_at('"')) {
      const char letter = next();
      if (at_ >= text_.size() || static_cast<unsigned char>(letter) < 0x20) {
        wrong("a text has no end in its line, or a control character");
      } else if (letter == '\\') {
        ++at_;
        all += escaped();
      } else {
        all += letter;
        ++at_;
      }
    }
    return all;
  }

  /// Reads what follows a backslash.
  std::string escaped() {
    const char letter = next();
    ++at_;
    const std::size_t plain = std::string_view("\"\\/bfnrt").find(letter);
    if (plain != std::string_view::npos) return {"\"\\/\b\f\n\r\t"[plain]};
    unsigned code = letter == 'u' ? four_digits() : not_hexadecimal;
    if (code >= 0xd800 && code < 0xdc00) {  // the first half of a pair
      const bool has_second = is_at('\\') && is_at('u');
      const unsigned second = has_second ? four_digits() : 0;
      code =
          second >= 0xdc00 && second < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00) : not_hexadecimal;
    } else if (code >= 0xdc00 && code < 0xe000) {
      code = not_hexadecimal;
    }
    if (code == not_hexadecimal) wrong("an escape in a text is none of JSON");
    return is_wrong() ? "" : utf_8(code);
  }

  static constexpr unsigned not_hexadecimal = ~0u;

  unsigned four_digits() {
    unsigned code = 0;
    if (at_ + 4 > text_.size()) return not_hexadecimal;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
    if (error != std::errc{} || end != text_.data() + at_ + 4) return not_hexadecimal;
    at_ += 4;
    return code;
  }

  static std::string utf_8(unsigned code) {
    const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) return {static_cast<char>(code)};
    if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
    if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
    return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  const char* why_ = nullptr;
};

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif
