// Expansion by concurrent blocks, on the host: with additions that are answered late, with more than there is room for,
// and with several lists pushed with one storage.

#include "simt.hpp"

#include <heddle/expand/append.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>

#include "expand/state.hpp"
#include "sources.hpp"
#include "test.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

/// While it exists, every addition is answered `turns` turns of the block late.
struct late_answers {
  explicit late_answers(unsigned turns) { simt::late = turns; }
  ~late_answers() { simt::late = 0; }
};

constexpr unsigned several = 3;

/// Pushes a block's part of a list.
template <class Work>
void push_its_part(const Work& work, typename Work::push_storage& smem, const sources& all) {
  push_sources<several>(work, smem, all, [](unsigned i) { return source_in_rows(several, i); });
}

template <class Work>
std::vector<int> items_of(const Work& work, const sources& all) {
  std::vector<int> found(all.items());
  const std::vector<unsigned> begin = all.begins();
  simt::launch_together({.blocks = 3, .threads = 64}, [&] {
    __shared__ typename Work::storage smem;
    for (const auto [source, rank] : work.items(smem)) {
      if (rank >= all.n.at(source)) throw std::logic_error("a rank that the source does not have");
      ++found[begin[source] + rank];
    }
  });
  return found;
}

/// Two lists pushed by one kernel and read by one kernel, each with one storage and no barrier between.
template <class Work>
void serves_two_lists() {
  for (int round = 0; round < 12; ++round) {
    const unsigned threads = 32 + static_cast<unsigned>(simt::random() % 100), blocks = 4;
    const unsigned size = blocks * threads * several - static_cast<unsigned>(simt::random() % threads);
    const sources lists[] = {drawn("one", size, [](unsigned i) { return i * 7 % 5; }),
                             drawn("other", size, [](unsigned i) { return i % 3 == 0 ? 9u : 0u; })};
    CAPTURE(round, threads, size);
    const expansion room = room_for_launch(blocks, static_cast<int>(threads), several, 10ull * size);
    state<Work> states[] = {state<Work>(room), state<Work>(room)};
    for (auto& each : states) each.begin();
    simt::launch_together({.blocks = blocks, .threads = threads}, [&] {
      __shared__ typename Work::push_storage smem;
      for (int list : {0, 1}) push_its_part(states[list].work(), smem, lists[list]);
    });
    std::vector<int> found[2] = {std::vector<int>(lists[0].items()), std::vector<int>(lists[1].items())};
    simt::launch_together({.blocks = 2, .threads = 64}, [&] {
      __shared__ typename Work::storage smem;
      for (int list : {0, 1}) {
        const std::vector<unsigned> begin = lists[list].begins();
        for (const auto [source, rank] : states[list].work().items(smem)) ++found[list].at(begin.at(source) + rank);
      }
    });
    for (int list : {0, 1}) {
      CHECK(states[list].items_pushed() == lists[list].items());
      CHECK(found[list] == std::vector<int>(found[list].size(), 1));
      CHECK(states[list].guard_is_whole());
    }
  }
}

/// More than there is room for, while every addition is answered late: the sources that are there are whole, and all
/// are counted.
template <class Work>
void leaves_out_whole_sources() {
  const late_answers late(3);
  const sources all = drawn("uneven", 1500, [](unsigned i) { return i % 97 == 0 ? 130u : i % 4; });
  const std::vector<unsigned> begin = all.begins();
  for (const unsigned long long room : {all.items() - 1, all.items() / 2, 131ull}) {
    state<Work> of({1536, room});
    of.begin();
    simt::launch_together({.blocks = 8, .threads = 64}, [&] {
      __shared__ typename Work::push_storage smem;
      push_its_part(of.work(), smem, all);
    });
    CHECK(of.items_pushed() == all.items());
    const std::vector<int> found = items_of(of.work(), all);
    unsigned partly = 0;
    for (unsigned source = 0; source < all.size(); ++source) {
      for (unsigned rank = 0; rank < all.n[source]; ++rank) {
        partly += found[begin[source] + rank] != found[begin[source]] || found[begin[source] + rank] > 1;
      }
    }
    CHECK(partly == 0);
    const auto count = static_cast<unsigned long long>(std::count(found.begin(), found.end(), 1));
    CHECK(count <= room);
    CHECK(count + 130 >= room);
    CHECK(of.guard_is_whole());
  }
}

/// As many threads as a GPU runs at once, each with as many sources as a push takes, `items` items per source. All of
/// them add to a counter without room before the first is answered.
void never_carries(expansion room, unsigned items) {
  constexpr unsigned pushes = 1024, threads = 1024, sources = 63 * threads;
  const late_answers late(2);
  const detail::expand::packed_counter counter("sources", "items", room);
  detail::expand::packed_totals totals{};
  std::vector<unsigned long long> begins(pushes);
  simt::launch(1, pushes, [&] {
    begins[threadIdx.x] = counter.take(totals, detail::expand::live::of(sources, 1ull * sources * items), threads);
  });
  CAPTURE(room.sources, room.items, items);
  std::sort(begins.begin(), begins.end());
  unsigned long long admitted = 0;
  for (const unsigned long long begin : begins) {
    if (begin == ~0ull) break;  // refused
    const auto [source, item] = counter.position_of(begin);
    CHECK(source == admitted * sources);
    CHECK(item == admitted * sources * items);
    ++admitted;
  }
  CHECK(admitted <= room.sources / sources + 1);
  CHECK(counter.required(totals).sources == 1ull * pushes * sources);
  CHECK(counter.required(totals).items == 1ull * pushes * sources * items);
}

}  // namespace

TEST_CASE("A packed counter never carries however late additions are answered on the host", "[expand]") {
  never_carries({1'048'000, 4'000'000'000}, 1);
  never_carries({0, 0}, 1);
  never_carries({1, 1}, 1'000);
  never_carries({1'000'000, 4'000'000'000}, 64);
  never_carries({1'000'000, 4'000'000'000}, 1u << 15);
  never_carries({1'000'000, 4'000'000'000}, ~0u);
  never_carries({(1u << 31) - (1u << 26) - 1, 1u << 30}, 15);
  for (const unsigned items : {7u, 31u, 127u, 4'000u}) never_carries({0xffffffffu - (1u << 26), 1u << 29}, items);
}

TEST_CASE("Strategies push and read two lists with one storage on the host", "[expand]") {
  serves_two_lists<packed_prefix>();
  serves_two_lists<scanned>();
  serves_two_lists<append>();
  serves_two_lists<power_of_two>();
  serves_two_lists<fixed<9>>();
}

TEST_CASE("Concurrent blocks leave out whole sources where there is no room on the host", "[expand]") {
  leaves_out_whole_sources<packed_prefix>();
  leaves_out_whole_sources<scanned>();
  leaves_out_whole_sources<append>();
  leaves_out_whole_sources<power_of_two>();
}
