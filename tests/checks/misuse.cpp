// Builds with checks, on the host: each misuse ends the kernel with its line of docs/checks.md, and correct use does
// not.

#include "simt.hpp"

#include <heddle/expand/append.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/levels.hpp>
#include <heddle/expand/ordered_levels.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/grouped.hpp>
#include <heddle/order/in_bands.hpp>
#include <heddle/order/tile_of_block.hpp>
#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>
#include <heddle/reorder/grid_queues.hpp>
#include <heddle/schedule/chunked.hpp>
#include <heddle/schedule/cluster_launch.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/seats.hpp>
#include <heddle/schedule/sm_affine.hpp>
#include <heddle/schedule/stream_k.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>
#include <heddle/schedule/work_stealing.hpp>

#include "said.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::said;

namespace {

struct memory {
  alignas(32) unsigned long long words[4096] = {};
};

const row_major order{{1, 12}};

template <class Scheduler>
std::string walked(const Scheduler& scheduler, simt::shape of, bool in_shared_memory = true, bool leads = false) {
  return said(of, [&] {
    __shared__ typename Scheduler::storage smem;
    typename Scheduler::storage elsewhere;
    auto& storage = in_shared_memory ? smem : elsewhere;
    if (leads) {
      for ([[maybe_unused]] const auto tile : scheduler.lead(storage)) break;
    } else {
      for ([[maybe_unused]] const auto tile : scheduler.tiles(storage)) continue;
    }
  });
}

template <class Work>
std::string pushed(const Work& work, bool in_shared_memory) {
  return said({.blocks = 1, .threads = 32}, [&] {
    __shared__ typename Work::push_storage smem;
    typename Work::push_storage elsewhere;
    work.push(in_shared_memory ? smem : elsewhere, threadIdx.x, 1);
  });
}

template <class Work>
std::string read(const Work& work, simt::shape of) {
  return said(of, [&] {
    __shared__ typename Work::storage smem;
    for ([[maybe_unused]] const item each : work.items(smem)) continue;
  });
}

const std::string several_dimensions =
    "heddle: a scheduler in a grid of more than one dimension, in which each tile would be taken several times";
const std::string few_blocks = "heddle: one_shot or cluster_launch in a launch of fewer blocks than tiles";
const std::string other_clusters = "heddle: the clusters of the launch are not as large as those of the order";
const std::string not_shared = "heddle: the storage of a scheduler is not in shared memory";

}  // namespace

TEST_CASE("A scheduler in a grid of two or three dimensions says so", "[checks]") {
  memory state;
  for (const auto& [y, z] : {std::pair{2u, 1u}, {1u, 3u}}) {
    const simt::shape of{.blocks = {12, y, z}, .threads = 4};
    CHECK(walked(one_shot{order}, of) == several_dimensions);
    CHECK(walked(strided{order}, of) == several_dimensions);
    CHECK(walked(chunked{order}, of) == several_dimensions);
    CHECK(walked(ticket{order, state.words}, of) == several_dimensions);
    CHECK(walked(ticket{order, state.words}, of, true, true) == several_dimensions);
    CHECK(walked(stream_k{order, 8, 0, nullptr}, of) == several_dimensions);
  }
  CHECK(walked(one_shot{order}, {.blocks = 12, .threads = 4}) == "");
  CHECK(walked(strided{order}, {.blocks = 5, .threads = 4}) == "");
}

TEST_CASE("A block for each tile in a grid of fewer blocks says so", "[checks]") {
  CHECK(walked(one_shot{order}, {.blocks = 11, .threads = 4}) == few_blocks);
  CHECK(walked(cluster_launch{order}, {.blocks = 11, .threads = 4}) == few_blocks);
  CHECK(walked(one_shot{order}, {.blocks = 13, .threads = 4}) == "");
  CHECK(walked(cluster_launch{order}, {.blocks = 12, .threads = 4}) == "");
}

TEST_CASE("A block that asks for its tile in another launch than one block per tile says so", "[checks]") {
  const auto asked = [](simt::shape of) {
    return said(of, [] {
      const coord tile = tile_of_block(order);
      if (tile != coord{0, static_cast<int>(blockIdx.x)}) throw std::logic_error("another tile");
    });
  };
  const std::string dimensions = "heddle::tile_of_block: a grid of more than one dimension";
  CHECK(asked({.blocks = 12, .threads = 5}) == "");
  CHECK(asked({.blocks = 7, .threads = 32}) == "");
  CHECK(asked({.blocks = 13, .threads = 4}) == "heddle::tile_of_block: a block without a tile");
  CHECK(asked({.blocks = {12, 2}, .threads = 4}) == dimensions);
  CHECK(asked({.blocks = {12, 1, 2}, .threads = 4}) == dimensions);
}

