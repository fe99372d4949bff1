#include <heddle/order/hilbert.hpp>
#include <heddle/trace/buffer.hpp>
#include <heddle/trace/read.hpp>
#include <heddle/trace/summary.hpp>

#include "refusal.hpp"
#include "trace/made.hpp"

using namespace heddle;
using heddle_test::refusal;

namespace {

/// Two multiprocessors of one place each: tiles of 10, 30 and 20 on the first, of 40 on the second, which begins late.
trace::report small_report() {
  trace::report made;
  made.launches = {{9, 2, 1, 0, 0, 64, 3}};
  made.blocks = {{0, 0, 4, 0, 0, 0, 64, 0, 3}, {0, 1, 5, 0, 0, 10, 50, 3, 1}};
  made.slices = {
      {0, 0, 4, 0, 0, 0, 0, 10}, {0, 0, 4, 0, 2, 0, 10, 40}, {0, 0, 4, 0, 3, 0, 40, 60}, {0, 1, 5, 0, 1, 0, 10, 50}};
  return made;
}

bool is_near(double value, double expected) {
  return std::abs(value - expected) < 1e-9;
}

}  // namespace

TEST_CASE("A summary of a small trace has the numbers that are worked out by hand", "[trace]") {
  const trace::summary all = trace::summarize(small_report(), 0, row_major{{1, 4}}, {.schedule = recipe::ticket});
  CHECK(all.tiles == 4);
  CHECK(all.blocks == 2);
  CHECK(all.places == 2);
  CHECK(all.multiprocessors == 2);
  CHECK(is_near(all.time, 64));
  CHECK(is_near(all.idle_share, 1 - 100.0 / 128));
  CHECK(is_near(all.tail, 14));  // the second has had its last tile at 50
  CHECK(is_near(all.longest, 40));
  CHECK(is_near(all.median, 30));
  CHECK(is_near(all.spread, 20.0 / 50));
  CHECK(is_near(all.predicted, 60));  // 10 and 40 begin, 30 and 20 follow the 10
  CHECK(is_near(all.predicted_idle_share, 1 - 100.0 / 120));
  CHECK(is_near(all.skew, 3));
}

TEST_CASE("The text of a summary has its numbers, in microseconds and per cent", "[trace]") {
  trace::summary all{.blocks = 2, .multiprocessors = 3, .places = 4, .tiles = 5};
  all.time = 12'300, all.tail = 4'500, all.longest = 6'780, all.median = 910;
  all.idle_share = 0.25, all.spread = 0.125, all.distance = 7.5, all.skew = 32;
  const std::string measured =
      "5 tiles on 2 blocks, 4 at once, on 3 multiprocessors: 12.3 us\n"
      "idle 25.0 %, tail 4.5 us, tiles: median 0.91 us, longest 6.78 us\n"
      "busiest less idlest multiprocessor: 12.5 % of the mean\n"
      "distance of tiles that run at once: 7.5\n";
  CHECK(all.text() == measured + "clocks of multiprocessors agree within 32 ns\n");
  all.predicted = 11'100, all.predicted_idle_share = 0.5;
  CHECK(all.text() == measured +
                          "predict::makespan of these tiles: 11.1 us, idle 50.0 %\n"
                          "clocks of multiprocessors agree within 32 ns\n");
}

TEST_CASE("A prediction from a trace follows the schedule and needs all tiles", "[trace]") {
  trace::report made = small_report();
  const auto predicted = [&](recipe by) { return trace::summarize(made, 0, row_major{{1, 4}}, by).predicted; };
  CHECK(is_near(predicted({.schedule = recipe::strided}), 70));  // 40 and 20 from 10 on
  CHECK(is_near(predicted({.schedule = recipe::chunked}), 60));  // 30 and 20 from 10 on
  made.slices[1].index = 0;
  CHECK(is_near(predicted({.schedule = recipe::chunked}), 0));
}

TEST_CASE("The distance in a summary is the mean over pairs of tiles that run at once", "[trace]") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const trace::report made = heddle_test::made_report(seed, 2, 4, 2, 8);
    const hilbert order{{8, 8}};
    const trace::summary all = trace::summarize(made, 1, order, {.schedule = recipe::strided});
    double sum = 0;
    long long pairs = 0;
    for (int moment = 0; moment < 64; ++moment) {
      const auto& whole = made.launches[1];
      const double time = whole.begin + (whole.end - whole.begin) * (moment + 0.5) / 64;
      for (const auto& one : made.slices) {
        for (const auto& other : made.slices) {
          if (&one >= &other || one.launch != 1 || other.launch != 1) continue;
          if (one.begin > time || one.end <= time || other.begin > time || other.end <= time) continue;
          const coord a = order(one.index), b = order(other.index);
          sum += std::abs(a.row - b.row) + std::abs(a.col - b.col);
          ++pairs;
        }
      }
    }
    REQUIRE(pairs > 0);
    CHECK(std::abs(all.distance - sum / static_cast<double>(pairs)) < 1e-9);
  }
}

