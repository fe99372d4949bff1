// Runs the cursors of schedulers on the host, by the code that kernels use: concurrent blocks with fibers for threads,
// in a loop and in roles, one launch after another on one state.

#include "simt.hpp"

#include <heddle/order/clustered.hpp>
#include <heddle/recipe/with.hpp>
#include <heddle/reorder/grid_queues.hpp>
#include <heddle/schedule.hpp>

#include "recipes.hpp"
#include "test.hpp"
#include "zeroed.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

/// Counts how often the threads of each number visited each tile.
class visits {
 public:
  visits(int tiles, unsigned threads)
      : tiles_(static_cast<unsigned>(tiles)), of_(static_cast<std::size_t>(tiles) * threads) {}

  void count(int tile) {
    if (tile < 0 || static_cast<unsigned>(tile) >= tiles_) throw std::logic_error("a tile outside the grid");
    ++of_[static_cast<unsigned>(tile) + tiles_ * threadIdx.x];
  }
  bool all_are(int expected) const { return std::count(of_.begin(), of_.end(), expected) == std::ssize(of_); }
  bool none_is_above(int most) const {
    return std::none_of(of_.begin(), of_.end(), [&](int count) { return count > most; });
  }

 private:
  unsigned tiles_;
  std::vector<int> of_;
};

constexpr int everything = 0x7fffffff;

template <class Order>
int number_of(const Order& order, coord tile) {
  if constexpr (requires { order.tiles(); }) {
    return order.contains(tile) ? tile.row * order.tiles().cols + tile.col : -1;
  } else {
    return tile.row * order.space().cols + tile.col;
  }
}

/// Counts the tiles of a block, at most `patience` of them.
template <class Cursor, class Order>
void count_tiles(Cursor&& tiles, const Order& order, visits& found, int patience) {
  int turn = 0;
  for (const coord tile : tiles) {
    if (turn++ == patience) break;
    if (const int number = number_of(order, tile); number >= 0) found.count(number);
    if (simt::random() % 8 == 0) simt::wait();
  }
}

/// Two loops, one after the other, with the same storage.
template <class Scheduler>
void two_loops(const Scheduler& first, const Scheduler& second, visits& found, visits& found_then, int patience) {
  __shared__ typename Scheduler::storage smem;
  count_tiles(first.tiles(smem), first.order(), found, patience);
  count_tiles(second.tiles(smem), second.order(), found_then, patience);
}

/// The first thread leads, the others follow.
template <class Scheduler>
void in_roles(const Scheduler& scheduler, visits& found, int patience, bool are_clusters) {
  __shared__ typename Scheduler::storage smem;
  const auto synchronize = [&] { are_clusters ? heddle::detail::ptx::barrier_cluster() : __syncthreads(); };
  if (threadIdx.x == 0) scheduler.start(smem, static_cast<int>(blockDim.x) - 1);
  synchronize();
  if (threadIdx.x == 0) {
    count_tiles(scheduler.lead(smem), scheduler.order(), found, patience);
  } else {
    count_tiles(scheduler.follow(smem), scheduler.order(), found, patience);
  }
  if (patience != everything) synchronize();  // otherwise a block of a cluster may leave before the others
}

/// The same in two steps, in which the thread that leads may ask long before it fetches.
template <class Scheduler>
void in_steps(const Scheduler& scheduler, visits& found, bool are_clusters) {
  __shared__ typename Scheduler::storage smem;
  if (threadIdx.x == 0) Scheduler::start(smem, static_cast<int>(blockDim.x) - 1);
  const auto walk = [&](auto&& tiles, auto synchronize) {
    tiles.ask();
    synchronize();
    for (tiles.fetch(); tiles; tiles.fetch()) {
      tiles.ask();
      if (simt::random() % 4 == 0) simt::wait();
      if (const int number = number_of(scheduler.order(), *tiles); number >= 0) found.count(number);
    }
  };
  const auto synchronize = [&] { are_clusters ? heddle::detail::ptx::barrier_cluster() : __syncthreads(); };
  if (threadIdx.x == 0) {
    walk(scheduler.lead_in_steps(smem), synchronize);
  } else {
    walk(scheduler.follow_in_steps(smem), synchronize);
  }
}

template <class Scheduler>
constexpr bool is_over_clusters = requires(const Scheduler& scheduler) {
  scheduler.order().tiles();
};

template <class Order>
int tiles_of(const Order& order) {
  if constexpr (requires { order.tiles(); }) {
    return order.tiles().size();
  } else {
    return order.size();
  }
}

