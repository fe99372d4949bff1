// Pairs in the order of their sources, on the host: each item is where an exclusive scan of the counts puts it,
// whatever blocks run first.

#include "simt.hpp"

#include <heddle/expand/scanned.hpp>
#include <heddle/expand/source_in_order.hpp>

#include "expand/state.hpp"
#include "sources.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::drawn;
using heddle_test::sources;

namespace {

constexpr unsigned nowhere = ~0u;

/// Writes the source of each item to its slot.
template <unsigned Count>
std::vector<unsigned> pairs_of(const heddle_test::state<scanned>& state, const sources& all, unsigned threads) {
  const unsigned blocks = heddle_test::blocks_of(all.size(), threads * Count);
  simt::launch_together({.blocks = blocks, .threads = threads, .resident = 4}, [&] {
    __shared__ scanned::push_storage smem;
    heddle_test::push_sources<Count>(state.work(), smem, all, [](unsigned i) { return source_in_order(Count, i); });
  });
  std::vector<unsigned> found(state.work().capacity().items, nowhere);
  simt::launch_together({.blocks = 3, .threads = 64}, [&] {
    __shared__ scanned::storage smem;
    for (auto place = state.work().items(smem); place; ++place) {
      const auto [source, rank] = *place;
      if (found.at(place.slot()) != nowhere) throw std::logic_error("two items in a slot");
      found[place.slot()] = source;
      if (rank != place.slot() - all.begins().at(source)) throw std::logic_error("a rank that is not in its place");
    }
  });
  return found;
}

template <unsigned Count>
void is_in_order(const sources& all, unsigned threads) {
  CAPTURE(Count, all.name, threads);
  std::vector<unsigned> expected;
  for (unsigned source = 0; source < all.size(); ++source) expected.insert(expected.end(), all.n[source], source);
  const unsigned blocks = heddle_test::blocks_of(all.size(), threads * Count);
  const expansion room = room_for_launch(blocks, static_cast<int>(threads), Count, all.items());
  heddle_test::state<scanned> state(room);
  state.begin();
  CHECK(pairs_of<Count>(state, all, threads) == expected);

  // With less room whole sources are left out, from one on, and all are counted.
  heddle_test::state<scanned> small({room.sources, all.items() / 2});
  small.begin();
  std::vector<unsigned> found = pairs_of<Count>(small, all, threads);
  while (!found.empty() && found.back() == nowhere) found.pop_back();
  CHECK(small.items_pushed() == all.items());
  CHECK(std::equal(found.begin(), found.end(), expected.begin()));
  CHECK((found.empty() || expected[found.size()] != found.back()));
}

}  // namespace

TEST_CASE("Items of scanned are where an exclusive scan puts them on the host", "[expand]") {
  const sources kinds[] = {drawn("0 to 6", 701, [](unsigned i) { return i * 2654435761u >> 16 & 7; }),
                           drawn("few are large", 502, [](unsigned i) { return i % 150 == 77 ? 400u : i % 3; })};
  for (const sources& all : kinds) {
    for (const unsigned threads : {32u, 72u, 33u}) {
      is_in_order<1>(all, threads);
      is_in_order<4>(all, threads);
    }
  }
}

TEST_CASE("More pairs than 2^32 are counted, and those before the room ends are in order, on the host", "[expand]") {
  heddle_test::state<scanned> state({64, 1000});
  state.begin();
  simt::launch_together({.blocks = 2, .threads = 32}, [&] {
    __shared__ scanned::push_storage smem;
    const unsigned source = source_in_order(1, 0);
    state.work().push(smem, source, source < 5 ? 10 : 0xffffffff);
  });
  CHECK(state.items_pushed() == 50 + 59 * 0xffffffffull);
  unsigned count = 0;
  simt::launch_together({.blocks = 2, .threads = 32}, [&] {
    __shared__ scanned::storage smem;
    for (auto place = state.work().items(smem); place; ++place) {
      const auto [source, rank] = *place;
      count += place.slot() == 10 * source + rank && source < 5;
    }
  });
  CHECK(count == 50);
}
