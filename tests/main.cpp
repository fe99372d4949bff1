#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "skip.hpp"

// ctest counts a run as skipped by this exit code.
constexpr int skipped = 77;

int main(int argc, char** argv) {
  const int failures = Catch::Session().run(argc, argv);
  return failures == 0 && heddle_test::skips > 0 ? skipped : failures;
}
