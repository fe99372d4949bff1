// heddle's schedulers in the roles of FlashAttention-3's forward kernel, over a stand-in for its headers: which tiles
// its threads see, in any interleaving, and in which order tiles come.

#include "simt.hpp"

#include <algorithm>
#include <numeric>

#include "guests/flash/page.hpp"
#include "order/groups.hpp"
#include "test.hpp"

using namespace heddle;
using flash_page::mainloop;
using guest::flash_problem;
using guest::flash_tiles;

namespace {

/// A plan whose packed sequences are prepared on the host.
template <class Mainloop>
struct plan : guest::flash_plan<Mainloop> {
  static auto scheduler_of(const flash_problem& of) {
    if constexpr (Mainloop::Varlen) {
      return ticket{reversed{plan::order_of(of).on_host()}, of.state};
    } else {
      return guest::flash_plan<Mainloop>::scheduler_of(of);
    }
  }
};

/// Launches over one state, with the lengths of its sequences.
struct launches {
  std::vector<int> queries;  // of each sequence
  int heads, sharers = 1;    // heads of queries, and how many of them share keys
  unsigned resident = 3;

  int packed(bool packs) const { return packs ? sharers : 1; }
  int blocks_of(int sequence, bool packs) const {
    return (queries[static_cast<unsigned>(sequence)] * packed(packs) + 127) / 128;
  }

  /// Says what is wrong with three launches in a row, or nothing.
  template <class Mainloop>
  std::string broken() const {
    using Scheduler = flash_tiles<Mainloop, plan<Mainloop>>;
    constexpr bool packs = Mainloop::PackGQA;
    const int sequences = static_cast<int>(queries.size()), longest = *std::max_element(queries.begin(), queries.end());
    const int blocks = (longest * packed(packs) + 127) / 128, own_heads = heads / packed(packs);
    std::vector<int> offsets(1);
    for (const int each : queries) offsets.push_back(offsets.back() + each);

    flash_problem of{.blocks = blocks, .heads = own_heads, .sequences = sequences};
    of.tile_rows = 128 / packed(packs);
    std::vector<unsigned long long> state(guest::packed_sequences<>::state_bytes(of) / 8 + 1);
    const int* const ends = Mainloop::Varlen ? offsets.data() : nullptr;
    const flash::TileSchedulerArguments arguments{
        blocks, own_heads, sequences, 1, sharers, longest, longest, 128, 128, 2, reinterpret_cast<int*>(state.data()),
        ends};
    const auto params = Scheduler::to_underlying_arguments(arguments);
    if constexpr (Mainloop::Varlen) {
      grouped::preparing_storage shared;
      const auto order = plan<Mainloop>::order_of(Scheduler::problem_of(arguments));
      simt::launch(5, 32, [&] { order.prepare(shared, ends + 1, {}); });
    }
    for (int launch = 1; launch <= 3; ++launch) {
      std::vector<unsigned> count(static_cast<unsigned>(sequences * own_heads * blocks));
      unsigned outside = 0;
      const dim3 grid = Scheduler::get_grid_shape(params, 4);
      simt::launch_together({.blocks = grid.x, .threads = Mainloop::block_threads, .resident = resident}, [&] {
        __shared__ int4 shared;
        flash_page::run<Mainloop, Scheduler>(params, &shared, {count.data(), own_heads, blocks, &outside});
      });
      if (outside != 0) return "tiles outside";
      for (int i = 0; i < static_cast<int>(count.size()); ++i) {
        const bool is_there = i % blocks < (Mainloop::Varlen ? blocks_of(i / blocks / own_heads, packs) : blocks);
        if (count[static_cast<unsigned>(i)] != (is_there ? Mainloop::seen_per_tile : 0)) {
          return "launch " + std::to_string(launch) + ": " + std::to_string(count[static_cast<unsigned>(i)]) +
                 " threads see tile " + std::to_string(i);
        }
      }
    }
    return "";
  }
};

constexpr int group = 64;
template <bool Packs = false>
using causal = mainloop<group, false, true, false, Packs>;
template <bool Packs = false>
using local = mainloop<group, false, false, true, Packs>;
template <int Cluster>
using full = mainloop<group, false, false, false, false, Cluster>;
template <bool Packs = false>
using packed_causal = mainloop<group, true, true, false, Packs>;
template <bool Packs = false>
using packed_local = mainloop<group, true, false, true, Packs>;

}  // namespace

