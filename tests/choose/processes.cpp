// One file, and several processes that write it at the same time, or that end while they write it.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heddle/choose/wisdom.hpp>

#include "choose/folder.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

wisdom_key key_of(int process, int i) {
  return {{"card", "driver", "toolkit"}, "1", {"process", process, i}};
}

wisdom_entry entry_of(int process, int i) {
  return {std::to_string(process), 1.0 + i, 0.005, {{std::to_string(process), 1.0 + i, {1.0, 2.0}}}};
}

/// Runs this in a child process, which ends with its result.
template <class Work>
pid_t in_child(const Work& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::_exit(work());
}

}  // namespace

TEST_CASE("8 processes that write 100 answers each to one file lose none", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  constexpr int processes = 8, answers = 100;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    children.push_back(in_child([&] {
      wisdom known(path);
      int wrong = known.message() == "" ? 0 : 1;
      for (int i = 0; i < answers; ++i) {
        wrong += known.remember(key_of(process, i), entry_of(process, i)) == "" ? 0 : 1;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // lets another one in
      }
      return wrong;
    }));
    REQUIRE(children.back() > 0);
  }
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  const wisdom known(path);
  CHECK((known.message() == "" && known.size() == processes * answers));
  int right = 0;
  for (int process = 0; process < processes; ++process) {
    for (int i = 0; i < answers; ++i) {
      const wisdom_entry* const found = known.find(key_of(process, i));
      right += found != nullptr && *found == entry_of(process, i) ? 1 : 0;
    }
  }
  CHECK(right == processes * answers);
  CHECK(!std::filesystem::exists(path + ".damaged"));
}

TEST_CASE("A process that is killed while it writes leaves a readable file with every answer it was done with",
          "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  int before = 0;
  for (int round = 0; round < 30; ++round) {
    int done[2];
    REQUIRE(::pipe(done) == 0);
    const pid_t child = in_child([&] {
      wisdom known(path);
      for (int i = 0;; ++i) {
        const char byte = known.remember(key_of(round, i), entry_of(round, i)) == "" ? 1 : 0;
        if (::write(done[1], &byte, 1) != 1) return 1;
      }
    });
    REQUIRE(child > 0);
    ::close(done[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(3000 + 1777 * round));
    REQUIRE(::kill(child, SIGKILL) == 0);
    int status = 0, finished = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    for (char byte = 0; ::read(done[0], &byte, 1) == 1; ++finished) CHECK(byte == 1);
    ::close(done[0]);
    const wisdom known(path);
    CHECK(known.message() == "");
    for (int i = 0; i < finished; ++i) CHECK(known.find(key_of(round, i)) != nullptr);
    const int now = static_cast<int>(known.size());
    CHECK((now >= before + finished && now <= before + finished + 1));
    before = now;
  }
  CHECK(before > 0);
  wisdom known(path);
  CHECK(known.remember(key_of(-1, 0), entry_of(-1, 0)) == "");  // no lock and no file is left in the way
  CHECK(wisdom(path).size() == static_cast<std::size_t>(before) + 1);
}

TEST_CASE("A reader meanwhile sees whole files alone", "[choose]") {
  const folder here;
  const std::string path = here / "wisdom.json";
  const pid_t child = in_child([&] {
    wisdom known(path);
    int wrong = 0;
    for (int i = 0; i < 100; ++i) wrong += known.remember(key_of(0, i), entry_of(0, i)) == "" ? 0 : 1;
    return wrong;
  });
  REQUIRE(child > 0);
  int status = -1;
  std::size_t last = 0;
  for (bool runs = true; runs;) {
    runs = ::waitpid(child, &status, WNOHANG) == 0;
    const wisdom known(path);
    REQUIRE(known.message() == "");
    REQUIRE(known.size() >= last);
    last = known.size();
  }
  CHECK((status == 0 && last == 100));
}