/// Checks the law, launch after launch. `make(order, number)` returns a scheduler on the state of this number.
template <class Order, class Make>
void obeys_the_law(Order order, Make make) {
  const auto first = make(order, 0), second = make(order, 1);
  const int tiles = tiles_of(order);
  for (int launch = 0; launch < 4; ++launch) {
    const bool whole = launch != 1;
    const int patience = whole ? everything : 1;
    const unsigned threads = launch == 3 ? 1 : drawn(2, 40);  // with 1, a leader without followers
    CAPTURE(tiles, launch, threads);
    {
      visits found(tiles, threads), found_then(tiles, threads);
      simt::launch_together(drawn_shape(first, threads),
                            [&] { two_loops(first, second, found, found_then, patience); });
      CHECK((whole ? found.all_are(1) && found_then.all_are(1) : found.none_is_above(1)));
    }
    {
      visits found(tiles, threads);
      simt::launch_together(drawn_shape(first, threads),
                            [&] { in_roles(first, found, patience, is_over_clusters<decltype(first)>); });
      CHECK((whole ? found.all_are(1) : found.none_is_above(1)));
    }
    if constexpr (requires(typename decltype(first)::storage & smem) { first.lead_in_steps(smem); }) {
      visits found(tiles, threads);
      simt::launch_together(drawn_shape(first, threads),
                            [&] { in_steps(first, found, is_over_clusters<decltype(first)>); });
      CHECK(found.all_are(1));
    }
  }
}

/// Roles over a plain order in a launch with clusters: each block has its own leader. Also a leader without followers.
template <class Make>
void leads_alone_and_within_clusters(Make make) {
  for (int round = 0; round < 20; ++round) {
    const row_major order{{1, drawn(1, 24)}};
    const auto scheduler = make(order, 0);
    const unsigned in_cluster = drawn(2, 3), blocks = in_cluster * drawn(1, 2);
    const unsigned threads = round % 2 == 0 ? 1 : drawn(2, 20);
    CAPTURE(order.size(), blocks, threads);
    visits found(order.size(), threads);
    simt::launch_together({.blocks = blocks, .threads = threads, .cluster = in_cluster},
                          [&] { in_roles(scheduler, found, everything, false); });
    CHECK(found.all_are(1));
  }
}

/// Returns how far the leader of a block gets ahead of its followers, in tiles that were told and not yet taken.
template <class Scheduler>
unsigned most_ahead(const Scheduler& scheduler) {
  unsigned most = 0;
  simt::launch_together({.blocks = 1, .threads = 33}, [&] {
    __shared__ typename Scheduler::storage smem;
    thread_local unsigned told = 0, taken[33] = {};
    if (threadIdx.x == 0) scheduler.start(smem, 32);
    __syncthreads();
    if (threadIdx.x == 0) {
      for ([[maybe_unused]] const coord tile : scheduler.lead(smem)) {
        ++told;
        const unsigned last = *std::min_element(taken + 1, taken + 33);
        most = std::max(most, told - last);
      }
    } else {
      for ([[maybe_unused]] const coord tile : scheduler.follow(smem)) {
        ++taken[threadIdx.x];
        for (unsigned turns = simt::random() % 8; turns > 0; --turns) simt::wait();
      }
    }
    __syncthreads();
  });
  return most;
}

/// A tile is a group of as many items as the block has warps, one for each.
template <class Scheduler, class Body>
void item_per_warp(const Scheduler& scheduler, int items, Body&& work_on) {
  __shared__ typename Scheduler::storage smem;
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32;
  for (const auto [row, group] : scheduler.tiles(smem)) {
    if (const int item = group * warps + warp; item < items) work_on(item);
  }
}

/// The same in roles: one lane of the last warp leads, and the other warps follow.
template <class Scheduler, class Body>
void item_per_following_warp(const Scheduler& scheduler, int items, Body&& work_on) {
  __shared__ typename Scheduler::storage smem;
  const int warps = blockDim.x / 32 - 1, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) scheduler.start(smem, 32 * warps);
  __syncthreads();
  if (static_cast<int>(threadIdx.x) == 32 * warps) {
    for ([[maybe_unused]] const coord tile : scheduler.lead(smem)) continue;
  } else if (warp < warps) {
    for (const auto [row, group] : scheduler.follow(smem)) {
      if (const int item = group * warps + warp; item < items) work_on(item);
    }
  }
}

