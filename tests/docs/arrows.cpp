// Compares the includes of the headers with the table in docs/contributing.md.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "test.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path source = HEDDLE_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  INFO(path);
  REQUIRE(file.good());
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string> quoted(const std::string& cell) {
  static const std::regex code("`([^`]*)`");
  std::vector<std::string> all;
  for (std::sregex_iterator at(cell.begin(), cell.end(), code), end; at != end; ++at) all.push_back((*at)[1]);
  return all;
}

struct parts {
  std::set<std::string> base;
  std::map<std::string, std::set<std::string>> may_include;

  explicit parts(const std::string& page) {
    static const std::regex row("\\| `(\\w+)` \\|([^|]*)\\|([^|]*)\\|\n");
    const std::size_t begin = page.find("## Includes between parts");
    REQUIRE(begin != std::string::npos);
    const std::string table = page.substr(begin, page.find("\n## ", begin + 1) - begin);
    for (std::sregex_iterator at(table.begin(), table.end(), row), end; at != end; ++at) {
      const std::vector<std::string> targets = quoted((*at)[3]);
      may_include[(*at)[1]] = {targets.begin(), targets.end()};
      if ((*at)[1] != "base") continue;
      for (const std::string& header : quoted((*at)[2])) base.insert(header + ".hpp");
    }
  }

  /// Returns the part of a header with a path from include/heddle on, or an empty string if the table has none.
  std::string of(const std::string& header) const {
    if (base.count(header) != 0) return "base";
    const std::string part = header.substr(0, header.find_first_of("/."));
    return may_include.count(part) != 0 ? part : "";
  }

  /// Returns what is wrong with an include, or an empty string.
  std::string wrong_with(const std::string& from, const std::string& to) const {
    const std::string part = of(from), other = of(to);
    if (part.empty() || other.empty()) return "no part has " + (part.empty() ? from : to);
    if (part == other) return "";
    if (may_include.at(part).count(other) == 0) return from + " includes " + to;
    if (to.find("/detail/") != std::string::npos) return from + " includes what is private: " + to;
    return "";
  }

  std::vector<std::string> wrong_with_text(const std::string& from, const std::string& text) const {
    static const std::regex include("#\\s*include\\s*[<\"]heddle/([^>\"]*)[>\"]");
    std::vector<std::string> all;
    for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at) {
      if (const std::string found = wrong_with(from, (*at)[1]); !found.empty()) all.push_back(found);
    }
    return all;
  }
};

}  // namespace

TEST_CASE("Headers include what the table in docs allows", "[docs]") {
  const parts all(text_of(source / "docs/contributing.md"));
  REQUIRE(all.may_include.size() == 14);
  std::set<std::string> seen;
  for (const auto& entry : fs::recursive_directory_iterator(source / "include/heddle")) {
    if (!entry.is_regular_file()) continue;
    const std::string header = fs::relative(entry.path(), source / "include/heddle").generic_string();
    CHECK(all.wrong_with_text(header, text_of(entry.path())) == std::vector<std::string>{});
    seen.insert(all.of(header));
  }
  CHECK(seen.size() == all.may_include.size());
  for (const std::string& header : all.base) CHECK(fs::exists(source / "include/heddle" / header));
}

TEST_CASE("The header of a folder includes all of its parts", "[docs]") {
  int folders = 0;
  for (const auto& folder : fs::directory_iterator(source / "include/heddle")) {
    if (!folder.is_directory() || folder.path().filename() == "detail") continue;
    ++folders;
    const std::string name = folder.path().filename().string();
    const std::string text = text_of(source / "include/heddle" / (name + ".hpp"));
    for (const auto& part : fs::directory_iterator(folder.path())) {
      if (part.is_directory()) continue;
      const std::string header = name + "/" + part.path().filename().string();
      CAPTURE(header);
      const bool has_moved = text_of(part.path()).find("where it has moved to") != std::string::npos;
      CHECK((text.find("#include <heddle/" + header + ">\n") != std::string::npos) == !has_moved);
    }
    CHECK(text_of(source / "include/heddle/heddle.hpp").find("<heddle/" + name + ".hpp>") != std::string::npos);
  }
  CHECK(folders == 11);
}
