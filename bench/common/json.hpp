#pragma once

#include <cerrno>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <heddle/detail/json.hpp>

#include "options.hpp"

// Writes figures as JSON: an object with a context and lists, with one row per line.

namespace heddle_bench {

/// An object on one line: {"kernel": "128x256", "ms": 1.250}
class json_object {
 public:
  json_object() = default;
  /// Takes an object as it was written.
  explicit json_object(const std::string& text) : members_(text.substr(1, text.size() - 2)) {}

  json_object& add(const std::string& name, const std::string& value) { return add_text(name, quoted(value)); }
  json_object& add(const std::string& name, const char* value) { return add_text(name, quoted(value)); }
  json_object& add(const std::string& name, const json_object& value) { return add_text(name, value.text()); }

  template <std::integral Value>
  json_object& add(const std::string& name, Value value) {
    if constexpr (std::same_as<Value, bool>) return add_text(name, value ? "true" : "false");
    return add_text(name, std::to_string(value));
  }

  json_object& add(const std::string& name, double value, int decimals) {
    return add_text(name, rounded(value, decimals));
  }

  template <std::floating_point Value>
  json_object& add(const std::string& name, const std::vector<Value>& list, int decimals) {
    std::string all;
    for (const Value each : list) all += (all.empty() ? "" : ", ") + rounded(static_cast<double>(each), decimals);
    return add_text(name, "[" + all + "]");
  }

  /// The members, without the braces.
  const std::string& members() const { return members_; }
  std::string text() const { return "{" + members_ + "}"; }

 private:
  json_object& add_text(const std::string& name, const std::string& value) {
    members_ += (members_.empty() ? "" : ", ") + quoted(name) + ": " + value;
    return *this;
  }

  static std::string quoted(const std::string& words) { return heddle::detail::json_text(words); }

  static std::string rounded(double value, int decimals) {
    char words[64];
    std::snprintf(words, sizeof words, "%.*f", decimals, value);
    return words;
  }

  std::string members_;
};

/// Writes the file of --json. The file is opened before anything is measured, and written while figures are measured.
/// Without a name nothing is written.
class json_file {
 public:
  json_file(const std::string& name, const json_object& context) : name_(name) {
    if (name.empty()) return;
    file_ = std::fopen(name.c_str(), "w");
    if (file_ == nullptr) refuse("--json: '" + name + "' cannot be written: " + std::strerror(errno));
    begin("{", "}");
    add_members(json_object().add("context", context));
  }
  json_file(const json_file&) = delete;
  ~json_file() {
    if (file_ != nullptr) std::fclose(file_);
  }

  /// Adds a line with the members of `some` to the object that was begun last.
  void add_members(const json_object& some) { add_line(some.members()); }

  /// Adds a line with an element to the list that was begun last.
  void add(const json_object& element) { add_line(element.text()); }

  void begin_list(const std::string& name) { begin("\"" + name + "\": [", "]"); }
  void begin_object() { begin("{", "}"); }

  /// Ends the list or the object that was begun last.
  void end() {
    if (file_ == nullptr) return;
    const std::string bracket = brackets_.back();
    brackets_.pop_back();
    is_first_ = false;
    std::fprintf(file_, "\n%s%s", indentation().c_str(), bracket.c_str());
  }

  /// Ends every list and object that was begun. A file that could not be written in full ends the program with 1.
  void finish() {
    if (file_ == nullptr) return;
    while (!brackets_.empty()) end();
    std::fputc('\n', file_);
    const bool failed = std::ferror(file_) != 0, closed = std::fclose(file_) == 0;
    file_ = nullptr;
    if (!failed && closed) return;
    std::fprintf(stderr, "%s: %s could not be written\n", program_invocation_short_name, name_.c_str());
    std::exit(1);
  }

 private:
  std::string indentation() const { return std::string(2 * brackets_.size(), ' '); }

  void add_line(const std::string& text) {
    if (file_ == nullptr) return;
    const char* const separator = brackets_.empty() ? "" : is_first_ ? "\n" : ",\n";
    std::fprintf(file_, "%s%s%s", separator, indentation().c_str(), text.c_str());
    is_first_ = false;
  }

  void begin(const std::string& text, const char* bracket) {
    add_line(text);
    brackets_.push_back(bracket);
    is_first_ = true;
  }

  std::string name_;
  std::FILE* file_ = nullptr;
  std::vector<const char*> brackets_;  // those that close what was begun
  bool is_first_ = true;               // the next line is the first in its list or object
};

}  // namespace heddle_bench
