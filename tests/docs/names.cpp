// docs/api.md names every public header, and every public type in it. The names are found by the braces of the headers;
// docs/api.py, which makes the page, goes by their indentation.

#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "docs/lines.hpp"

using namespace heddle_test;

namespace {

const fs::path headers = source / "include/heddle";

/// Returns a header in one line, without comments, lines of the preprocessor, and texts.
std::string code_of(const fs::path& header) {
  static const std::regex not_code("//.*|^\\s*#.*|\"([^\"\\\\]|\\\\.)*\"");
  std::string all;
  bool goes_on = false;  // a macro, in its next line
  for (const std::string& line : read(header)) {
    const bool is_of_macro = goes_on || trimmed(line).compare(0, 1, "#") == 0;
    goes_on = is_of_macro && !line.empty() && line.back() == '\\';
    if (!is_of_macro) all += std::regex_replace(line, not_code, " ") + " ";
  }
  return all;
}

/// Returns the types that code defines in namespaces, and in no other braces. A namespace `detail` has none.
std::set<std::string> public_types(const std::string& code) {
  static const std::regex angles("<[^<>]*>"),
      type("(struct|class|union|enum class|enum)\\s+(alignas\\(\\d+\\)\\s+)?(\\w+)");
  enum class braces { of_public, of_detail, other };
  std::vector<braces> open;
  std::set<std::string> found;
  std::string before;  // a brace
  for (const char letter : code) {
    if (letter != '{' && letter != '}' && letter != ';') {
      before += letter;
      continue;
    }
    const bool is_outside = open.empty() || open.back() == braces::of_public;
    if (letter == '}' && !open.empty()) open.pop_back();
    if (letter == '{') {
      const bool is_namespace = std::regex_search(before, std::regex("^\\s*(inline )?namespace\\b"));
      const bool is_detail = std::regex_search(before, std::regex("\\bdetail\\b"));
      open.push_back(!is_namespace || !is_outside ? braces::other : is_detail ? braces::of_detail : braces::of_public);
      for (std::string last; last != before;) {  // parameters and arguments of templates, from the innermost
        last = before;
        before = std::regex_replace(before, angles, " ");
      }
      std::smatch name;
      if (is_outside && !is_namespace && std::regex_search(before, name, type)) found.insert(name[3]);
    }
    before.clear();
  }
  return found;
}

/// Returns whether a header has nothing but includes: those of its folder, or what has moved elsewhere.
bool only_includes(const fs::path& header) {
  return trimmed(code_of(header)).empty();
}

/// Returns the section of each header on the page.
std::map<std::string, std::string> sections() {
  std::map<std::string, std::string> all;
  std::string header;
  for (const std::string& line : read(source / "docs/api.md")) {
    if (line.compare(0, 5, "### [") == 0) header = line.substr(5, line.find(']') - 5);
    if (line.compare(0, 3, "## ") == 0) header.clear();
    if (!header.empty()) all[header] += line + "\n";
  }
  return all;
}

}  // namespace

TEST_CASE("The page of all names has every public header and every public type", "[docs]") {
  const std::map<std::string, std::string> page = sections();
  int types = 0;
  for (const auto& entry : fs::recursive_directory_iterator(headers)) {
    const std::string header = fs::relative(entry.path(), headers).generic_string();
    if (!entry.is_regular_file() || header.find("detail/") != std::string::npos) continue;
    const bool has_section = page.count(header) != 0;
    INFO(header);
    CHECK((has_section || only_includes(entry.path())));
    for (const std::string& type : public_types(code_of(entry.path()))) {
      INFO(type);
      const std::regex entry_of("\n`[^`]*(struct|class|enum)( class)? " + type + "`: ");
      CHECK((has_section && std::regex_search(page.at(header), entry_of)));
      ++types;
    }
  }
  CHECK(types > 80);
}

TEST_CASE("Each page about a part links to the names of that part", "[docs]") {
  for (const auto& [page, part] : std::map<std::string, std::string>{{"order", "order"},
                                                                     {"schedule", "schedule"},
                                                                     {"expand", "expand"},
                                                                     {"reorder", "reorder"},
                                                                     {"launch_box", "launch"},
                                                                     {"your_own", "laws"},
                                                                     {"predict", "predict"},
                                                                     {"choose", "choose"},
                                                                     {"trace", "trace"}}) {
    bool is_linked = false;
    for (const std::string& line : read(source / "docs" / (page + ".md"))) {
      is_linked |= line.find("(api.md#" + part + ")") != std::string::npos;
    }
    INFO(page);
    CHECK(is_linked);
  }
}

TEST_CASE("The page on checks has the line of every check of every header", "[docs]") {
  // In the call, or in a constant that several calls share.
  static const std::regex check(
      "(?:\\bcheck(?:_storage)?\\([^){};][^{};]*?|const char\\* \\w+ =\\s*)\"(heddle:[^\"]*)\"");
  std::string page;
  for (const std::string& line : read(source / "docs/checks.md")) page += line + "\n";
  std::set<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(headers)) {
    if (!entry.is_regular_file()) continue;
    std::string text;
    for (const std::string& line : read(entry.path())) text += line + "\n";
    for (std::sregex_iterator at(text.begin(), text.end(), check), end; at != end; ++at) {
      const std::string line = (*at)[1];
      INFO(entry.path().filename() << ": " << line);
      CHECK(page.find("| `" + line + "` |") != std::string::npos);
      lines.insert(line);
    }
  }
  CHECK(lines.size() >= 24);
}