/// Checks that all lanes of one warp visit each item once. `make(order)` returns a scheduler.
template <class Make>
void gives_each_warp_items(Make make) {
  for (int round = 0; round < 30; ++round) {
    const bool is_loop = round % 2 == 0;
    const auto warps = static_cast<int>(drawn(1, 4)), items = static_cast<int>(drawn(1, 40));
    const auto scheduler = make(row_major{ceil_div(1, items, {1, warps})});
    CAPTURE(is_loop, warps, items);
    std::vector<unsigned> lanes(static_cast<std::size_t>(items)), warp_of(lanes);
    bool are_once = true;
    const auto work_on = [&](int item) {
      const auto at = static_cast<std::size_t>(item);
      const unsigned mine = 1u << threadIdx.x % 32, warp = 1 + blockIdx.x * 8 + threadIdx.x / 32;
      are_once &= (lanes[at] & mine) == 0 && (lanes[at] == 0 || warp_of[at] == warp);
      lanes[at] |= mine, warp_of[at] = warp;
      if (simt::random() % 8 == 0) simt::wait();
    };
    simt::launch_together(drawn_shape(scheduler, 32 * static_cast<unsigned>(warps + !is_loop)), [&] {
      is_loop ? item_per_warp(scheduler, items, work_on) : item_per_following_warp(scheduler, items, work_on);
    });
    CHECK(are_once);
    CHECK(std::count(lanes.begin(), lanes.end(), ~0u) == items);
  }
}

template <class Make>
void obeys_the_law_over_grids_and_clusters(int rounds, Make make) {
  over_grids_and_clusters(rounds, [&](const auto& order) { obeys_the_law(order, make); });
}

}  // namespace

TEST_CASE("Cursors visit each tile once under every scheduler in a loop and in roles on the host", "[schedule]") {
  in_every_schedule([](auto kind) {
    if constexpr (kind() != recipe::cluster_launch) {
      zeroed states[2];
      obeys_the_law_over_grids_and_clusters(16, [&](auto order, int of) {
        return detail::scheduler_of<kind()>(order, states[of].data(), static_cast<int>(drawn(1, 5)));
      });
    }
  });
}

// Over ticket it is one of the schedulers above.
TEST_CASE("Cursors of draws_late over work_stealing visit each tile once in a loop and in roles on the host",
          "[schedule]") {
  zeroed lanes[2];
  obeys_the_law_over_grids_and_clusters(10, [&](auto order, int of) {
    return draws_late{work_stealing{order, lanes[of].data()}};
  });
}

TEST_CASE("Cursors of cluster_launch take over blocks that have not started on the host", "[schedule]") {
  for (int round = 0; round < 60; ++round) {
    const row_major order{{1, drawn(1, 24)}};
    const cluster_launch scheduler{order};
    const auto blocks = static_cast<unsigned>(order.size());
    const unsigned threads = drawn(1, 40);
    const bool is_loop = round % 2 == 0, whole = round % 3 != 0;  // a block that leaves early loses what it took over
    CAPTURE(blocks, threads, is_loop, whole);
    visits found(order.size(), threads);
    simt::launch_together({.blocks = blocks, .threads = threads, .resident = drawn(1, std::min(blocks, 4u))}, [&] {
      if (is_loop) {
        __shared__ cluster_launch<row_major>::storage smem;
        count_tiles(scheduler.tiles(smem), order, found, whole ? everything : 1);
      } else {
        in_roles(scheduler, found, whole ? everything : 1, false);
      }
    });
    CHECK((whole ? found.all_are(1) : found.none_is_above(1)));
  }
}

TEST_CASE("Roles need no follower and keep to their own block in a launch with clusters on the host", "[schedule]") {
  zeroed tickets, runs, lanes;
  leads_alone_and_within_clusters([&](auto order, int) { return strided{order}; });
  leads_alone_and_within_clusters([&](auto order, int) { return ticket{order, tickets.data()}; });
  leads_alone_and_within_clusters([&](auto order, int) { return sm_affine{order, runs.data(), 3}; });
  leads_alone_and_within_clusters([&](auto order, int) { return work_stealing{order, lanes.data()}; });
}

TEST_CASE("A group of items as a tile gives each warp an item, in a loop and in roles on the host", "[schedule]") {
  zeroed tickets, runs, lanes;
  gives_each_warp_items([](auto order) { return one_shot{order}; });
  gives_each_warp_items([](auto order) { return strided{order}; });
  gives_each_warp_items([&](auto order) { return ticket{order, tickets.data()}; });
  gives_each_warp_items([&](auto order) { return sm_affine{order, runs.data(), 3}; });
  gives_each_warp_items([&](auto order) { return work_stealing{order, lanes.data()}; });
}

TEST_CASE("A leader is at most two tiles ahead of the last follower on the host", "[schedule]") {
  zeroed state;
  unsigned most = 0;
  for (int round = 0; round < 20; ++round) {
    most = std::max(most, most_ahead(ticket{row_major{{1, 40}}, state.data()}));
  }
  CHECK(most == 2);
}

