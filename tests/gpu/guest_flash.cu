// heddle's schedulers in the roles of FlashAttention-3's forward kernel, over a stand-in for its headers: launch after
// launch on one state, in graphs, and what they refuse.

#include <algorithm>
#include <numeric>
#include <vector>

#include "guests/flash/page.hpp"
#include "refusal.hpp"
#include "schedule.hpp"

using namespace heddle;
using namespace heddle_test;
using flash_page::mainloop;
using guest::flash_tiles;

namespace {

template <class Mainloop>
__global__ void page(const __grid_constant__ typename flash_tiles<Mainloop>::Params params, flash_page::seen all) {
  __shared__ int4 shared;
  flash_page::run<Mainloop, flash_tiles<Mainloop>>(params, &shared, all);
}

/// Launches a page over sequences, three times in a stream and three times by a graph, and expects each tile once.
template <class Mainloop>
void sees_each_tile(const std::vector<int>& queries, int heads, int sharers) {
  using scheduler = flash_tiles<Mainloop>;
  const int packed = Mainloop::PackGQA ? sharers : 1, sequences = static_cast<int>(queries.size());
  const auto blocks_of = [=](int tokens) { return (tokens * packed + 127) / 128; };
  const int longest = *std::max_element(queries.begin(), queries.end()), blocks = blocks_of(longest);
  const int own_heads = heads / packed;
  std::vector<int> offsets(1);
  for (const int each : queries) offsets.push_back(offsets.back() + each);
  const device_array<int> on_device(offsets);
  guest::flash_problem of{.blocks = blocks, .heads = own_heads, .sequences = sequences};
  of.tile_rows = 128 / packed;
  const device_array<unsigned char> state(guest::packed_sequences<>::state_bytes(of), 0);
  const flash::TileSchedulerArguments arguments{blocks,
                                                own_heads,
                                                sequences,
                                                1,
                                                sharers,
                                                longest,
                                                longest,
                                                128,
                                                128,
                                                2,
                                                reinterpret_cast<int*>(state.data()),
                                                Mainloop::Varlen ? on_device.data() : nullptr};
  const device_array<unsigned> count(static_cast<std::size_t>(sequences * own_heads * blocks)), outside(1, 0);
  const auto params = scheduler::to_underlying_arguments(arguments);
  const heddle_test::stream stream;
  const auto enqueue = [&] {
    check(scheduler::prepare(arguments, stream));
    page<Mainloop><<<scheduler::get_grid_shape(params, 132), Mainloop::block_threads, 0, stream>>>(
        params, {count.data(), own_heads, blocks, outside.data()});
    check(cudaGetLastError());
  };
  const auto is_right = [&](unsigned launches) {
    check(cudaStreamSynchronize(stream));
    bool is_same = outside.read()[0] == 0;
    const std::vector<unsigned> found = count.read();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const int at = static_cast<int>(i), own = queries[static_cast<std::size_t>(at / blocks / own_heads)];
      const bool is_there = at % blocks < (Mainloop::Varlen ? blocks_of(own) : blocks);
      is_same &= found[i] == (is_there ? launches * Mainloop::seen_per_tile : 0);
    }
    CHECK(is_same);
  };
  count.fill(0);
  for (unsigned launch = 1; launch <= 3; ++launch) enqueue();
  is_right(3);
  replay(3, stream, [&] { enqueue(), enqueue(); });
  is_right(9);
}

}  // namespace

GPU_TEST("FlashAttention-3's roles see each tile once, launch after launch and in graphs", "[guests]") {
  for (const int length : {1, 1000, 4096}) {
    const std::vector<int> queries(3, length);
    sees_each_tile<mainloop<128, false, true, false, false>>(queries, 6, 1);
    sees_each_tile<mainloop<128, false, true, false, true>>(queries, 6, 3);
    sees_each_tile<mainloop<128, false, false, false, false>>(queries, 6, 2);
  }
}

GPU_TEST("FlashAttention-3's roles see the tiles of packed sequences once", "[guests]") {
  for (const std::vector<int>& queries :
       {std::vector<int>(2048, 34), {0, 700, 0, 1, 128, 129, 5000}, std::vector<int>(33, 257)}) {
    sees_each_tile<mainloop<128, true, true, false, false>>(queries, 8, 1);
    sees_each_tile<mainloop<128, true, true, false, true>>(queries, 8, 4);
    sees_each_tile<mainloop<128, true, false, true, false>>(queries, 8, 8);
  }
}

TEST_CASE("FlashAttention-3's arguments that cannot be served are refused", "[guests]") {
  int some[4] = {};
  const auto says = [&](int sharers, const int* offsets, const int* used) {
    return refusal([&] {
      flash_tiles<mainloop<128, true, true, false, true>>::to_underlying_arguments(
          {1, 2, 1, 1, sharers, 1, 1, 128, 128, 2, some, offsets, used});
    });
  };
  CHECK(says(3, some, nullptr) ==
        "heddle::guest: heads that share keys, of packed sequences is 3; it must be a divisor of 128");
  CHECK(says(4, nullptr, nullptr).find("are those of cu_seqlens_q") != std::string::npos);
  CHECK(says(4, some, some).find("without seqused_q") != std::string::npos);
}