TEST_CASE("What a trace cannot be is refused by name", "[trace]") {
  alignas(16) static char memory[8192];
  const trace::room room{.blocks = 2, .tiles = 10, .launches = 3};
  CHECK(room.bytes() == 2 * (32 + 3 * 64 + 10 * 16));
  CHECK(trace::room{.blocks = 1, .tiles = 10}.bytes() == 32 + 16 * 64 + 10 * 16);  // 16 launches if none are named
  CHECK(refusal([] { return trace::room{.blocks = 0, .tiles = 1}.bytes(); }) ==
        "heddle::trace::room: blocks is 0; it must be at least 1");
  CHECK(refusal([] { return trace::room{.blocks = 1, .tiles = -3}.bytes(); }) ==
        "heddle::trace::room: tiles is -3; it must be at least 1");
  CHECK(refusal([] { return trace::room{.blocks = 1, .tiles = 1, .launches = 0}.bytes(); }) ==
        "heddle::trace::room: launches is 0; it must be at least 1");
  CHECK(refusal([] { return trace::room{.blocks = 1, .tiles = 0x7fffffff}.bytes(); }) ==
        "heddle::trace::room: tiles is 2147483647; it must be at most 268435456");
  CHECK(trace::room{.blocks = 0x7fffffff, .tiles = 1 << 28, .launches = 1 << 20}.bytes() ==
        0x7fffffffull * (32 + (1ull << 26) + (1ull << 32)));
  CHECK(refusal([&] { trace::buffer(room, nullptr, 8192); }) ==
        "heddle::trace::buffer: memory is null; it must point to device memory");
  CHECK(refusal([&] { trace::buffer(room, memory, 767); }) ==
        "heddle::trace::buffer: bytes is 767; it must be at least 768");
  CHECK(refusal([&] { trace::buffer(room, memory + 8, 4096); }).find("it must be a multiple of 16") !=
        std::string::npos);
  CHECK(refusal([&] { trace::read(room, memory, 100); }) ==
        "heddle::trace::read: bytes is 100; it must be at least 768");

  const row_major order{{1, 4}};
  CHECK(refusal([&] { trace::summarize(small_report(), 1, order, {}); }) ==
        "heddle::trace::summarize: launch is 1; it must be at most 0");
  CHECK(refusal([&] { trace::summarize(small_report(), -1, order, {}); }) ==
        "heddle::trace::summarize: launch is -1; it must be at least 0");
  CHECK(refusal([&] {
          trace::summarize(small_report(), 0, row_major{{1, 3}}, {});
        }) == "heddle::trace: the index of a slice is 3; it must be at most 2");
  // Also if the slice takes no time, so that it runs at no moment.
  for (const int index : {-1, 4, 0x7fffffff, -0x7fffffff - 1}) {
    trace::report made = small_report();
    made.slices[3] = {0, 1, 5, 0, index, 0, 10, 10};
    CHECK(refusal([&] { trace::summarize(made, 0, order, {}); }) ==
          "heddle::trace: the index of a slice is " + std::to_string(index) +
              (index < 0 ? "; it must be at least 0" : "; it must be at most 3"));
  }
  // A room of more bytes than a signed number has is larger than any copy.
  const trace::room huge{.blocks = 0x7fffffff, .tiles = 1 << 28, .launches = 1 << 20};
  CHECK(refusal([&] { trace::read(huge, memory, 8192); }) ==
        "heddle::trace::read: bytes is 8192; it must be at least 9223372036854775807");
  CHECK(refusal([&] { trace::buffer(huge, memory, 8192); }) ==
        "heddle::trace::buffer: bytes is 8192; it must be at least 9223372036854775807");
}

TEST_CASE("A trace of nothing is read and summed up", "[trace]") {
  const trace::room room{.blocks = 2, .tiles = 2};
  const std::vector<char> zeros(room.bytes());
  const trace::report none = trace::read(room, zeros.data(), zeros.size());
  CHECK(none.launches.empty());
  CHECK(none.slices.empty());
  trace::report idle;
  idle.launches = {{9, 1, 1, 0, 0, 5, 32}};
  idle.blocks = {{0, 0, 0, 0, 0, 0, 5, 0, 0}};
  const trace::summary all = trace::summarize(idle, 0, row_major{{0, 4}}, {});
  CHECK(all.tiles == 0);
  CHECK(is_near(all.time, 5));
}
