#pragma once

// The laws of expansion, in one text for two machines: the kernels' own code on the host, and a GPU.
//
// A machine says how fast it is, and runs both passes:
//   is_fast, several, large_n       whether sizes may be large; sources that a thread pushes at once; the largest n
//   block_sizes, shapes(all, of)    threads of a block that pushes; {threads, blocks} of launches of the second pass
//   warps_take(all)                 whether items of warps and of blocks are visited too
//   state<Work>                     a strategy with its memory, and a guard behind it
//   push, push_some, push_in_turns, push_several
//   visits<Granularity>(work, all, threads, blocks)

#include <heddle/expand.hpp>

#include "expand/sources.hpp"
#include "test.hpp"

namespace heddle_test {

using namespace heddle;

/// What a second pass visits: how often each item and each slot, and how many wrong items. An item of a strategy
/// without slots has its own number for one.
struct visited {
  std::vector<int> items, slots;
  int wrong = 0;

  unsigned long long count() const { return std::accumulate(items.begin(), items.end(), 0ull); }
};

/// Returns the first count that is not `expected`, in words; empty if all are.
inline std::string not_all(const std::vector<int>& counts, int expected) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != expected) {
      return "item " + std::to_string(i) + " of " + std::to_string(counts.size()) + " was counted " +
             std::to_string(counts[i]) + " times, not " + std::to_string(expected);
    }
  }
  return {};
}

/// Returns, in words, the first source that was visited in part or twice; empty if none was.
inline std::string in_part(const visited& found, const sources& all) {
  const std::vector<unsigned> begin = all.begins();
  for (unsigned source = 0; source < all.size(); ++source) {
    for (unsigned rank = 0; rank < all.n[source]; ++rank) {
      const int count = found.items[begin[source] + rank];
      if (count > 1) return "source " + std::to_string(source) + " is there more than once";
      if (count != found.items[begin[source]]) return "source " + std::to_string(source) + " is there in part";
    }
  }
  return {};
}

template <granularity Granularity, class Machine, class Work>
void every_item_once(const Machine& on, const Work& work, const sources& all, unsigned threads, unsigned blocks) {
  CAPTURE(all.name, all.size(), blocks, threads, static_cast<int>(Granularity));
  const int of_each = Granularity == granularity::thread ? 1
                      : Granularity == granularity::warp ? 32
                                                         : static_cast<int>(threads);
  const visited found = on.template visits<Granularity>(work, all, threads, blocks);
  CHECK(found.wrong == 0);
  CHECK(not_all(found.items, of_each) == "");
  CHECK(not_all(found.slots, of_each) == "");
}

template <granularity Granularity, class Machine, class Work>
void every_item_once(const Machine& on, const Work& work, const sources& all) {
  for (const auto& [threads, blocks] : on.shapes(all, Granularity)) {
    every_item_once<Granularity>(on, work, all, threads, blocks);
  }
}

/// The law for one strategy: for each distribution, granularity and launch.
template <class Work, class Machine>
void obeys_the_law(const Machine& on, unsigned most = ~0u) {
  std::size_t turn = 0;
  for (const sources& all : every_distribution(on.is_fast, most)) {
    const unsigned threads = Machine::block_sizes[turn++ % std::size(Machine::block_sizes)];
    CAPTURE(typeid(Work).name(), all.name, all.size(), threads);
    typename Machine::template state<Work> of(room_for(all, threads));
    for (int again = 0; again < 2; ++again) {
      on.push(of, all, threads);
      CHECK(of.required().items == all.items());
      CHECK(of.items_pushed() == all.items());
      every_item_once<granularity::thread>(on, of.work(), all);
    }
    if (on.warps_take(all)) {
      every_item_once<granularity::warp>(on, of.work(), all);
      every_item_once<granularity::block>(on, of.work(), all);
    }
    CHECK(of.guard_is_whole());
  }
}

template <class Work, class Machine>
void takes_several(const Machine& on, unsigned most = ~0u) {
  std::size_t turn = 0;
  for (const sources& all : every_distribution(on.is_fast, most)) {
    const unsigned threads = turn++ % 2 == 0 ? Machine::block_sizes[0] : 40;
    const unsigned blocks = blocks_of(all.size(), Machine::several * threads);
    CAPTURE(typeid(Work).name(), all.name, all.size(), threads);
    typename Machine::template state<Work> of(
        {1ull * blocks * Machine::several * ((threads + 31) / 32 * 32), all.items()});
    on.push_several(of, all, threads);
    CHECK(of.items_pushed() == all.items());
    every_item_once<granularity::thread>(on, of.work(), all);
    CHECK(of.guard_is_whole());
  }
}

