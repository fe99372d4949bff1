// What ends a benchmark whose kernels fail.

#include <sys/wait.h>
#include <unistd.h>

#include "common/options.hpp"
#include "test.hpp"

TEST_CASE("An exception that nothing catches ends a benchmark with a message and 1", "[bench]") {
  int message[2];
  REQUIRE(pipe(message) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(message[1], STDERR_FILENO);
    try {
      throw std::runtime_error("an error of CUDA");
    } catch (...) {
      std::terminate();  // as if nothing caught it: Catch2 would
    }
  }
  close(message[1]);
  char text[256]{};
  CHECK(read(message[0], text, sizeof text - 1) > 0);
  close(message[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 1));
  CHECK(std::string(text).ends_with(": an error of CUDA\n"));
}
