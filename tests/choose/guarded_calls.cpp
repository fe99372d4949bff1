// What a guard does around launches, over a fake card: errors, capture, keys, streams, and what is in flight.

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <heddle/choose/detail/guarded_calls.hpp>

#include "choose/fake_events.hpp"
#include "test.hpp"

using namespace heddle_test;

namespace {

using guarded = heddle::detail::guarded_calls<fake_events>;

/// A guard whose candidates take so many nanoseconds, and return errors.
struct guarded_card {
  std::vector<long long> takes;
  std::vector<int> errors = std::vector<int>(takes.size());
  fake_card card{};
  guarded guard{static_cast<int>(takes.size()), fake_events{&card}};
  std::vector<int> launches = std::vector<int>(takes.size());
  int recalled = -1, compared = 0, wrong = -1;
  std::vector<double> seconds = {};

  int call(std::uint64_t key = 1, int stream = 0) {
    return guard.call(
        stream, key,
        [&](int which) {
          ++launches[static_cast<std::size_t>(which)];
          return card.launch(takes[static_cast<std::size_t>(which)], errors[static_cast<std::size_t>(which)]);
        },
        [&](std::uint64_t) { return std::pair(recalled, seconds); },
        [&](int which) { return ++compared, which == wrong ? 99 : 0; });
  }
  int launches_of(int times, int which, std::uint64_t key = 1) {
    const int before = launches[static_cast<std::size_t>(which)];
    for (int i = 0; i < times; ++i) CHECK(call(key) == 0);
    return launches[static_cast<std::size_t>(which)] - before;
  }
};

}  // namespace

TEST_CASE("A guard finds the fastest candidate of each key by events, which pass later", "[choose]") {
  for (const int in_flight : {0, 3, 15}) {
    for (const long long scale : {1000, 1000000}) {
      guarded_card of{{10 * scale, 5 * scale, 20 * scale}};
      of.card.in_flight = in_flight;
      CHECK(!of.guard.decision(1));
      CHECK(of.launches_of(400, 1) > 300 - 2 * in_flight);
      CHECK((of.guard.decision(1) == 1 && !of.guard.decision(2)));
      of.takes[1] = 50 * scale;
      for (int i = 0; i < 400; ++i) CHECK(of.call(2) == 0);
      CHECK(of.guard.decision(2) == 0);
      CHECK(of.guard.decision(1) == 1);  // of its last call
      CHECK(of.launches_of(400, 1, 1) <= 40);
      CHECK(of.guard.decision(1) == 0);
    }
  }
}

TEST_CASE("What events take themselves hides no short launch that is a tenth faster", "[choose]") {
  for (const int in_flight : {0, 8}) {
    guarded_card of{{10000, 9000, 200000}};
    of.card.in_flight = in_flight, of.card.of_event = 1500;
    for (int i = 0; i < 500; ++i) CHECK(of.call() == 0);
    CHECK(of.guard.decision(1) == 1);
  }
}

TEST_CASE("A decided guard records few events, and one whose events never pass runs number 0", "[choose]") {
  guarded_card of{{1000000, 500000}};
  (void)of.launches_of(200, 1);
  of.card.in_flight = 1000000;
  const int recorded = of.card.recorded, looked_at = of.card.looked_at, asked = of.card.asked;
  (void)of.launches_of(1200, 1);
  CHECK(of.card.recorded - recorded <= 32);
  CHECK(of.card.looked_at - looked_at <= 1200 / 4);
  CHECK(of.card.asked - asked <= 1200 / 2);  // for a capture
  of.card.in_flight = 3;
  (void)of.launches_of(200, 1);
  const int later = of.card.recorded;
  (void)of.launches_of(1200, 1);
  CHECK(of.card.recorded - later < 2 * 1200 / 12 + 60);
  guarded_card undecided{{1000000, 1000000}};  // one look is for eight timings
  (void)undecided.launches_of(200, 0, 2);
  const int looked = undecided.card.looked_at, timed = undecided.card.recorded / 2;
  CHECK((looked >= timed / 8 - 1 && looked <= timed / 8 + 2 * 200 / 12));
  guarded_card stuck{{1000000, 500000, 500000}};
  stuck.card.in_flight = 1000000;
  for (int i = 0; i < 500; ++i) CHECK(stuck.call() == 0);
  CHECK(stuck.launches == std::vector<int>{498, 1, 1});
  CHECK(stuck.card.recorded == 32);
  CHECK(stuck.card.made == 32);
}

TEST_CASE("A candidate that fails is dropped for all keys, and its error is returned once", "[choose]") {
  guarded_card of{{1000, 500, 700}};
  of.errors[1] = 7;
  std::vector<int> errors;
  for (int i = 0; i < 500; ++i) {
    if (const int error = of.call(static_cast<std::uint64_t>(i % 5)); error != 0) errors.push_back(error);
  }
  CHECK(errors == std::vector<int>{7});
  CHECK(of.launches[1] == 1);
  CHECK(of.guard.decision(3) == 2);
  CHECK(of.launches_of(100, 1, 9) == 0);  // a new key
  // One that fails later, in a call that is timed or not.
  for (const int at : {100, 103, 105, 301}) {
    guarded_card later{{10000, 5000}};
    for (int i = 0; i < at; ++i) CHECK(later.call() == 0);
    later.errors[1] = 8;
    int failed = 0;
    for (int i = 0; i < 300; ++i) failed += later.call() == 8 ? 1 : 0;
    CHECK((failed == 1 && later.guard.decision(1) == 0));
  }
}

