// The law of levels, in the kernel's own code on the host: each item of each level once, and no level before all of the
// one before it. The oracle is the forest from which the items are drawn.

#include "simt.hpp"

#include <heddle/expand/levels.hpp>

#include "state.hpp"
#include "test.hpp"

using namespace heddle;

namespace {

/// Sources in levels. Item r of source s is number first[s] + r of all items, and spawns the source child[…], or none.
struct forest {
  static constexpr unsigned none = ~0u;
  std::vector<unsigned> n, first, level, child;  // of each source; of each item
  std::vector<unsigned> items_of, sources_of;    // of each level
  unsigned roots = 0;

  unsigned items() const { return static_cast<unsigned>(child.size()); }
};

/// Draws a forest whose level i has about `sizes[i]` sources, and exactly one source if that is 1.
forest drawn(const std::vector<unsigned>& sizes, unsigned most_n) {
  forest all;
  std::vector<unsigned> here;
  for (unsigned level = 0; level < sizes.size(); ++level) {
    std::vector<unsigned> places;  // items of the level before that may spawn
    const auto before = static_cast<unsigned>(all.child.size()) - (level == 0 ? 0 : all.items_of.back());
    for (unsigned item = before; item < all.child.size(); ++item) places.push_back(item);
    std::shuffle(places.begin(), places.end(), simt::random);
    const auto count = level == 0 ? sizes[0] : std::min(sizes[level], static_cast<unsigned>(places.size()));
    all.sources_of.push_back(count);
    all.items_of.push_back(0);
    for (unsigned i = 0; i < count; ++i) {
      const auto source = static_cast<unsigned>(all.n.size());
      const unsigned n = 1 + static_cast<unsigned>(simt::random() % (simt::random() % 40 == 0 ? 9 * most_n : most_n));
      if (level > 0) all.child[places[i]] = source;
      all.n.push_back(n);
      all.first.push_back(static_cast<unsigned>(all.child.size()));
      all.level.push_back(level);
      all.items_of.back() += n;
      all.child.resize(all.child.size() + n, forest::none);
    }
    if (count == 0) break;
  }
  all.roots = sizes[0];
  return all;
}

/// Returns a forest with these n in each level: the items of a level spawn the sources of the next one in turn.
forest made(const std::vector<std::vector<unsigned>>& n_of_level) {
  forest all;
  all.roots = static_cast<unsigned>(n_of_level.front().size());
  for (unsigned level = 0; level < n_of_level.size(); ++level) {
    const std::size_t before = all.child.size() - (level == 0 ? 0 : all.items_of.back());
    all.sources_of.push_back(static_cast<unsigned>(n_of_level[level].size()));
    all.items_of.push_back(0);
    for (std::size_t i = 0; i < n_of_level[level].size(); ++i) {
      const unsigned n = n_of_level[level][i];
      if (level > 0) all.child.at(before + i) = static_cast<unsigned>(all.n.size());
      all.n.push_back(n);
      all.first.push_back(static_cast<unsigned>(all.child.size()));
      all.level.push_back(level);
      all.items_of.back() += n;
      all.child.resize(all.child.size() + n, forest::none);
    }
  }
  return all;
}

struct launched {
  unsigned blocks, threads;
};

struct seen {
  std::vector<unsigned> visits;    // of each item
  std::vector<unsigned> of_level;  // visits so far
  bool in_order = true, in_level = true;
};

/// Pushes the roots and visits all levels, once.
seen visits_of(const heddle_test::state<levels>& state, const forest& all, launched by) {
  simt::launch_together({.blocks = 2, .threads = 32}, [&] {
    for (unsigned root = blockIdx.x * 32 + threadIdx.x; root < all.roots; root += 64) {
      state.work().push_some(root, all.n[root]);
    }
  });
  seen of{std::vector<unsigned>(all.items()), std::vector<unsigned>(all.items_of.size() + 1), true, true};
  simt::launch_together({.blocks = by.blocks, .threads = by.threads, .limit = 40'000'000}, [&] {
    __shared__ levels::storage smem;
    state.work().run(smem, [&](unsigned source, unsigned rank, unsigned level) -> spawned {
      if (level > 0 && of.of_level[level - 1] != all.items_of[level - 1]) of.in_order = false;
      if (simt::random() % 64 == 0) simt::wait();
      if (source >= all.n.size() || rank >= all.n[source]) throw std::logic_error("an item that there is not");
      if (all.level[source] != level) of.in_level = false;
      const unsigned item = all.first[source] + rank;
      ++of.visits[item];
      ++of.of_level[level];
      const unsigned child = all.child[item];
      return child == forest::none ? spawned{0, 0} : spawned{child, all.n[child]};
    });
  });
  return of;
}

expansion largest(const forest& all, std::size_t levels) {
  expansion most{0, 0};
  for (std::size_t level = 0; level < levels && level < all.items_of.size(); ++level) {
    most.sources = std::max<unsigned long long>(most.sources, all.sources_of[level]);
    most.items = std::max<unsigned long long>(most.items, all.items_of[level]);
  }
  return most;
}

/// Checks that the first `count` levels were visited, and nothing else.
void check_levels(const seen& of, const forest& all, std::size_t count) {
  CHECK(of.in_order);
  CHECK(of.in_level);
  unsigned wrong = 0;
  for (unsigned source = 0; source < all.n.size(); ++source) {
    for (unsigned rank = 0; rank < all.n[source]; ++rank) {
      wrong += of.visits[all.first[source] + rank] != (all.level[source] < count ? 1u : 0u);
    }
  }
  CHECK(wrong == 0);
}

const std::vector<std::vector<unsigned>> shapes{
    {0},
    {1},
    {3, 2, 0},
    {1, 1, 1, 1, 1, 1, 1, 1, 1},                                  // one block alone
    {40, 90, 200, 30, 2, 1},                                      // from alone to all blocks and back
    {300, 300, 5, 300, 5, 5, 300, 5, 5, 5, 300, 2, 2, 2, 2, 90},  // in turns
    {1, 30, 900},
    {1500},
    {700, 3, 1}};

}  // namespace

