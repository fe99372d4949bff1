#pragma once

#include <cctype>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle_test {

/// A value of JSON, read as strictly as RFC 8259 has it. Damage throws an exception.
struct json {
  enum class kind { null, boolean, number, text, array, object } is = kind::null;
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<json> array;
  std::map<std::string, json> object;

  bool has(const std::string& key) const { return is == kind::object && object.count(key) != 0; }
  const json& operator[](const std::string& key) const { return object.at(key); }
};

class json_reader {
 public:
  explicit json_reader(const std::string& all) : all_(all) {}

  json read() {
    json value = next();
    blank();
    if (at_ != all_.size()) fail("more than one value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at byte " + std::to_string(at_));
  }

  void blank() {
    while (at_ < all_.size() && std::string(" \t\r\n").find(all_[at_]) != std::string::npos) ++at_;
  }

  char peek() {
    blank();
    if (at_ == all_.size()) fail("an early end");
    return all_[at_];
  }

  void expect(char letter) {
    if (peek() != letter) fail(std::string("no ") + letter);
    ++at_;
  }

  bool take(const std::string& word) {
    if (all_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }

  json next() {
    json value;
    switch (peek()) {
      case '{':
        value.is = json::kind::object;
        members(
            [&] {
              const std::string key = text();
              expect(':');
              if (!value.object.emplace(key, next()).second) fail("a key twice");
            },
            '}');
        break;
      case '[':
        value.is = json::kind::array;
        members([&] { value.array.push_back(next()); }, ']');
        break;
      case '"':
        value.is = json::kind::text;
        value.text = text();
        break;
      default:
        if (take("true") || take("false")) {
          value.is = json::kind::boolean;
          value.boolean = all_[at_ - 2] == 'u';
        } else if (!take("null")) {
          value.is = json::kind::number;
          value.number = number();
        }
    }
    return value;
  }

  template <class Member>
  void members(Member member, char end) {
    ++at_;
    if (peek() == end) {
      ++at_;
      return;
    }
    for (;;) {
      peek();
      member();
      if (peek() == end) break;
      expect(',');
    }
    ++at_;
  }

  std::string text() {
    expect('"');
    std::string result;
    for (; at_ < all_.size() && all_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(all_[at_]) < ' ') fail("a control character");
      if (all_[at_] == '\\') {
        ++at_;
        if (all_.compare(at_, 3, "u00") == 0 && at_ + 4 < all_.size()) {
          result += static_cast<char>(std::stoi(all_.substr(at_ + 1, 4), nullptr, 16));
          at_ += 4;
          continue;
        }
        if (at_ == all_.size() || std::string("\"\\/bfnrt").find(all_[at_]) == std::string::npos) fail("an escape");
      }
      result += all_[at_];
    }
    expect('"');
    return result;
  }

  double number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      if (at_ == all_.size() || std::isdigit(static_cast<unsigned char>(all_[at_])) == 0) fail("no digit");
      while (at_ < all_.size() && std::isdigit(static_cast<unsigned char>(all_[at_])) != 0) ++at_;
    };
    if (all_[at_] == '-') ++at_;
    const bool leading_zero = at_ < all_.size() && all_[at_] == '0';
    const std::size_t whole = at_;
    digits();
    if (leading_zero && at_ > whole + 1) fail("a leading zero");
    if (at_ < all_.size() && all_[at_] == '.') {
      ++at_;
      digits();
    }
    if (at_ < all_.size() && (all_[at_] == 'e' || all_[at_] == 'E')) {
      ++at_;
      if (at_ < all_.size() && (all_[at_] == '-' || all_[at_] == '+')) ++at_;
      digits();
    }
    return std::strtod(all_.substr(begin, at_ - begin).c_str(), nullptr);
  }

  const std::string& all_;
  std::size_t at_ = 0;
};

}  // namespace heddle_test