TEST_CASE("Errors of number 0 are passed on, and it stays", "[choose]") {
  guarded_card of{{1000, 5000}};
  of.errors[0] = 7;
  for (int i = 0; i < 100; ++i) CHECK(of.call() == (of.launches[1] == 0 || i > 1 ? 7 : 0));
  CHECK(of.launches[1] == 0);  // number 0 has no time to compare with
  of.errors[0] = 0;
  CHECK(of.launches_of(300, 0) > 280);
  // An error that the thread has not read: number 0 is launched.
  guarded_card other{{1000000, 500000}};
  (void)other.launches_of(100, 1);
  other.card.has_error = true;
  const int recorded = other.card.recorded;
  CHECK(other.launches_of(100, 0) == 100);
  CHECK(other.card.recorded == recorded);
  other.card.has_error = false;
  CHECK(other.launches_of(100, 1) > 90);
}

TEST_CASE("Under capture the decided candidate is launched, else number 0, and nothing is timed", "[choose]") {
  guarded_card of{{10000, 5000}};
  of.card.is_captured = true;
  CHECK(of.launches_of(100, 0) == 100);
  CHECK((of.card.recorded == 0 && of.card.made == 0));
  of.card.is_captured = false;
  (void)of.launches_of(200, 0);
  REQUIRE(of.guard.decision(1) == 1);
  of.card.is_captured = true;
  const int recorded = of.card.recorded;
  CHECK(of.launches_of(100, 1) == 100);
  CHECK(of.launches_of(100, 0, 2) == 100);
  CHECK(of.card.recorded == recorded);
}

TEST_CASE("Without events, and when the device has gone, a guard runs on by what it knows", "[choose]") {
  guarded_card none{{1000, 500}};
  none.card.is_gone = true;
  CHECK(none.launches_of(100, 0) == 100);
  guarded_card of{{1000000, 500000}};
  of.card.in_flight = 4;
  (void)of.launches_of(200, 1);
  of.card.is_gone = true;
  (void)of.launches_of(100, 1);
  const int recorded = of.card.recorded;
  CHECK(of.launches_of(100, 1) == 100);
  CHECK(of.card.recorded == recorded);
  of.card.device = 1, of.card.is_gone = false;
  (void)of.launches_of(100, 1);
  CHECK(of.card.recorded > recorded);
  // Events that cannot be recorded: what has no time is tried twice.
  guarded_card mute{{1000, 500}};
  mute.card.can_record = false;
  CHECK(mute.launches_of(100, 1) <= 2);
}

TEST_CASE("Other work of the stream between calls is no part of their times", "[choose]") {
  for (const long long other : {5000, 40000}) {
    for (const long long between : {5000, 100000, 1000000}) {
      guarded_card of{{20000, other}};
      of.card.in_flight = 3;
      for (int i = 0; i < 20000; ++i) {
        CHECK(of.call() == 0);
        of.card.launch(between);
      }
      CHECK(of.guard.decision(1) == (other < 20000 ? 1 : 0));
      const auto [first, second] = std::pair(of.launches[0], of.launches[1]);
      CAPTURE(other, between, first, second);
      CHECK(20000.0 * first + static_cast<double>(other) * second <= 1.01 * 20000 * 20000 + 2.0 * (20000 + other));
    }
  }
}

TEST_CASE("A launch may fail while calls of other threads begin and end", "[choose]") {
  fake_card card;
  guarded guard(2, fake_events{&card});
  const auto call = [&](const auto& launch) {
    return guard.call(
        0, 1, launch, [](std::uint64_t) { return std::pair(-1, std::vector<double>()); }, [](int) { return 0; });
  };
  for (int i = 0; i < 3000; ++i) {
    const int error = call([&](int which) {
      CHECK(call([&](int other) { return card.launch(other == 0 ? 10000 : 20000); }) == 0);
      return card.launch(which == 0 ? 10000 : 20000, which == 0 && i % 5 == 0 ? 7 : 0);
    });
    CHECK((error == 0 || i % 5 == 0));
  }
  CHECK(guard.decision(1) == 0);
}

TEST_CASE("A launch that throws an exception is not timed, and the guard goes on", "[choose]") {
  guarded_card of{{1000, 500}};
  const auto recall = [](std::uint64_t) { return std::pair(-1, std::vector<double>()); };
  const auto compare = [](int) { return 0; };
  for (int i = 0; i < 200; ++i) {
    CHECK_THROWS_AS(of.guard.call(
                        0, 1, [](int) -> int { throw std::runtime_error("no"); }, recall, compare),
                    std::runtime_error);
  }
  CHECK(of.launches_of(300, 1) > 200);
}

TEST_CASE("What is remembered of a key is asked once, and the first launch of each candidate may be compared",
          "[choose]") {
  guarded_card of{{1000, 2000, 500}};
  of.recalled = 2, of.seconds = {1e-6, 2e-6, 5e-7};
  CHECK(of.launches_of(50, 2) == 50);
  CHECK(of.compared == 0);
  guarded_card compared{{1000, 500, 300}};
  compared.wrong = 2;
  int failed = 0;
  for (int i = 0; i < 300; ++i) failed += compared.call() == 99 ? 1 : 0;
  CHECK((failed == 1 && compared.compared == 2 && compared.guard.decision(1) == 1));
  CHECK(compared.launches[2] == 1);
}

TEST_CASE("Events of all devices are destroyed, also those in flight", "[choose]") {
  fake_card card;
  card.in_flight = 1000;
  {
    guarded guard(2, fake_events{&card});
    for (int i = 0; i < 40; ++i) {
      card.device = i % 2;
      (void)guard.call(
          0, 1, [&](int) { return card.launch(1000); },
          [](std::uint64_t) { return std::pair(-1, std::vector<double>()); }, [](int) { return 0; });
    }
    CHECK((card.made == 64 && card.destroyed == 0));
  }
  CHECK(card.destroyed == 64);
}
