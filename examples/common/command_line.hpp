#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

/// What a program says when it is called wrongly: by its name, and how it is used.
struct command_line {
  const char *program, *usage;

  [[noreturn]] void refuse(const std::string& what) const {
    std::fprintf(stderr, "%s: %s\n\n%s", program, what.c_str(), usage);
    std::exit(2);
  }

  /// The value of an option, from 1 on.
  int number(const std::string& option, const std::string& value, int most) const {
    char* end = nullptr;
    const long found = std::strtol(value.c_str(), &end, 10);
    if (value.empty() || *end != 0 || found < 1 || found > most) {
      refuse(option + ": a number from 1 to " + std::to_string(most) + " is wanted, not '" + value + "'");
    }
    return static_cast<int>(found);
  }
};