TEST_CASE("A block that asks for its place in bands that are none says so, and other blocks have the typed order's",
          "[checks]") {
  const auto asked = [](simt::shape of, band_walk by) {
    return said(of, [&] {
      const uint3 place = in_bands(by);
      const unsigned index = blockIdx.y * gridDim.x + blockIdx.x;
      const coord tile = by.tile(static_cast<int>(gridDim.y), static_cast<int>(gridDim.x), static_cast<int>(index));
      if (place.z != blockIdx.z || !(coord{static_cast<int>(place.y), static_cast<int>(place.x)} == tile)) {
        throw std::logic_error("another place");
      }
    });
  };
  CHECK(asked({.blocks = {12, 4}, .threads = 5}, {3}) == "");
  CHECK(asked({.blocks = {7, 3, 2}, .threads = 4}, {.width = 2, .serpentine = true}) == "");
  CHECK(asked({.blocks = {7, 3}, .threads = 4}, {.width = 2, .axis = axis::y, .reversed = true}) == "");
  CHECK(asked({.blocks = {3, 2}, .threads = 4}, {0}) == "heddle::in_bands: a width below 1");
  CHECK(said({.blocks = 2, .threads = 4}, [] {
          simt::now->grid->blocks.y = 1u << 30;
          (void)in_bands({1});
        }) == "heddle::in_bands: a grid of more than 2^31 - 1 blocks in a plane");
  // Pairs of one row stay pairs, which by columns are tiles beside each other too.
  CHECK(asked({.blocks = {12, 4}, .threads = 4, .cluster = 2}, {6}) == "");
  CHECK(asked({.blocks = {6, 4}, .threads = 4, .cluster = 2}, {9}) == "");  // one band
  CHECK(asked({.blocks = {12, 4}, .threads = 4, .cluster = 2}, {3}) ==
        "heddle::in_bands: clusters that do not divide a band");
  CHECK(said({.blocks = {12, 4}, .threads = 4, .cluster = 2}, [] {
          const uint3 place = in_bands(3, axis::y), own = blockIdx;
          const unsigned pair = own.y * 6 + own.x / 2;  // a band of three rows goes down, then to the next pair
          const unsigned col = pair < 18 ? pair / 3 : pair - 18, row = pair < 18 ? pair % 3 : 3;
          if (place.x != col * 2 + own.x % 2 || place.y != row) throw std::logic_error("another place");
        }) == "");
}

TEST_CASE("Clusters of another size than the order's say so", "[checks]") {
  const clustered pairs{row_major{{1, 6}}, {1, 2}, {1, 12}};
  CHECK(walked(strided{pairs}, {.blocks = 4, .threads = 4}) == other_clusters);
  CHECK(walked(strided{pairs}, {.blocks = 8, .threads = 4, .cluster = 4}) == other_clusters);
  CHECK(walked(strided{pairs}, {.blocks = 4, .threads = 4, .cluster = 2}) == "");
}

TEST_CASE("Storage outside shared memory says so", "[checks]") {
  memory state;
  CHECK(walked(ticket{order, state.words}, {.blocks = 2, .threads = 4}, false) == not_shared);
  CHECK(walked(strided{order}, {.blocks = 2, .threads = 4}, false) == "");  // an empty storage may be anywhere
  const std::string push_elsewhere = "heddle: the push_storage of a strategy is not in shared memory";
  CHECK(pushed(packed_prefix({32, 32}, state.words), false) == push_elsewhere);
  CHECK(pushed(scanned({32, 32}, state.words), false) == push_elsewhere);
  CHECK(pushed(append({32, 32}, state.words), false) == push_elsewhere);
  CHECK(pushed(fixed<4>({32, 32}, state.words), false) == push_elsewhere);
  CHECK(pushed(power_of_two({32, 32}, state.words), false) == push_elsewhere);
  CHECK(pushed(packed_prefix({32, 32}, state.words), true) == "");
  const std::string reorder_elsewhere = said({.blocks = 1, .threads = 64}, [] {
    block_reorder<64, 2>::storage elsewhere;
    block_reorder<64, 2> reorder(elsewhere);
  });
  CHECK(reorder_elsewhere == "heddle::block_reorder: the storage is not in shared memory");
  const std::string exchange_elsewhere = said({.blocks = 1, .threads = 64}, [] {
    block_exchange<int, 64>::storage elsewhere;
    block_exchange<int, 64> exchange(elsewhere);
  });
  CHECK(exchange_elsewhere == "heddle::block_exchange: the storage is not in shared memory");
}

