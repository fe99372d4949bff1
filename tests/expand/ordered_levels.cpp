// The law of ordered levels, in the kernel's own code on the host: the list of each level is what a traversal one item
// after another makes, in that order. The oracle is that traversal.

#include "simt.hpp"

#include <heddle/expand/ordered_levels.hpp>

#include "test.hpp"
#include "traversal.hpp"

using namespace heddle;
using heddle_test::growth, heddle_test::outcome, heddle_test::traversal, heddle_test::way;

namespace {

/// Levels in memory of the host, all of whose bytes are `filling`, with a guard behind.
struct room {
  room(unsigned long long items, unsigned char all_bytes)
      : bytes(ordered_levels<way>::state_bytes(items)),
        words(bytes / 8 + 64, 0x0101010101010101ull * all_bytes),
        work(items, words.data()),
        filling(all_bytes) {}
  ordered_levels<way>::totals totals() const {
    return *reinterpret_cast<const ordered_levels<way>::totals*>(words.data());
  }
  bool guard_is_whole() const {
    const auto* const all = reinterpret_cast<const unsigned char*>(words.data());
    return std::all_of(all + bytes, all + 8 * words.size(), [&](unsigned char byte) { return byte == filling; });
  }
  std::size_t bytes;
  std::vector<unsigned long long> words;
  ordered_levels<way> work;
  unsigned char filling;
};

struct launched {
  unsigned blocks, threads;
};

/// Runs a turn and checks all that it leaves. Levels are visited up to the first whose children find no room.
void check_turn(room& in, unsigned roots, unsigned levels, const growth& grows, launched by) {
  const traversal of(roots, levels, grows);
  const auto& all = of.lists;
  const outcome expected(of, in.work.capacity());
  std::vector<std::size_t> counted(all.size()), made(all.size() + 1);
  std::vector<unsigned> rooted(roots);
  std::memset(in.words.data(), 0, in.work.bytes_to_clear(in.work.capacity()));
  unsigned strange = 0;
  simt::launch_together({.blocks = by.blocks, .threads = by.threads, .limit = 40'000'000}, [&] {
    __shared__ ordered_levels<way>::storage smem;
    in.work.run(
        smem, roots, levels,
        [&](unsigned i) {
          if (simt::random() % 64 == 0) simt::wait();
          ++rooted[i];
          return way::of_root(i);
        },
        [&](const way& item, unsigned level) {
          if (simt::random() % 64 == 0) simt::wait();
          strange += item.level != level;
          ++counted[level];
          return grows.of(item);
        },
        [&](const way& item, unsigned rank, unsigned level) {
          if (simt::random() % 64 == 0) simt::wait();
          strange += item.level != level || rank >= grows.of(item);
          ++made[level];
          return item.child(rank);
        });
  });
  CHECK(strange == 0);
  CHECK(std::all_of(rooted.begin(), rooted.end(),
                    [&](unsigned times) { return times == (expected.lists > 0 ? 1u : 0u); }));
  for (std::size_t level = 0; level < all.size(); ++level) {
    CHECK(counted[level] == (level < expected.lists && level < levels ? all[level].size() : 0));
    CHECK(made[level] == (level + 1 < expected.lists ? all[level + 1].size() : 0));
  }
  const auto totals = in.totals();
  CHECK(in.work.required(totals) == expected.most);
  CHECK(in.work.levels_visited(totals) == (expected.is_whole ? all.size() - 1 : expected.lists));
  const auto [items, count] = in.work.last(totals);
  REQUIRE(count == (expected.is_whole ? all.back().size() : 0));
  CHECK((std::vector<way>(items, items + count) == (expected.is_whole ? all.back() : std::vector<way>{})));
  CHECK(in.guard_is_whole());
}

}  // namespace

TEST_CASE("Ordered levels make the lists of a traversal one after another, in every interleaving on the host",
          "[expand]") {
  for (int round = 0; round < 24; ++round) {
    const launched by{1 + static_cast<unsigned>(simt::random() % 5),
                      32 * (1 + static_cast<unsigned>(simt::random() % 3))};
    const unsigned roots =
        round % 6 == 0 ? static_cast<unsigned>(round / 6 % 3) : static_cast<unsigned>(simt::random() % 500);
    const unsigned levels = round % 7 == 0 ? static_cast<unsigned>(round / 7 % 3) : 6;
    const growth grows{static_cast<unsigned>(simt::random()), round % 2 == 0 ? 20u : 60u, round % 2 == 0 ? 8u : 50u};
    CAPTURE(round, by.blocks, by.threads, roots, levels, grows.seed);
    simt::late = static_cast<unsigned>(round % 2);
    room in(traversal(roots, levels, grows).largest() + static_cast<unsigned>(round % 3), round % 4 < 2 ? 0xa5 : 0xff);
    check_turn(in, roots, levels, grows, by);
    check_turn(in, roots / 2, levels, {grows.seed, 20, 1}, by);  // the same memory again
  }
  simt::late = 0;
}

TEST_CASE("Ordered levels of one item each, and of none, end on the host", "[expand]") {
  for (const unsigned roots : {0u, 1u}) {
    for (const unsigned n : {0u, 1u, 33u}) {
      room in(40, 0xa5);
      for (const unsigned blocks : {1u, 3u}) {
        CAPTURE(roots, n, blocks);
        // All items have as many children, up to the second level.
        unsigned visits = 0;
        std::memset(in.words.data(), 0, in.work.bytes_to_clear(40));
        simt::launch_together({.blocks = blocks, .threads = 64}, [&] {
          __shared__ ordered_levels<way>::storage smem;
          in.work.run(
              smem, roots, 2, way::of_root, [&](const way&, unsigned level) { return ++visits, level == 0 ? n : 1; },
              [](const way& item, unsigned rank, unsigned) { return item.child(rank); });
        });
        CHECK(visits == roots + roots * n);
        CHECK(in.work.last(in.totals()).count == roots * n);
        for (unsigned i = 0; i < roots * n; ++i) CHECK((in.work.last(in.totals()).items[i] == way{0, 2, i * 31}));
      }
    }
  }
}

TEST_CASE("Ordered levels end before the list that finds no room, and say what it needs, on the host", "[expand]") {
  for (int round = 0; round < 6; ++round) {
    const growth grows{static_cast<unsigned>(simt::random()), 4, 12};
    const std::size_t most = traversal(90, 4, grows).largest();
    CAPTURE(round, grows.seed, most);
    for (const std::size_t items : {most, most - 1, most / 2 + 1, std::size_t{90}, std::size_t{89}, std::size_t{0}}) {
      room in(items, 0xa5);
      check_turn(in, 90, 4, grows, {3, 64});
    }
  }
}

TEST_CASE("Ordered levels count children past 2^32, exactly, on the host", "[expand]") {
  room in(1000, 0xa5);
  std::memset(in.words.data(), 0, in.work.bytes_to_clear(1000));
  unsigned made = 0;
  simt::launch_together({.blocks = 3, .threads = 64}, [&] {
    __shared__ ordered_levels<way>::storage smem;
    in.work.run(
        smem, 1000, 5, way::of_root, [](const way&, unsigned) { return 0xffffffffu; },
        [&](const way& item, unsigned, unsigned) { return ++made, item; });
  });
  CHECK(made == 0);
  CHECK(in.work.required(in.totals()) == 1000 * 0xffffffffull);
  CHECK(in.work.last(in.totals()).count == 0);
  CHECK(in.work.levels_visited(in.totals()) == 1);
  CHECK(in.guard_is_whole());
}
