// The law of warp_dealt, in the kernel's own code on the host: each item of each source once, in launches that are
// resident at once or not, one after another, and whether or not the list has room. And what list_probe counts.

#include "simt.hpp"

#include <heddle/expand/list_probe.hpp>
#include <heddle/expand/warp_dealt.hpp>

#include "sources.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::sources;

namespace {

struct launched {
  unsigned blocks, threads, resident;
  bool in_rows = false;
};

/// A state, in memory that is stale behind what the owner zeroes.
class dealt_state {
 public:
  dealt_state(unsigned size, unsigned listed)
      : words_(warp_dealt::state_bytes(listed) / 8 + 64, stale), work_(size, listed, words_.data()) {
    std::memset(words_.data(), 0, warp_dealt::bytes_to_clear());
  }
  const warp_dealt& work() const { return work_; }
  bool guard_is_whole() const {
    return std::all_of(words_.end() - 64, words_.end(), [](auto word) { return word == stale; });
  }

 private:
  static constexpr unsigned long long stale = 0xa5a5a5a5a5a5a5a5;
  std::vector<unsigned long long> words_;
  warp_dealt work_;
};

/// Visits all items once, and checks that.
void every_item_once(const dealt_state& state, const sources& all, launched by) {
  CAPTURE(all.name, all.size(), by.blocks, by.threads, by.resident, by.in_rows);
  const std::vector<unsigned> begin = all.begins();
  std::vector<int> visits(all.items()), counted(all.size());
  bool all_exist = true;
  simt::launch_together(
      {.blocks = by.blocks, .threads = by.threads, .resident = by.resident, .limit = 40'000'000}, [&] {
        __shared__ warp_dealt::storage smem;
        const auto count = [&](unsigned source) { return ++counted[source], all.n[source]; };
        const auto visit = [&](unsigned source, unsigned rank) {
          if (simt::random() % 256 == 0) simt::wait();
          if (source < all.size() && rank < all.n[source]) {
            ++visits[begin[source] + rank];
          } else {
            all_exist = false;
          }
        };
        by.in_rows ? state.work().run_in_rows(smem, count, visit) : state.work().run(smem, count, visit);
      });
  CHECK(all_exist);
  CHECK(counted == std::vector<int>(all.size(), 1));
  CHECK(visits == std::vector<int>(visits.size(), 1));
  CHECK(state.guard_is_whole());
}

}  // namespace

TEST_CASE("warp_dealt visits every item of every source once on the host", "[expand]") {
  std::size_t turn = 0;
  const launched shapes[] = {{1, 32, 1}, {3, 64, 3, true}, {5, 96, 2}, {4, 32, 1, true}, {12, 32, 4}};
  for (const sources& all : heddle_test::every_distribution(false)) {
    if (all.size() == 0) continue;  // no launch
    const dealt_state state(all.size(), all.size());
    for (int again = 0; again < 3; ++again) every_item_once(state, all, shapes[turn++ % std::size(shapes)]);
  }
}

TEST_CASE("In rows, lanes of a warp have items that follow one another, also of even sources, on the host",
          "[expand]") {
  for (const unsigned each : {2u, 3u, 8u, 32u}) {
    const sources all = heddle_test::drawn("even", 200, [=](unsigned) { return each; });
    const std::vector<unsigned> begin = all.begins();
    const dealt_state state(all.size(), 0);
    std::vector<unsigned> lanes(all.items());
    simt::launch_together({.blocks = 2, .threads = 64, .resident = 2, .limit = 40'000'000}, [&] {
      __shared__ warp_dealt::storage smem;
      state.work().run_in_rows(
          smem, [&](unsigned source) { return all.n[source]; },
          [&](unsigned source, unsigned rank) { lanes[begin[source] + rank] = detail::warp::lane(); });
    });
    for (unsigned i = 0; i < lanes.size(); ++i) {
      CAPTURE(each, i);
      REQUIRE(lanes[i] == i % 32);
    }
  }
}

TEST_CASE("Sources of 0 to 3 times what a warp deals out are visited once on the host", "[expand]") {
  for (const unsigned listed : {0u, 1u, 5u, 400u}) {
    const sources all = heddle_test::drawn("around the limit", 400, [](unsigned i) {
      return i % 3 == 0 ? 63 + i % 5 : i % 7 == 0 ? 190 + i % 9 : i % 2;
    });
    const dealt_state state(all.size(), listed);
    simt::late = listed % 2;
    for (const launched by : {launched{2, 64, 2}, launched{6, 32, 2, true}, launched{2, 64, 1}})
      every_item_once(state, all, by);
  }
  simt::late = 0;
}

TEST_CASE("A late source of many items is visited once, whatever blocks have ended, on the host", "[expand]") {
  for (const unsigned huge : {0u, 31u, 200u, 319u}) {
    const sources all = heddle_test::drawn("one huge", 320, [=](unsigned i) { return i == huge ? 5000u : i % 2; });
    const dealt_state state(all.size(), 1);
    for (const unsigned resident : {1u, 3u, 10u}) every_item_once(state, all, {10, 32, resident});
  }
}

TEST_CASE("A source of more items than a warp adds up is visited once without a list on the host", "[expand]") {
  const sources all =
      heddle_test::drawn("one too many", 40, [](unsigned i) { return i == 7 ? (1u << 20) + 3 : i % 3; });
  every_item_once(dealt_state(all.size(), 0), all, {1, 64, 1});
}

TEST_CASE("list_probe counts sources, items, turns and the longest on the host", "[expand]") {
  for (const sources& all : heddle_test::every_distribution(false)) {
    CAPTURE(all.name, all.size());
    list_counts found, expected{.sources = all.size(), .spawning = all.spawning(), .items = all.items()};
    for (unsigned first = 0; first < all.size(); first += 32) {
      const auto begin = all.n.begin() + first, end = all.n.begin() + std::min(first + 32, all.size());
      const unsigned longest = *std::max_element(begin, end);
      expected.turns += longest;
      expected.longest = std::max<unsigned long long>(expected.longest, longest);
    }
    if (all.size() > 0) {
      simt::launch(3, 64, [&] {
        detail::expand::add_up_counts(&found, all.size(), [&](unsigned source) { return all.n.at(source); });
      });
    }
    CHECK(found.sources == expected.sources);
    CHECK(found.spawning == expected.spawning);
    CHECK(found.items == expected.items);
    CHECK(found.turns == expected.turns);
    CHECK(found.longest == expected.longest);
  }
}