TEST_CASE("Levels visit each item of each level once, in every interleaving on the host", "[expand]") {
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const launched by{1 + static_cast<unsigned>(simt::random() % 5),
                        32 * (1 + static_cast<unsigned>(simt::random() % 3))};
      CAPTURE(round, i, by.blocks, by.threads);
      simt::late = static_cast<unsigned>(round % 2);
      const forest trees[] = {drawn(shapes[i], 6), drawn(shapes[(i + 5) % shapes.size()], 6)};
      const expansion one = largest(trees[0], ~std::size_t{0}), other = largest(trees[1], ~std::size_t{0});
      heddle_test::state<levels> state({std::max(one.sources, other.sources), std::max(one.items, other.items)});
      for (const forest& all : {std::cref(trees[0]), std::cref(trees[1]), std::cref(trees[1])}) {
        state.begin();
        check_levels(visits_of(state, all, by), all, ~std::size_t{0});
        const expansion needed = state.required(), most = largest(all, ~std::size_t{0});
        CHECK(needed.sources == most.sources);
        CHECK(needed.items == most.items);
        CHECK(state.work().items_visited(state.totals()) == all.items());
        const auto count = static_cast<unsigned>(all.items_of.size()) - (all.items_of.back() == 0 ? 1 : 0);
        CHECK(state.work().levels_visited(state.totals()) == count);
      }
      CHECK(state.guard_is_whole());
    }
  }
  simt::late = 0;
}

TEST_CASE("Levels find the first source of a run among 31 to 33 and 992 to 994 on the host", "[expand]") {
  for (const unsigned count : {31u, 32u, 33u, 992u, 993u, 994u}) {
    std::vector<unsigned> last_is_long(count, 1);
    last_is_long.back() = 3000;  // runs begin within the last source, which one warp writes last
    // The third level lies where the first did: behind its entries are those of more sources, which begin earlier.
    const forest all = made({std::vector<unsigned>(count + 100, 1), {count}, last_is_long});
    const expansion most = largest(all, 3);
    heddle_test::state<levels> state(most);
    for (const launched by : {launched{1, 32}, launched{4, 64}}) {
      CAPTURE(count, by.blocks);
      state.begin();
      check_levels(visits_of(state, all, by), all, 3);
      CHECK(state.guard_is_whole());
    }
  }
}

TEST_CASE("Sources of no items take no room in levels on the host", "[expand]") {
  heddle_test::state<levels> state({2, 10});
  state.begin();
  simt::launch(1, 32, [&] { state.work().push_some(threadIdx.x, threadIdx.x % 16 == 3 ? 5 : 0); });
  std::vector<unsigned> visits(32);
  simt::launch_together({.blocks = 1, .threads = 32}, [&] {
    __shared__ levels::storage smem;
    state.work().run(smem, [&](unsigned source, unsigned, unsigned) -> spawned { return ++visits[source], spawned{}; });
  });
  for (unsigned source = 0; source < 32; ++source) CHECK(visits[source] == (source % 16 == 3 ? 5u : 0u));
  CHECK(state.required().sources == 2);
  CHECK(state.required().items == 10);
  CHECK(state.guard_is_whole());
}

TEST_CASE("Levels end before the level that finds no room, and say what it needs, on the host", "[expand]") {
  for (int round = 0; round < 6; ++round) {
    const bool of_sources = round % 2 == 0;
    forest all;
    expansion before{}, with{};
    while (before.sources >= with.sources || before.items >= with.items) {  // the third level is the largest so far
      all = drawn(round < 4 ? std::vector{5u, 40u, 160u, 300u, 7u} : std::vector{2u, 3u, 9u, 11u}, 8);
      before = largest(all, 2);
      with = largest(all, 3);
    }
    CAPTURE(round, before.sources, before.items, with.sources, with.items);
    heddle_test::state<levels> state(of_sources ? expansion{round == 0 ? with.sources - 1 : before.sources, with.items}
                                                : expansion{with.sources, with.items - 1});
    state.begin();
    check_levels(visits_of(state, all, {3, 32}), all, 2);
    CHECK(state.required().sources == with.sources);
    CHECK(state.required().items == with.items);
    CHECK(state.work().levels_visited(state.totals()) == 2);
    CHECK(state.guard_is_whole());
  }
}

TEST_CASE("Levels refuse a level of more than 2^32 items and count it on the host", "[expand]") {
  heddle_test::state<levels> state({64, 4'294'967'232});
  state.begin();
  unsigned visits = 0;
  simt::launch(1, 1, [&] { state.work().push_some(0, 40); });
  simt::launch_together({.blocks = 2, .threads = 64}, [&] {
    __shared__ levels::storage smem;
    state.work().run(smem, [&](unsigned, unsigned rank, unsigned) -> spawned {
      ++visits;
      return {rank, 0xffffffff};
    });
  });
  CHECK(visits == 40);
  CHECK(state.required().sources == 40);
  CHECK(state.required().items == 40 * 0xffffffffull);
  CHECK(state.work().levels_visited(state.totals()) == 1);
  CHECK(state.guard_is_whole());
}
