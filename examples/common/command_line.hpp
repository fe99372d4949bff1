#pragma once

#include <errno.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// The options of a program: one table reads the command line, and --help prints the same table.

namespace command_line {

/// Ends the program with 2: the value of an option is wrong.
[[noreturn]] inline void refuse(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, what.c_str());
  std::exit(2);
}

/// Returns what `run` returns. An exception is printed, and gives 1.
template <class Run>
int caught(const Run& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, error.what());
    return 1;
  }
}

/// Reads the value of an option.
struct reader {
  std::string accepted;                          // named by errors and by --help; empty: the option takes no value
  std::string by_default;                        // empty: --help names no default
  std::function<bool(const std::string&)> read;  // returns false to refuse the value
};

struct option {
  std::string name, value, help;  // --rounds, R, what it does; without a name, an argument that does not begin with -
  reader by;
};

/// Reads the command line. --help prints `about`, the table and `more`, and ends the program with 0. An unknown option
/// or a refused value prints the table, and ends the program with 2.
inline void parse_options(int count, char** arguments, const std::string& about, const std::vector<option>& table,
                          const std::string& more = "");

/// The text as a number from `least` to `most`; nothing if it is not one.
template <std::integral Number>
std::optional<Number> number_of(std::string_view text, std::type_identity_t<Number> least,
                                std::type_identity_t<Number> most) {
  Number found{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, found);
  if (error != std::errc{} || end != last || found < least || found > most) return {};
  return found;
}

/// The parts of `text` between separators; at least one part.
inline std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char each : text) {
    if (each == separator) {
      parts.emplace_back();
    } else {
      parts.back() += each;
    }
  }
  return parts;
}

/// The text as numbers from `least` to `most`; empty if one of them is wrong.
inline std::vector<int> numbers_of(const std::string& text, char separator, int least, int most) {
  std::vector<int> found;
  for (const std::string& part : parts_of(text, separator)) {
    const auto one = number_of<int>(part, least, most);
    if (!one) return {};
    found.push_back(*one);
  }
  return found;
}

// Readers. Each sets a variable, which holds the default before.

inline reader flag(bool& into) {
  return {"", "", [&into](const std::string&) { return into = true; }};
}

inline reader text(std::string& into, const std::string& accepted = "a text that is not empty") {
  return {accepted, into, [&into](const std::string& value) {
            into = value;
            return !value.empty();
          }};
}

inline reader file(std::string& into) {
  return text(into, "the name of a file");
}

/// `Variable` is an integer or an optional one, which has no default.
template <class Variable, class Number>
reader number_into(Variable& into, const std::string& by_default, Number least, Number most) {
  const std::string accepted = "a number from " + std::to_string(least) + " to " + std::to_string(most);
  return {accepted, by_default, [&into, least, most](const std::string& value) {
            const auto found = number_of<Number>(value, least, most);
            if (found) into = *found;
            return found.has_value();
          }};
}

template <std::integral Number>
reader number(Number& into, std::type_identity_t<Number> least, std::type_identity_t<Number> most) {
  return number_into(into, std::to_string(into), least, most);
}

template <std::integral Number>
reader number(std::optional<Number>& into, std::type_identity_t<Number> least, std::type_identity_t<Number> most) {
  return number_into(into, "", least, most);
}

inline std::string joined(const std::vector<std::string>& words, const std::string& separator,
                          const std::string& last_separator) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all += (i == 0 ? "" : i + 1 < words.size() ? separator : last_separator) + words[i];
  }
  return all;
}

inline reader numbers(std::vector<int>& into, int least, int most) {
  std::vector<std::string> words;
  for (const int each : into) words.push_back(std::to_string(each));
  const std::string accepted =
      "numbers from " + std::to_string(least) + " to " + std::to_string(most) + " with commas between them";
  return {accepted, joined(words, ",", ","), [&into, least, most](const std::string& value) {
            into = numbers_of(value, ',', least, most);
            return !into.empty();
          }};
}

/// Two numbers from 1 to `most` with an x between them.
inline reader size(int& width, int& height, int most) {
  return {"two numbers from 1 to " + std::to_string(most) + " with an x between them",
          width > 0 ? std::to_string(width) + "x" + std::to_string(height) : "",
          [&width, &height, most](const std::string& value) {
            const std::vector<int> found = numbers_of(value, 'x', 1, most);
            if (found.size() == 2) width = found[0], height = found[1];
            return found.size() == 2;
          }};
}

inline reader one_of(std::string& into, const std::vector<std::string>& known) {
  return {joined(known, ", ", " or "), into, [&into, known](const std::string& value) {
            into = value;
            return std::find(known.begin(), known.end(), value) != known.end();
          }};
}

inline reader some_of(std::vector<std::string>& into, const std::vector<std::string>& known) {
  return {"some of " + joined(known, ",", ","), "", [&into, known](const std::string& value) {
            into = parts_of(value, ',');
            return std::all_of(into.begin(), into.end(), [&](const std::string& each) {
              return std::find(known.begin(), known.end(), each) != known.end();
            });
          }};
}

/// The table as --help prints it: a column of names, then wrapped text.
inline std::string text_of(const std::vector<option>& table) {
  constexpr std::size_t width = 118;
  std::size_t column = 0;
  for (const option& each : table) column = std::max(column, each.name.size() + each.value.size() + 5);
  std::string all;
  for (const option& each : table) {
    std::string line = "  " + each.name + (each.name.empty() || each.value.empty() ? "" : " ") + each.value;
    line.resize(column, ' ');
    std::string words = each.help;
    if (!each.by.accepted.empty()) {
      words += " (" + each.by.accepted + (each.by.by_default.empty() ? "" : "; default " + each.by.by_default) + ")";
    }
    std::istringstream rest(words);
    for (std::string word; rest >> word;) {
      if (line.size() + word.size() >= width) {
        all += line + "\n";
        line = std::string(column, ' ');
      }
      line += (line.size() > column ? " " : "") + word;
    }
    all += line + "\n";
  }
  return all;
}

inline void parse_options(int count, char** arguments, const std::string& about, const std::vector<option>& table,
                          const std::string& more) {
  std::vector<option> all = table;
  bool help = false;
  all.push_back({"--help", "", "show this", flag(help)});
  const auto refuse_by_table = [&](const std::string& what) { refuse(what + "\n\n" + text_of(all)); };
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i], name = argument.starts_with("-") ? argument : "";
    const auto found = std::find_if(all.begin(), all.end(), [&](const option& each) { return each.name == name; });
    if (found == all.end()) refuse_by_table("unknown option '" + argument + "'");
    const bool takes_value = !found->by.accepted.empty();
    const std::string wanted = (name.empty() ? found->value : name) + " takes " + found->by.accepted;
    if (takes_value && !name.empty() && ++i == count) refuse_by_table(wanted + ": its value is missing");
    const std::string value = takes_value ? arguments[i] : "";
    if (!found->by.read(value)) refuse_by_table(wanted + ", not '" + value + "'");
    if (!help) continue;
    std::printf("usage: %s [option]...\n\n%s\n%s%s", program_invocation_short_name, about.c_str(), text_of(all).c_str(),
                more.c_str());
    std::exit(0);
  }
}

}  // namespace command_line