/// The law for sources from divergent code, and for blocks that push again and again with the same shared memory.
template <class Work, class Machine>
void takes_some(const Machine& on, unsigned most = ~0u) {
  for (const sources& all : every_distribution(on.is_fast, most)) {
    CAPTURE(typeid(Work).name(), all.name, all.size());
    typename Machine::template state<Work> of({all.spawning(), all.items()});
    for (const bool in_turns : {false, true}) {
      in_turns ? on.push_in_turns(of, all) : on.push_some(of, all);
      CHECK(of.required().sources == all.spawning());
      CHECK(of.items_pushed() == all.items());
      every_item_once<granularity::thread>(on, of.work(), all);
    }
    CHECK(of.guard_is_whole());
  }
}

/// If the room is too small, each source is there whole or not at all, and the room that all of them need is known.
template <class Work, class Machine>
void leaves_out_whole_sources(const Machine& on, bool counts_all_threads, bool counts_sources = true,
                              bool counts_items = true, unsigned largest = Machine::large_n) {
  const unsigned size = on.is_fast ? 20'000 : 700, threads = 96;
  std::mt19937 random(8);
  const sources all = drawn("uneven", size, [&](unsigned i) {
    return i % 97 == 0 ? largest : random() % 4 == 0 ? static_cast<unsigned>(random() % std::min(largest, 40u)) : 0u;
  });
  const unsigned long long items = all.items();
  const expansion whole = counts_all_threads ? room_for(all, threads) : expansion{all.spawning(), items};
  const auto with_room = [&](expansion room) {
    CAPTURE(typeid(Work).name(), room.sources, room.items, whole.sources, items);
    typename Machine::template state<Work> of(room);
    on.push(of, all, threads);
    CHECK(of.required().sources == whole.sources);
    CHECK(of.items_pushed() == items);
    const visited found = on.template visits<granularity::thread>(of.work(), all);
    CHECK(found.wrong == 0);
    CHECK(in_part(found, all) == "");
    CHECK((found.count() <= room.items || !counts_items));
    CHECK(of.guard_is_whole());
    return found.count();
  };
  for (const unsigned long long room : {items, items - 1, items / 2, largest - 1ull, 1ull, 0ull}) {
    if (counts_items) CHECK(with_room({whole.sources, room}) + (room == items ? 0 : largest) >= room);
  }
  if (!counts_sources) return;
  CHECK(with_room({whole.sources, items}) == items);
  CHECK(with_room({counts_all_threads ? (size - 1) / threads * threads : whole.sources - 1, items}) < items);
  CHECK(with_room({whole.sources / 2, items}) > 0);
  CHECK(with_room({0, items}) == 0);
}

/// Room for some of the sources of one item each, up to all of them: as many are there, and nothing is written behind.
template <class Work, class Machine>
void leaves_out_ones(const Machine& on, bool counts_all_threads) {
  const unsigned size = on.is_fast ? 30'000 : 500, threads = 64;
  const sources all = drawn("ones", size, [](unsigned) { return 1u; });
  const unsigned long long whole = counts_all_threads ? room_for(all, threads).sources : size;
  for (const unsigned room : {0u, 1u, 31u, 32u, 63u, 64u, 65u, 192u, 255u, 256u, 1025u, size / 2, size - 1, size}) {
    for (const bool of_sources : {false, true}) {
      if (room > size) continue;
      CAPTURE(typeid(Work).name(), room, of_sources);
      typename Machine::template state<Work> of(of_sources ? expansion{room, size} : expansion{whole, room});
      on.push(of, all, threads);
      CHECK(of.items_pushed() == size);
      CHECK(of.required().sources == whole);
      const visited found = on.template visits<granularity::thread>(of.work(), all);
      CHECK(found.wrong == 0);
      CHECK(in_part(found, all) == "");
      CHECK(found.count() == room);
      CHECK(of.guard_is_whole());
    }
  }
}

}  // namespace heddle_test
