// A guard that many threads call at once, over a fake card: built with a race detector. And what it allocates.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include <heddle/choose/detail/guarded_calls.hpp>

#include "choose/fake_events.hpp"
#include "test.hpp"

using namespace heddle_test;

namespace {
std::atomic<int> allocations{0};
}

__attribute__((noinline)) void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const made = std::malloc(bytes)) return made;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* pointer) noexcept {
  std::free(pointer);
}
__attribute__((noinline)) void operator delete(void* pointer, std::size_t) noexcept {
  std::free(pointer);
}

TEST_CASE("Threads that call a guard at once launch one candidate each time, and it decides", "[choose]") {
  for (const bool is_shared : {true, false}) {
    fake_card card;
    card.in_flight = 5;
    std::atomic<int> launched{0}, errors{0}, visited{0};
    {
      heddle::detail::guarded_calls<fake_events> guard(3, fake_events{&card});
      const auto work = [&](int thread) {
        for (int i = 0; i < 3000; ++i) {
          const auto key = static_cast<std::uint64_t>(is_shared ? i % 3 : thread);
          const int error = guard.call(
              is_shared ? thread % 2 : thread, key,
              [&](int which) {
                ++launched;
                return card.launch(which == 1 ? 100 : 100000, which == 2 ? 7 : 0);
              },
              [](std::uint64_t) { return std::pair(-1, std::vector<double>()); }, [](int) { return 0; });
          errors += error != 0 ? 1 : 0;
          if (i % 100 == 0) (void)guard.decision(key);
          if (i % 500 == 0) guard.visit([&](std::uint64_t, const auto& of) { visited += of.candidates(); });
        }
      };
      std::vector<std::thread> threads;
      for (int thread = 0; thread < 4; ++thread) threads.emplace_back(work, thread);
      for (std::thread& each : threads) each.join();
    }
    CHECK(launched == 4 * 3000);
    CHECK(visited > 0);
    CHECK((errors >= 1 && errors <= 4));  // threads may launch what fails at the same time
    CHECK(card.made == card.destroyed);
  }
}

TEST_CASE("A guard allocates at the first call of a key and of a device, and never after", "[choose]") {
  fake_card card;
  card.in_flight = 7;
  heddle::detail::guarded_calls<fake_events> guard(4, fake_events{&card});
  const auto call = [&](std::uint64_t key) {
    return guard.call(
        0, key, [&](int which) { return card.launch(1000 * (4 - which), which == 2 && key == 3 ? 7 : 0); },
        [](std::uint64_t) { return std::pair(-1, std::vector<double>()); }, [](int) { return 0; });
  };
  for (std::uint64_t key = 0; key < 5; ++key) (void)call(key);
  const int before = allocations;
  for (int i = 0; i < 5000; ++i) (void)call(static_cast<std::uint64_t>(i / 10 % 5));
  CHECK(allocations == before);
  (void)call(5);
  CHECK(allocations > before);
}
