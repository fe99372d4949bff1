// Room for sources in `scanned`: those that fit are expanded, in their order.

#include "simt.hpp"

#include <heddle/expand/scanned.hpp>

#include "expand/state.hpp"
#include "sources.hpp"
#include "test.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

/// A first pass of blocks that push `Count` sources per thread.
template <unsigned Count>
struct pass {
  unsigned threads;
  bool is_in_order;  // each block has consecutive sources; otherwise each row of the whole launch has

  unsigned blocks(unsigned size) const { return (size + threads * Count - 1) / (threads * Count); }

  unsigned source_of(unsigned i) const {
    return is_in_order ? source_in_warps(Count, i) : (i * gridDim.x + blockIdx.x) * threads + threadIdx.x;
  }

  void run(state<scanned>& to, const sources& all) const {
    to.begin();
    simt::launch(blocks(all.size()), threads, [&] {
      __shared__ scanned::push_storage smem;
      push_sources<Count>(to.work(), smem, all, [&](unsigned i) { return source_of(i); });
    });
  }
};

/// Returns how many items of each source the second pass visits.
std::vector<unsigned> found_in(const state<scanned>& of, const sources& all) {
  std::vector<unsigned> found(all.size());
  simt::launch(3, 64, [&] {
    __shared__ scanned::storage smem;
    for (const auto [source, rank] : of.work().items(smem)) {
      if (rank >= all.n.at(source)) throw std::logic_error("a rank that the source does not have");
      ++found[source];
    }
  });
  return found;
}

/// Sources in order fit in room for their number.
template <unsigned Count>
void fits_in_its_size(unsigned threads, unsigned size) {
  const sources all = drawn("three each", size, [](unsigned) { return 3u; });
  CAPTURE(Count, threads, size);
  state<scanned> of({size, all.items()});
  pass<Count>{threads, true}.run(of, all);
  CHECK(found_in(of, all) == all.n);
  CHECK(of.items_pushed() == all.items());
  CHECK(of.guard_is_whole());
}

/// Sources in any order fit in the room of their launch.
template <unsigned Count>
void fits_in_the_room_of_its_launch(unsigned threads, unsigned size) {
  const sources all = drawn("up to two", size, [](unsigned i) { return i * 7 % 3; });
  CAPTURE(Count, threads, size);
  for (const bool is_in_order : {false, true}) {
    const pass<Count> first{threads, is_in_order};
    const expansion room = room_for_launch(first.blocks(size), static_cast<int>(threads), Count, all.items());
    state<scanned> of(room);
    first.run(of, all);
    CHECK(found_in(of, all) == all.n);
    CHECK(of.required().sources == room.sources);
    CHECK(of.guard_is_whole());
  }
}

}  // namespace

TEST_CASE("scanned expands all sources in room for as many on the host", "[expand]") {
  fits_in_its_size<1>(128, 100);
  for (const unsigned threads : {32u, 64u, 96u, 100u, 128u, 256u, 1024u}) {
    for (const unsigned size : {1u, 31u, 100u, 128u, 129u, 500u, 1000u}) {
      fits_in_its_size<1>(threads, size);
      fits_in_its_size<2>(threads, size);
      fits_in_its_size<3>(threads, size);
    }
  }
  fits_in_its_size<2>(33, 1000);
  fits_in_its_size<4>(17, 1000);
}

TEST_CASE("scanned expands all sources in the room of their launch on the host", "[expand]") {
  for (const unsigned threads : {1u, 8u, 31u, 33u, 75u, 128u}) {
    for (const unsigned size : {1u, 75u, 300u, 1000u}) {
      fits_in_the_room_of_its_launch<1>(threads, size);
      fits_in_the_room_of_its_launch<3>(threads, size);
    }
  }
}

TEST_CASE("scanned cuts its list anywhere within a block on the host", "[expand]") {
  constexpr unsigned threads = 96;
  const sources all = drawn("some", 4 * threads, [](unsigned i) { return i * 5 % 7 % 3 * 40; });
  const pass<2> first{threads, true};
  for (unsigned room = 0; room <= all.size(); room += room < 2 * threads ? 7 : 1) {
    state<scanned> of({room, all.items()});
    first.run(of, all);
    CAPTURE(room);
    CHECK(of.required().sources == all.size());
    CHECK(of.items_pushed() == all.items());
    // A block keeps as many of its spawning sources as its part of the room has places, and leaves out the rest.
    std::vector<unsigned> expected = all.n;
    for (unsigned block = 0; block < 2; ++block) {
      const unsigned begin = 2 * threads * block, left = room > begin ? room - begin : 0;
      for (unsigned i = 0, taken = 0; i < 2 * threads; ++i) {
        unsigned& n = expected[begin + i];
        if (n > 0 && taken++ >= left) n = 0;
      }
    }
    CHECK(found_in(of, all) == expected);
    CHECK(of.guard_is_whole());
  }
}