TEST_CASE("All roles of FlashAttention-3 see each tile once, launch after launch", "[guests]") {
  for (const int queries : {1, 128, 129, 1000}) {
    for (const int heads : {1, 4, 6}) {
      const launches some{std::vector<int>(2, queries), heads, heads % 2 == 0 ? 2 : 1};
      CAPTURE(queries, heads);
      CHECK(some.broken<causal<>>() == "");
      CHECK(some.broken<causal<true>>() == "");
      CHECK(some.broken<local<>>() == "");
      CHECK(some.broken<full<1>>() == "");
    }
  }
  CHECK(launches{{1024}, 3}.broken<full<2>>() == "");
}

TEST_CASE("Packed sequences of FlashAttention-3 have their own tiles alone", "[guests]") {
  for (const std::vector<int>& queries :
       {std::vector<int>{1}, {0, 200, 0}, {34, 34, 34, 34, 34}, {700, 1, 128, 0, 129, 300}}) {
    for (const int sharers : {1, 4}) {
      const launches some{queries, 4, sharers};
      CAPTURE(queries.size(), sharers);
      CHECK(some.broken<packed_causal<>>() == "");
      CHECK(some.broken<packed_causal<true>>() == "");
      CHECK(some.broken<packed_local<>>() == "");
    }
  }
}

TEST_CASE("FlashAttention-3 begins with the longest tiles of a section of heads that fits L2", "[guests]") {
  for (const int key_bytes : {0, 1 << 20, 9 << 20, 64 << 20}) {
    for (const int sharers : {1, 3}) {
      const flash_problem of{.blocks = 5,
                             .heads = 6,
                             .sequences = 3,
                             .sharers = sharers,
                             .key_bytes = key_bytes,
                             .state = reinterpret_cast<void*>(8)};
      const auto order = guest::longest_first::scheduler_of(of).order();
      const long long width = of.heads_in_l2();
      CAPTURE(key_bytes, sharers, width);
      CHECK((width % sharers == 0 && (width == sharers || width / sharers * key_bytes <= 32 << 20)));
      CHECK((key_bytes == 0 || 2 * width / sharers * key_bytes > 32 << 20 || width / sharers >= 18));
      REQUIRE(order.size() == 5 * 18);
      for (int i = 1; i < order.size(); ++i) {
        const auto before = order(i - 1), here = order(i);
        const bool is_same_section = before.col / width == here.col / width;
        CHECK((is_same_section ? before.row >= here.row : before.row == 0 && here.row == 4));
      }
    }
  }
}

TEST_CASE("FlashAttention-3 begins with the longest of packed sequences", "[guests]") {
  const std::vector<int> queries{300, 0, 128, 700, 34}, ends = heddle_test::ends_of(queries);
  flash_problem of{.blocks = 6, .heads = 2, .sequences = 5, .key_bytes = 40 << 20};
  std::vector<unsigned long long> state(guest::packed_sequences<>::state_bytes(of) / 8 + 1);
  of.state = state.data();
  const auto order = guest::packed_sequences<>::order_of(of);
  grouped::preparing_storage shared;
  simt::launch(5, 32, [&] { order.prepare(shared, ends.data(), {}); });
  const auto longest = reversed{order.on_host()};
  CHECK(heddle_test::groups_along(longest) == std::vector<int>{3, 0, 2, 4});
  CHECK((longest(0) == group_coord{3, 5, 1} && longest(1) == group_coord{3, 4, 1} && longest(6).col == 0));
}
