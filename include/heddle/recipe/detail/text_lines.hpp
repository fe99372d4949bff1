#pragma once

#include <set>
#include <string>

#include <heddle/invalid_argument.hpp>

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

/// Refuses a language that is none of those in which something can be written.
[[noreturn]] inline void refuse_language(const std::string& language, const char* known) {
  refuse("heddle::source: the language", (" is \"" + language + "\"; it must be " + known).c_str());
}

/// Returns the lines as a language reads them that is a Python. Any other one is refused.
inline std::string python_lines(const std::string& language, const std::string& text, const char* known) {
  if (language == "triton") return text;
  if (language == "cute") return replaced(text, "min(", "cutlass.min(");
  refuse_language(language, known);
}

/// Returns lines that make a tile of `i` as a function of "cuda", "triton" or "cute". The comment says what it
/// computes.
inline std::string function_of(const std::string& language, const std::string& text, bool is_batch,
                               const std::string& comment) {
  const std::string tile = is_batch ? "plane, row, col" : "row, col";
  if (language == "cuda") {
    return "struct tile {  // of " + comment + "\n  int " + tile +
           ";\n};\n__host__ __device__ inline tile tile_of(int i) {\n" + indented(cpp_lines(text), 2) + "  return {" +
           tile + "};\n}\n";
  }
  const std::string body = python_lines(language, text, "triton, cute or cuda");
  return "@" + language + ".jit\ndef tile_of(i):  # " + comment + "\n" + indented(body, 4) + "    return " + tile +
         "\n";
}

}}}  // namespace heddle::HEDDLE_ABI::detail
