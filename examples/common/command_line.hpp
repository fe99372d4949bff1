#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

/// Parses the arguments of a program. A wrong argument ends the program, with the reason and the usage.
struct command_line {
  const char *program, *usage;

  struct option {
    std::string name, value;
  };

  using names = std::vector<std::string>;

  /// Returns the options in order: those in `with_value` with their values, those in `alone` without. An argument that
  /// does not begin with - is a value without a name. --help prints the usage and ends the program.
  std::vector<option> options(int count, char** arguments, const names& with_value, const names& alone = {}) const {
    std::vector<option> all;
    for (int i = 1; i < count; ++i) {
      const std::string argument = arguments[i];
      if (argument == "--help") {
        std::fputs(usage, stdout);
        std::exit(0);
      }
      if (argument.empty() || argument[0] != '-') {
        all.push_back({"", argument});
      } else if (is_in(alone, argument)) {
        all.push_back({argument, ""});
      } else {
        if (!is_in(with_value, argument)) refuse("unknown option '" + argument + "'");
        if (++i == count) refuse(argument + ": its value is missing");
        all.push_back({argument, arguments[i]});
      }
    }
    return all;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    std::fprintf(stderr, "%s: %s\n\n%s", program, why.c_str(), usage);
    std::exit(2);
  }

  /// Returns the value as a number from 1 to `most`.
  int number(const option& from, int most) const { return number(from.name, from.value, most); }

  /// Returns width and height of a value WxH, each from 1 to `most`.
  std::pair<int, int> size(const option& from, int most) const {
    const std::size_t by = from.value.find('x');
    if (by == std::string::npos) refuse(from.name + ": WxH is wanted, not '" + from.value + "'");
    return {number(from.name, from.value.substr(0, by), most), number(from.name, from.value.substr(by + 1), most)};
  }

  std::string one_of(const option& from, const names& all) const {
    if (is_in(all, from.value)) return from.value;
    std::string list;
    for (const std::string& each : all) list += (list.empty() ? "" : ", ") + each;
    refuse(from.name + ": one of " + list + " is wanted, not '" + from.value + "'");
  }

 private:
  static bool is_in(const names& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  }

  int number(const std::string& name, const std::string& value, int most) const {
    char* end = nullptr;
    const long found = std::strtol(value.c_str(), &end, 10);
    if (value.empty() || *end != 0 || found < 1 || found > most) {
      refuse(name + ": a number from 1 to " + std::to_string(most) + " is wanted, not '" + value + "'");
    }
    return static_cast<int>(found);
  }
};