TEST_CASE("A preparation by too few blocks or threads says so", "[checks]") {
  const std::vector<int> ends(64, 0);
  const group_shape shape{.rows = 0, .groups = 64, .tile_rows = 1, .cols = 1};
  std::vector<unsigned long long> state(grouped::state_bytes(shape) / 8 + 2);
  const grouped groups{shape, state.data()};
  const auto prepares = [&](unsigned blocks, unsigned threads) {
    return said({.blocks = blocks, .threads = threads}, [&] {
      __shared__ grouped::preparing_storage smem;
      groups.prepare(smem, ends.data(), nullptr);
    });
  };
  CHECK(prepares(2, 32) == "");
  CHECK(prepares(1, 64) == "");
  CHECK(prepares(1, 32) == "heddle::grouped: too few blocks or threads prepare");
}

TEST_CASE("A block of another size than the type names says so", "[checks]") {
  const std::string reordered = said({.blocks = 1, .threads = 128}, [] {
    __shared__ block_reorder<256, 3>::storage smem;
    block_reorder<256, 3> reorder(smem);
  });
  CHECK(reordered == "heddle::block_reorder: the number of threads in the block is not Threads");
  const std::string exchanged = said({.blocks = 1, .threads = 128}, [] {
    __shared__ block_exchange<int, 256>::storage smem;
    block_exchange<int, 256> exchange(smem);
  });
  CHECK(exchanged == "heddle::block_exchange: the number of threads in the block is not Threads");
}

TEST_CASE("Items of blocks that are not whole warps or in a grid of two dimensions say so", "[checks]") {
  memory state;
  const append list({32, 32}, state.words);
  const packed_prefix pages({32, 32}, state.words + 1024);
  const std::string warps = "heddle: items of blocks that are not whole warps";
  const std::string dimensions =
      "heddle: items in a grid of more than one dimension, in which each would be taken several times";
  CHECK(read(list, {.blocks = 2, .threads = 33}) == warps);
  CHECK(read(pages, {.blocks = 2, .threads = 48}) == warps);
  CHECK(read(list, {.blocks = {2, 2}, .threads = 32}) == dimensions);
  CHECK(read(pages, {.blocks = {2, 1, 2}, .threads = 32}) == dimensions);
  CHECK(read(pages, {.blocks = 2, .threads = 64}) == "");
}

TEST_CASE("Levels in blocks that are not whole warps, or in a launch that is not cooperative, say so", "[checks]") {
  memory state;
  const levels work({32, 32}, state.words);
  const auto run = [&] {
    __shared__ levels::storage smem;
    work.run(smem, [](unsigned, unsigned, unsigned) { return spawned{0, 0}; });
  };
  std::vector<unsigned long long> words(ordered_levels<>::state_bytes(32) / 8);
  const ordered_levels<> in_order(32, words.data());
  const auto run_in_order = [&] {
    __shared__ ordered_levels<>::storage smem;
    in_order.run(
        smem, 32, 1, [](unsigned i) { return i; }, [](unsigned, unsigned) { return 0u; },
        [](unsigned item, unsigned, unsigned) { return item; });
  };
  CHECK(said({.blocks = 1, .threads = 40}, run) == "heddle: items of blocks that are not whole warps");
  CHECK(said({.blocks = 2, .threads = 32}, run) == "");
  CHECK_THROWS_WITH(simt::launch(1, 32, run), "heddle: levels in a launch whose blocks may not all be resident");
  CHECK(said({.blocks = 1, .threads = 40}, run_in_order) == "heddle: items of blocks that are not whole warps");
  CHECK_THROWS_WITH(simt::launch(1, 32, run_in_order),
                    "heddle: levels in a launch whose blocks may not all be resident");
}

TEST_CASE("A loop over items that is left early says so", "[checks]") {
  memory state;
  const auto leaves_at = [&](const auto& work, unsigned turn) {
    simt::launch_together({.blocks = 1, .threads = 32}, [&] { work.push_some(threadIdx.x, threadIdx.x); });
    return said({.blocks = 1, .threads = 64}, [&] {
      __shared__ typename std::decay_t<decltype(work)>::storage smem;
      unsigned turns = 0;
      for ([[maybe_unused]] const item each : work.items(smem)) {
        if (turns++ == turn) break;
      }
    });
  };
  for (const unsigned turn : {0u, 1u, 7u, ~0u}) {  // 496 items: some threads have seven, others eight
    CAPTURE(turn);
    state = {};
    CHECK(leaves_at(packed_prefix({32, 1000}, state.words), turn) ==
          (turn < 8 ? "heddle: a loop over items that was left early" : ""));
  }
}

