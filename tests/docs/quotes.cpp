// The code in the README and the docs occurs in files that are compiled.

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "test.hpp"

namespace {

namespace fs = std::filesystem;
using lines = std::vector<std::string>;

const fs::path source = HEDDLE_SOURCE_DIR;

lines read(const fs::path& path) {
  std::ifstream file(path);
  INFO(path);
  REQUIRE(file.good());
  lines all;
  for (std::string line; std::getline(file, line);) all.push_back(line);
  return all;
}

std::string trimmed(const std::string& line) {
  const auto first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(' ') - first + 1);
}

/// Returns the first line of a block that the file does not have after the lines before it, or an empty string.
std::string not_in(const lines& block, const fs::path& path) {
  const lines file = read(source / path);
  auto at = file.begin();
  for (const std::string& line : block) {
    if (trimmed(line).empty() || trimmed(line) == "…") continue;
    while (at != file.end() && trimmed(*at) != trimmed(line)) ++at;
    if (at == file.end()) return line;
    ++at;
  }
  return "";
}

/// Returns the lines of one side of a diff.
lines side(const lines& diff, char sign) {
  lines result;
  for (const std::string& line : diff) {
    if (!line.empty() && (line[0] == sign || line[0] == ' ')) result.push_back(line.substr(1));
  }
  return result;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> all{source / "README.md"};
  for (const auto& entry : fs::directory_iterator(source / "docs")) {
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  }
  return all;
}

/// What users include, from the root.
std::set<std::string> public_headers() {
  std::set<std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(source / "include")) {
    const std::string header = fs::relative(entry.path(), source).generic_string();
    if (!entry.is_regular_file() || header.find("/detail/") != std::string::npos) continue;
    bool has_moved = false;
    for (const std::string& line : read(entry.path()))
      has_moved |= line.find("where it has moved to") != std::string::npos;
    if (!has_moved) all.insert(header);
  }
  return all;
}

bool is_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// The type, the concept or the function that a line declares; empty where it declares none, and in a class.
std::string declared_in(std::string line) {
  if (line.empty() || (std::isalpha(static_cast<unsigned char>(line[0])) == 0 && line[0] != '[')) return "";
  std::istringstream words(line);
  std::string word;
  words >> word;
  if (word == "class" || word == "struct" || word == "concept" || word == "enum") {
    while (words >> word && (word == "class" || word[0] == '[' || word.find("alignas(") == 0)) continue;
    std::size_t length = 0;
    while (length < word.size() && is_of_name(word[length])) ++length;
    return word.substr(0, length);
  }
  if (word == "namespace" || word == "template" || word == "using" || word == "static_assert") return "";
  if (word == "decltype(auto)") line = line.substr(word.size());
  const std::size_t end = line.find('(');
  if (end == std::string::npos || line.find('{') < end) return "";
  std::size_t begin = end;
  while (begin > 0 && is_of_name(line[begin - 1])) --begin;
  return begin > 0 && line[begin - 1] == ' ' ? line.substr(begin, end - begin) : "";
}

/// All that a header declares outside of namespaces `detail`.
std::vector<std::string> declared_by(const std::string& header) {
  std::vector<std::string> names;
  bool in_detail = false;
  for (const std::string& line : read(source / header)) {
    const bool names_detail = line.find("detail") != std::string::npos;
    if (line.find("namespace ") == 0) in_detail = in_detail || names_detail;
    if (line.find("}  // namespace") == 0 && names_detail) in_detail = false;
    if (const std::string name = declared_in(line); !in_detail && !name.empty()) names.push_back(name);
  }
  return names;
}

}  // namespace

TEST_CASE("Every block of code in the docs stands in the file that it names", "[docs]") {
  int blocks = 0;
  for (const fs::path& page : pages()) {
    const lines text = read(page);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool code = text[i] == "```cpp" || text[i] == "```diff" || text[i] == "```cmake" || text[i] == "```python";
      if (!code) continue;
      INFO(page.filename() << ", line " << i + 1);
      REQUIRE(i > 0);
      // <!-- quotes FILE --> above a block, <!-- quotes BEFORE AFTER --> above a diff.
      std::istringstream words(text[i - 1]);
      std::string open, quotes, first, second;
      words >> open >> quotes >> first >> second;
      REQUIRE(quotes == "quotes");
      lines block;
      for (++i; i < text.size() && text[i] != "```"; ++i) block.push_back(text[i]);
      if (second == "-->") {
        CHECK(not_in(block, first) == "");
      } else {
        CHECK(not_in(side(block, '-'), first) == "");
        CHECK(not_in(side(block, '+'), second) == "");
      }
      ++blocks;
    }
  }
  CHECK(blocks >= 4);
}

TEST_CASE("Every file that the docs link to is there", "[docs]") {
  for (const fs::path& page : pages()) {
    for (const std::string& line : read(page)) {
      for (const std::string open : {"](", " src=\""}) {
        for (auto at = line.find(open); at != std::string::npos; at = line.find(open, at + 1)) {
          const std::size_t begin = at + open.size();
          const std::string target = line.substr(begin, line.find_first_of(")#\"", begin) - begin);
          if (target.empty() || target.find("://") != std::string::npos) continue;
          INFO(page.filename() << ": " << target);
          CHECK(fs::exists(page.parent_path() / target));
        }
      }
    }
  }
}

TEST_CASE("The page of all names links to every public header and to no other", "[docs]") {
  std::set<std::string> linked;
  for (const std::string& line : read(source / "docs/api.md")) {
    for (auto at = line.find("](../include/"); at != std::string::npos; at = line.find("](../include/", at + 1)) {
      linked.insert(line.substr(at + 5, line.find(')', at) - at - 5));
    }
  }
  const std::set<std::string> headers = public_headers();
  for (const std::string& header : headers) {
    INFO(header);
    CHECK(linked.count(header) == 1);
  }
  for (const std::string& header : linked) {
    INFO(header);
    CHECK(headers.count(header) == 1);
  }
}

TEST_CASE("The page of all names has every public type and concept and function", "[docs]") {
  std::string page;
  for (const std::string& line : read(source / "docs/api.md")) page += line + "\n";
  int names = 0;
  for (const std::string& header : public_headers()) {
    for (const std::string& name : declared_by(header)) {
      INFO(header << ": " << name);
      bool found = false;
      for (auto at = page.find("`" + name); at != std::string::npos && !found; at = page.find("`" + name, at + 1)) {
        found = !is_of_name(page[at + 1 + name.size()]);
      }
      CHECK(found);
      ++names;
    }
  }
  CHECK(names > 100);
}
