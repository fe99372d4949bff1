// The code in the README and the docs occurs in files that are compiled.

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "docs/lines.hpp"

using namespace heddle_test;

namespace {

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

TEST_CASE("A whole program on a page includes what it takes from heddle, as its file does", "[docs]") {
  int programs = 0;
  for (const fs::path& page : pages()) {
    const lines text = read(page);
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text[i] != "```cpp") continue;
      std::istringstream words(text[i - 1]);
      std::string open, quotes, file;
      words >> open >> quotes >> file;
      std::set<std::string> block;
      for (++i; i < text.size() && text[i] != "```"; ++i) block.insert(text[i]);
      if (block.count("int main() {") == 0) continue;
      ++programs;
      for (const std::string& line : read(source / file)) {
        if (line.compare(0, 16, "#include <heddle") != 0) continue;
        INFO(page.filename() << ": " << line);
        CHECK(block.count(line) == 1);
      }
    }
  }
  CHECK(programs >= 3);
}

TEST_CASE("Every example in a header stands in the file that it names", "[docs]") {
  int examples = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source / "include")) {
    if (!entry.is_regular_file()) continue;
    const lines text = read(entry.path());
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::string open = "/// **Example** (";
      if (trimmed(text[i]).compare(0, open.size(), open) != 0) continue;
      INFO(entry.path().filename() << ", line " << i + 1);
      const std::size_t begin = text[i].find('(') + 1;
      const std::string file = text[i].substr(begin, text[i].find(')', begin) - begin);
      lines block;
      for (i += 2; i < text.size() && trimmed(text[i]).compare(0, 8, "///     ") == 0; ++i) {
        block.push_back(trimmed(text[i]).substr(4));
      }
      REQUIRE(!block.empty());
      CHECK(not_in(block, file) == "");
      ++examples;
    }
  }
  CHECK(examples > 50);
}

TEST_CASE("Every file that the docs link to is there", "[docs]") {
  for (const fs::path& page : pages()) {
    bool in_code = false;
    for (const std::string& line : read(page)) {
      if (line.compare(0, 3, "```") == 0) in_code = !in_code;
      if (in_code) continue;
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
