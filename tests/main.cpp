#define CATCH_CONFIG_RUNNER  // Catch2 2: its functions are compiled here
#include "skip.hpp"
#include "test.hpp"

// ctest counts a run as skipped by this exit code.
constexpr int skipped = 77;

int main(int argc, char** argv) {
  Catch::Session session;
  if (const int wrong = session.applyCommandLine(argc, argv); wrong != 0) return wrong;
#if defined(CATCH_VERSION_MAJOR) && CATCH_VERSION_MAJOR == 2
  // A name that matches no test case is a failure, as it is in Catch2 3.
  session.configData().warnings =
      static_cast<Catch::WarnAbout::What>(session.configData().warnings | Catch::WarnAbout::NoTests);
#endif
  const int failures = session.run();
  return failures == 0 && heddle_test::skips > 0 ? skipped : failures;
}
