// In a chain of programmatic launches every kernel waits: one that does not may end before the launch before it, and
// the next kernel then runs beside both.

#include "test.hpp"

namespace {

/// Returns the functions of a source that let the next launch start and never wait.
std::string calls_without_wait(const std::string& text) {
  std::string wrong;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = (std::min)(text.find("\n}\n", begin), text.size() - 1) + 1;
    const std::string function = text.substr(begin, end - begin);
    if (function.find("let_next_launch_start()") != std::string::npos &&
        function.find("wait_for_launch_before()") == std::string::npos) {
      wrong += function;
    }
    begin = end;
  }
  return wrong;
}

}  // namespace

TEST_CASE("Each kernel of the examples, benchmarks and tests that lets the next launch start waits itself",
          "[launch]") {
  int seen = 0;
  for (const char* const folder : {"examples", "bench", "tests/gpu"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(HEDDLE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cu" && entry.path().extension() != ".cuh") continue;
      std::ifstream file(entry.path());
      const std::string text(std::istreambuf_iterator<char>(file), {});
      seen += text.find("let_next_launch_start()") != std::string::npos;
      CAPTURE(entry.path());
      CHECK(calls_without_wait(text) == "");
    }
  }
  CHECK(seen >= 3);
  CHECK(calls_without_wait("void a() {\n  let_next_launch_start();\n}\nvoid b() {\n  wait_for_launch_before();\n}\n") !=
        "");
}