TEST_CASE("Parts of stream_k are summed by the last to arrive on the host", "[schedule]") {
  constexpr unsigned threads = 8;
  zeroed state;
  for (int round = 0; round < 60; ++round) {
    const int tiles = drawn(1, 12), steps = drawn(1, 60), sharers = drawn(1, 5);
    const stream_k scheduler{row_major{{1, tiles}}, steps, sharers, state.data()};
    const unsigned blocks = drawn(1, 5);
    CAPTURE(tiles, steps, sharers, blocks);
    std::vector<int> sums(static_cast<std::size_t>(stream_k<>::slots(sharers)), -1),
        found(static_cast<unsigned>(tiles));
    simt::launch_together({.blocks = blocks, .threads = threads, .resident = drawn(1, blocks)}, [&] {
      __shared__ stream_k<>::storage smem;
      const auto arriving = threadIdx.x == 0 ? scheduler.enter() : stream_k<>::arriving();
      for (const auto [tile, begin, end, share] : scheduler.tiles(smem)) {
        if (threadIdx.x == 0 && share.count == 1) found[static_cast<unsigned>(tile.col)] += end - begin;
        if (threadIdx.x == 0 && share.count > 1) {
          sums[static_cast<std::size_t>(share.slot)] = end - begin;
          simt::wait();
          if (arriving.arrive(share)) {
            for (int slot = share.first; slot < share.first + share.count; ++slot) {
              found[static_cast<unsigned>(tile.col)] += sums[static_cast<std::size_t>(slot)];
            }
          }
        }
        __syncthreads();
      }
    });
    CHECK(found == std::vector<int>(found.size(), steps));
  }
}

TEST_CASE("Seats are taken twice with one storage on the host", "[schedule]") {
  zeroed states[2];
  const chip_map map{.multiprocessors = 2};
  const seats first(map, 1, 2, states[0].data()), second(map, 1, 1, states[1].data());
  for (int round = 0; round < 60; ++round) {
    const unsigned blocks = drawn(1, 6), threads = drawn(1, 40);
    std::vector<unsigned> taken(blocks), taken_then(blocks);
    simt::launch_together({.blocks = blocks, .threads = threads, .resident = drawn(1, blocks)}, [&] {
      __shared__ seats::storage smem;
      const unsigned number = first.take(smem).worker();
      if (simt::random() % 8 == 0) simt::wait();
      const unsigned number_then = second.take(smem).worker();
      ++taken.at(number);
      ++taken_then.at(number_then);
    });
    CHECK(taken == std::vector<unsigned>(blocks, threads));
    CHECK(taken_then == std::vector<unsigned>(blocks, threads));
  }
}

TEST_CASE("Queues are emptied twice with one storage by blocks beside each other on the host", "[schedule]") {
  using queues = grid_queues<5>;
  constexpr unsigned count = 300;
  struct alignas(32) sector {
    unsigned char bytes[32];
  };
  std::vector<sector> states[2];
  for (auto& each : states) each.resize(queues::state_bytes(count) / sizeof(sector) + 1);
  const queues of[] = {queues(count, states[0].data()), queues(count, states[1].data())};
  const auto take = [&](auto rows, std::vector<int>& found) {
    for (const auto [key, value, active] : rows) {
      if (active) ++found.at(value);
      if (active && value % 5 != key) throw std::logic_error("an element of another key");
      if (simt::random() % 8 == 0) simt::wait();
    }
  };
  for (int round = 0; round < 20; ++round) {
    simt::launch(5, 64, [&] {
      const unsigned value = blockIdx.x * blockDim.x + threadIdx.x;
      if (value < count) of[0].push_some(value % 5, value);
      if (value < count / 3) of[1].push_some(value % 5, value);
    });
    std::vector<int> found[2] = {std::vector<int>(count), std::vector<int>(count / 3)};
    const unsigned blocks = drawn(1, 4);
    simt::launch_together({.blocks = blocks, .threads = 32 * drawn(1, 3), .resident = drawn(1, blocks)}, [&] {
      __shared__ queues::storage smem;
      if (round % 2 == 0) {
        take(of[0].rows<granularity::block>(smem), found[0]);
        take(of[1].rows<granularity::block>(smem), found[1]);
      } else {
        take(of[0].rows(smem), found[0]);
        take(of[1].rows(smem), found[1]);
      }
    });
    CHECK(found[0] == std::vector<int>(count, 1));
    CHECK(found[1] == std::vector<int>(count / 3, 1));
  }
}
