// Tests use Catch2 through test.hpp alone, and of its names only those that mean the same in 2.13 and 3.

#include <regex>
#include <string>
#include <vector>

#include "docs/lines.hpp"

using namespace heddle_test;

namespace {

/// Returns a line without its comment and without what its strings say.
std::string code_of(const std::string& line) {
  static const std::regex strings(R"("(\\.|[^"\\])*")"), comment("//.*");
  if (trimmed(line).compare(0, 8, "#include") == 0) return line;
  return std::regex_replace(std::regex_replace(line, strings, "\"\""), comment, "");
}

/// Returns the names of a line that only one Catch2 has, or that are in another namespace or mean something else there.
std::vector<std::string> past_our_header(const std::string& line) {
  static const std::regex names(
      R"(\b(Catch\w*|catch2/|CATCH_\w+|Approx|Matchers?|SKIP|STATIC_CHECK\w*|GENERATE\w*|BENCHMARK\w*|\w+_THAT|)"
      R"((CHECK|REQUIRE)_THROWS_MATCHES|ANON_TEST_CASE|Equals|Contains\w*|StartsWith|EndsWith|Matches|Message|)"
      R"(Predicate|Vector\w+|UnorderedEquals|Within\w+|_a\b))");
  const std::string code = code_of(line);
  std::vector<std::string> found;
  for (std::sregex_iterator at(code.begin(), code.end(), names), end; at != end; ++at) found.push_back(at->str());
  return found;
}

}  // namespace

TEST_CASE("Tests use nothing of Catch2 past test.hpp", "[docs]") {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source / "tests")) {
    const fs::path& path = entry.path();
    const std::string ending = path.extension().string();
    if (!entry.is_regular_file() || (ending != ".cpp" && ending != ".cu" && ending != ".hpp")) continue;
    ++files;
    if (path == source / "tests/test.hpp" || path == source / "tests/main.cpp") continue;
    int number = 0;
    for (const std::string& line : read(path)) {
      ++number;
      INFO(path << ", line " << number << ": " << line);
      CHECK(past_our_header(line) == std::vector<std::string>{});
    }
  }
  CHECK(files > 100);
}

TEST_CASE("Names that Catch2 2.13 and 3 do not share are found", "[docs]") {
  for (const char* const line :
       {"CHECK(time == Approx(2.0));", "CHECK(time == Catch::Approx(2.0));", "#include <catch2/catch.hpp>",
        "#include <catch2/catch_all.hpp>", "#include \"catch2/catch_approx.hpp\"", "  SKIP(\"there is no GPU\");",
        "STATIC_CHECK(2 == 2);", "const int i = GENERATE(1, 2);", "REQUIRE_THAT(text, Contains(\"a\"));",
        "CHECK_THROWS_MATCHES(f(), error, Message(\"a\"));", "using namespace Catch;"}) {
    CAPTURE(line);
    CHECK_FALSE(past_our_header(line).empty());
  }
  for (const char* const line : {"CHECK(time == approx(2.0));", "#include \"test.hpp\"", "INFO(\"Catch::Approx\");",
                                 "return;  // without Catch2", "SECTION(\"one\")"}) {
    CAPTURE(line);
    CHECK(past_our_header(line).empty());
  }
}