TEST_CASE("Queues say what is wrong with a key and with a launch", "[checks]") {
  memory state;
  const grid_queues<3> queues(8, state.words);
  CHECK(said({.blocks = 1, .threads = 1}, [&] { queues.push_some(3, 0); }) ==
        "heddle::grid_queues: key is not below Keys");
  const auto rows = [&](simt::shape of) {
    return said(of, [&] {
      __shared__ grid_queues<3>::storage smem;
      for ([[maybe_unused]] const queued_value each : queues.rows(smem)) continue;
    });
  };
  CHECK(rows({.blocks = 1, .threads = 40}) == "heddle::grid_queues: rows of blocks that are not whole warps");
  CHECK(rows({.blocks = {1, 2}, .threads = 32}) == "heddle::grid_queues: rows in a grid of more than one dimension");
  CHECK(rows({.blocks = 2, .threads = 32}) == "");
}

TEST_CASE("A state that was not zeroed or that two launches use says so", "[checks]") {
  memory state;
  const ticket scheduler{order, state.words};
  CHECK(walked(scheduler, {.blocks = 2, .threads = 4}) == "");
  state.words[0] = 77;
  CHECK(walked(scheduler, {.blocks = 2, .threads = 4}) ==
        "heddle: a state in two launches at once, or not zeroed, or not entered by every block");
  state = {};
  // One block of a launch has entered the state; another launch begins.
  simt::launch_together({.blocks = 1, .threads = 1}, [&] {
    detail::gpu<false> machine;
    auto* const counters = reinterpret_cast<detail::alternating<detail::counter>*>(state.words);
    counters->enter(machine).counters->enter(machine);
  });
  state.words[0] = 0;
  CHECK(walked(scheduler, {.blocks = 2, .threads = 4}) == "heddle: a state in two launches at once");
}

TEST_CASE("A state of work_stealing that two launches use says so", "[checks]") {
  memory state;
  const work_stealing scheduler{order, state.words};
  for (int launch = 0; launch < 3; ++launch) CHECK(walked(scheduler, {.blocks = 2, .threads = 4}) == "");
  using machine = detail::gpu<false>;
  // Another launch enters the state before a draw of this one.
  state = {};
  const std::string drawing = said({.blocks = 1, .threads = 1}, [&] {
    work_stealing<>::storage none;
    work_stealing<>::draws<machine> next(scheduler, machine{}, none);
    next.first();
    state.words[1] ^= 1ull << 40;  // the number of the launch that entered
    next.ask();
    next.next(0);
  });
  CHECK(drawing == "heddle: a state in two launches at once");
  // One block of a launch has entered the state; another launch begins.
  state = {};
  simt::launch_together({.blocks = 2, .threads = 1}, [&] {
    work_stealing<>::storage none;
    if (blockIdx.x == 0) work_stealing<>::draws<machine>(scheduler, machine{}, none).first();
  });
  state.words[0] = 0;
  CHECK(walked(scheduler, {.blocks = 2, .threads = 4}) == "heddle: a state in two launches at once");
}

TEST_CASE("Seats with a state that is not zeroed and a second seat for a worker say so", "[checks]") {
  const std::string no_seat = "heddle::seats: the state is not zeroed, or a worker takes two seats";
  chip_map map;
  map.multiprocessors = 8;
  const auto seated = [&](memory& state, unsigned blocks, bool twice) {
    const seats all(map, 1, 4, state.words);
    return said({.blocks = blocks, .threads = 4}, [&] {
      __shared__ seats::storage seat;
      all.take(seat);
      if (twice && blockIdx.x == 0) all.take(seat);
    });
  };
  for (const unsigned blocks : {1u, 2u, 5u, 64u, 70u}) {
    CAPTURE(blocks);
    memory state;
    for (int launch = 0; launch < 3; ++launch) CHECK(seated(state, blocks, false) == "");
    state = {};
    for (unsigned word = 0; word < seats::most_workers / 64; ++word) state.words[word] = ~0ull;
    CHECK(seated(state, blocks, false) == no_seat);
    state = {};
    state.words[seats::most_workers / 64 + 1] = blocks;  // arrivals
    CHECK(seated(state, blocks, false) == no_seat);
    if (blocks == 1) continue;  // its second seat is that of a launch of its own
    state = {};
    const std::string first = seated(state, blocks, true), next = seated(state, blocks, false);
    CHECK((first == no_seat || next == "heddle: a state in two launches at once"));
  }
}
