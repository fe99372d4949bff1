#pragma once

#include <set>
#include <string>

#include <heddle/config.hpp>

/// Text of programs, line by line.
namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Lines of text out of texts and numbers.
class lines {
 public:
  template <class... Parts>
  lines& add(const Parts&... parts) {
    (append(parts), ...);
    text_ += "\n";
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  void append(const std::string& part) { text_ += part; }
  void append(const char* part) { text_ += part; }
  void append(long long number) { text_ += std::to_string(number); }

  std::string text_;
};

/// Calls `f` with each line of a text, without its end.
template <class F>
void each_line(const std::string& text, const F& f) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    f(text.substr(at, end - at));
    at = end + 1;
  }
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Returns lines that far to the right.
inline std::string indented(const std::string& text, std::size_t spaces) {
  std::string result;
  each_line(text, [&](const std::string& line) { result += std::string(spaces, ' ') + line + "\n"; });
  return result;
}

/// Returns the lines as C++.
inline std::string cpp_lines(const std::string& text) {
  std::set<std::string> names;
  std::string body;
  std::size_t depth = 0;
  const auto close = [&](std::size_t to) {
    for (; depth > to; --depth) body += std::string(2 * depth - 2, ' ') + "}\n";
  };
  each_line(text, [&](std::string line) {
    const std::size_t indent = line.find_first_not_of(' ') / 4;
    std::string comment;
    if (const std::size_t at = line.find("  # "); at != std::string::npos) {
      comment = "  // " + line.substr(at + 4);
      line.resize(at);
    }
    line = replaced(line.substr(4 * indent), "//", "/");
    close(indent);
    const std::string shift(2 * indent, ' ');
    if (line == "else:") {
      body.pop_back();  // the brace before stands on this line
      body += " else {" + comment + "\n";
    } else if (line.back() == ':') {
      const std::size_t space = line.find(' ');
      body += shift + line.substr(0, space) + " (" + line.substr(space + 1, line.size() - space - 2) + ") {" + comment +
              "\n";
    } else {
      if (const std::string name = line.substr(0, line.find(' ')); name != "i") names.insert(name);
      body += shift + line + ";" + comment + "\n";
    }
    depth = line.back() == ':' ? indent + 1 : indent;
  });
  close(0);
  std::string declared;
  for (const std::string& name : names) declared += (declared.empty() ? "int " : ", ") + name;
  return declared + ";\n" + body;
}

}}}  // namespace heddle::HEDDLE_ABI::detail
