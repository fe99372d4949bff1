// Runs traced schedulers on the host, by the code that kernels use, and reads what they note. The kernels count their
// own visits: that is the oracle.

#include "simt.hpp"

#include <heddle/order/clustered.hpp>
#include <heddle/recipe/with.hpp>
#include <heddle/schedule.hpp>
#include <heddle/trace/read.hpp>
#include <heddle/trace/traced.hpp>

#include "recipes.hpp"
#include "test.hpp"
#include "zeroed.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

/// Memory of a buffer between two zones that nothing may write.
class guarded {
 public:
  explicit guarded(const trace::room& room) : room_(room), lines_(room.bytes() / 16 + 2 * zone, filled) { clear(); }

  trace::buffer buffer() { return {room_, begin(), room_.bytes()}; }
  void clear() { std::fill(lines_.begin() + zone, lines_.end() - zone, line{}); }
  trace::report read() { return trace::read(room_, begin(), room_.bytes()); }
  unsigned long long& word(std::size_t number) { return lines_[zone + number / 2].words[number % 2]; }

  bool is_whole() const {
    return std::all_of(lines_.begin(), lines_.begin() + zone, [](const line& each) { return each == filled; }) &&
           std::all_of(lines_.end() - zone, lines_.end(), [](const line& each) { return each == filled; });
  }

 private:
  struct alignas(16) line {
    std::array<unsigned long long, 2> words;
    bool operator==(const line&) const = default;
  };
  static constexpr line filled{{0x0123456789abcdef, 0xfedcba9876543210}};
  static constexpr std::ptrdiff_t zone = 64;

  void* begin() { return lines_.data() + zone; }

  trace::room room_;
  std::vector<line> lines_;
};

/// Checks that the blocks of a launch have as few places as they can: no more than run at once on a multiprocessor.
void check_places(const trace::report& found) {
  for (const auto& block : found.blocks) {
    int at_once = 0;  // when this block begins
    for (const auto& other : found.blocks) {
      at_once += other.sm == block.sm && other.begin <= block.begin && (block.begin < other.end || &other == &block);
    }
    CHECK(block.place < at_once);
  }
}

/// How often each block visits each index.
using visits = std::map<std::pair<int, int>, int>;

enum class form { loop, roles, leader_alone };

/// Visits the tiles of a block, at most `patience`, and counts them if `counts`.
template <class Cursor>
void visit(Cursor&& at, bool counts, visits& found, int patience) {
  for (int turn = 0; at && turn < patience; ++at, ++turn) {
    if (counts) ++found[{static_cast<int>(blockIdx.x), at.index()}];
    for (unsigned turns = simt::random() % 4; turns > 0; --turns) simt::wait();
    if (turn + 1 == patience) return;
  }
}

template <class Scheduler>
void run(const Scheduler& scheduler, form as, visits& found, int patience) {
  __shared__ typename Scheduler::storage smem;
  if (as == form::loop) {
    visit(scheduler.tiles(smem), threadIdx.x == 0, found, patience);
    return;
  }
  const auto synchronize = [] {
    if constexpr (requires { scheduler.order().blocks_in_cluster(); }) {
      heddle::detail::ptx::barrier_cluster();
    } else {
      __syncthreads();
    }
  };
  const bool alone = as == form::leader_alone;
  if (threadIdx.x == 0) scheduler.start(smem, alone ? 0 : static_cast<int>(blockDim.x) - 1);
  synchronize();
  if (threadIdx.x == 0) {
    visit(scheduler.lead(smem), true, found, patience);
  } else if (!alone) {
    visit(scheduler.follow(smem), false, found, patience);
  }
  synchronize();
}

/// Checks that a launch left exactly one slice per visit, that slices of a block follow each other, within their block,
/// and that blocks that share a place do too.
void check_launch(const trace::report& found, int launch, const visits& expected) {
  visits seen;
  for (const auto& block : found.blocks) {
    if (block.launch != launch) continue;
    double before = block.begin;
    for (std::size_t i = block.first; i < block.first + block.count; ++i) {
      const auto& slice = found.slices[i];
      CHECK(slice.launch == launch);
      CHECK(slice.block == block.number);
      CHECK(slice.sm == block.sm);
      CHECK(slice.rank == block.rank);
      CHECK(slice.begin >= before);
      CHECK(slice.end >= slice.begin);
      before = slice.end;
      ++seen[{slice.block, slice.index}];
    }
    CHECK(before <= block.end);
    for (const auto& other : found.blocks) {
      if (&other == &block || other.sm != block.sm || other.place != block.place || other.launch != launch) continue;
      CHECK((other.end <= block.begin || block.end <= other.begin));
    }
  }
  CHECK(seen == expected);
}

constexpr int everything = 0x7fffffff;

/// Launches in every form, and compares the slices with the visits. `make(order)` returns the scheduler to trace.
template <class Order, class Make>
void obeys_the_law(Order order, Make make) {
  guarded log({.blocks = 64, .tiles = 256, .launches = 8});
  std::vector<visits> expected;
  for (const form as : {form::loop, form::roles, form::leader_alone}) {
    for (const int patience : {everything, 1}) {
      const traced scheduler{make(order), log.buffer()};
      const unsigned threads = as == form::roles ? drawn(2, 40) : drawn(1, 40);
      visits found;
      simt::launch_together(drawn_shape(scheduler, threads), [&] { run(scheduler, as, found, patience); });
      expected.push_back(found);
    }
  }
  const trace::report report = log.read();
  CHECK(log.is_whole());
  CHECK(report.left_out == 0);
  CHECK(report.refused == 0);
  CHECK(report.damaged == 0);
  CHECK(report.unfinished == 0);
  REQUIRE(report.launches.size() == expected.size());
  for (std::size_t launch = 0; launch < expected.size(); ++launch) {
    CAPTURE(launch);
    CHECK(report.launches[launch].missing == 0);
    check_launch(report, static_cast<int>(launch), expected[launch]);
  }
}

template <class Make>
void obeys_the_law_over_grids_and_clusters(Make make) {
  over_grids_and_clusters(10, [&](const auto& order) { obeys_the_law(order, make); });
}

}  // namespace

TEST_CASE("A trace has one slice per tile under every scheduler in a loop in roles and over clusters", "[trace]") {
  in_every_schedule([](auto kind) {
    if constexpr (kind() != recipe::cluster_launch) {
      zeroed state;
      obeys_the_law_over_grids_and_clusters(
          [&](auto order) { return detail::scheduler_of<kind()>(order, state.data(), 3); });
    }
  });
}

TEST_CASE("A trace has one slice per tile of blocks that were taken over", "[trace]") {
  for (int round = 0; round < 30; ++round) {
    const row_major order{{1, drawn(1, 24)}};
    guarded log({.blocks = 32, .tiles = 32});
    const traced scheduler{cluster_launch{order}, log.buffer()};
    const auto blocks = static_cast<unsigned>(order.size());
    visits found;
    simt::launch_together({.blocks = blocks, .threads = drawn(2, 40), .resident = drawn(1, std::min(blocks, 4u))},
                          [&] { run(scheduler, round % 2 == 0 ? form::loop : form::roles, found, everything); });
    const trace::report report = log.read();
    REQUIRE(report.launches.size() == 1);
    CHECK(report.slices.size() == static_cast<std::size_t>(order.size()));
    check_launch(report, 0, found);
    check_places(report);
  }
}

TEST_CASE("A trace has one slice per part of a split tile with the index of the tile", "[trace]") {
  zeroed state;
  for (int round = 0; round < 30; ++round) {
    const stream_k inner{row_major{{1, drawn(1, 12)}}, static_cast<int>(drawn(1, 60)), static_cast<int>(drawn(1, 5)),
                         state.data()};
    guarded log({.blocks = 8, .tiles = 64});
    const traced scheduler{inner, log.buffer()};
    visits found;
    simt::launch_together({.blocks = drawn(1, 5), .threads = 8}, [&] {
      __shared__ traced<stream_k<row_major>>::storage smem;
      if (threadIdx.x == 0) scheduler.enter();
      for (const auto part : scheduler.tiles(smem)) {
        if (threadIdx.x == 0) ++found[{static_cast<int>(blockIdx.x), part.tile.col}];
      }
    });
    const trace::report report = log.read();
    REQUIRE(report.launches.size() == 1);
    check_launch(report, 0, found);
  }
}

TEST_CASE("The leader notes the tiles of roles if the room says so", "[trace]") {
  for (const bool by_leader : {false, true}) {
    guarded log({.blocks = 1, .tiles = 8, .by_leader = by_leader});
    const traced scheduler{strided{row_major{{1, 1}}}, log.buffer()};
    unsigned long long led = 0, followed = 0;  // ticks when either ends
    simt::launch_together({.blocks = 1, .threads = 2}, [&] {
      __shared__ traced<strided<row_major>>::storage smem;
      if (threadIdx.x == 0) scheduler.start(smem, 1);
      __syncthreads();
      if (threadIdx.x == 0) {
        for ([[maybe_unused]] const coord tile : scheduler.lead(smem)) {
        }
        led = heddle::detail::ptx::later();
      } else {
        for ([[maybe_unused]] const coord tile : scheduler.follow(smem)) simt::wait_until([&] { return led != 0; });
        followed = heddle::detail::ptx::later();
      }
    });
    const trace::report report = log.read();
    REQUIRE(report.slices.size() == 1);
    const double end = static_cast<double>(report.origin) + report.slices[0].end;
    const bool ends_with_leader =
        std::abs(end - static_cast<double>(led) / 2) < std::abs(end - static_cast<double>(followed) / 2);
    CHECK(ends_with_leader == by_leader);
  }
}

TEST_CASE("A full log keeps the first slices or the newest and counts what it leaves out", "[trace]") {
  for (const trace::keep kept : {trace::keep::first, trace::keep::newest}) {
    for (int round = 0; round < 200; ++round) {
      const int tiles = static_cast<int>(drawn(1, 9)), launches = static_cast<int>(drawn(1, 4));
      guarded log({.blocks = 2, .tiles = tiles, .launches = launches, .kept = kept});
      CAPTURE(kept == trace::keep::first, tiles, launches);
      std::vector<std::vector<int>> visited[2];  // by block and launch: indices
      const int times = static_cast<int>(drawn(1, 7));
      long long all = 0;
      for (int launch = 0; launch < times; ++launch) {
        const row_major order{{1, drawn(0, 12)}};
        const traced scheduler{strided{order}, log.buffer()};
        simt::launch_together({.blocks = 2, .threads = 1}, [&] {
          __shared__ traced<strided<row_major>>::storage smem;
          for (auto at = scheduler.tiles(smem); at; ++at) {
          }
        });
        for (int block = 0; block < 2; ++block) {
          visited[block].emplace_back();
          for (int i = block; i < order.size(); i += 2) visited[block].back().push_back(i);
        }
        all += order.size();
      }

      // What is left of each block: the slices that have a slot, of the launches that have one.
      const trace::report report = log.read();
      CHECK(log.is_whole());
      long long kept_slices = 0;
      for (int block = 0; block < 2; ++block) {
        std::vector<std::pair<int, int>> in_time;  // launch and index
        for (int launch = 0; launch < times; ++launch) {
          for (const int index : visited[block][static_cast<std::size_t>(launch)]) in_time.push_back({launch, index});
        }
        const bool first = kept == trace::keep::first;
        std::vector<int> expected;
        for (std::size_t i = 0; i < in_time.size(); ++i) {
          const bool has_slot =
              first ? i < static_cast<std::size_t>(tiles) : i + static_cast<std::size_t>(tiles) >= in_time.size();
          const bool of_kept = first ? in_time[i].first < launches : in_time[i].first >= times - launches;
          if (has_slot && of_kept) expected.push_back(in_time[i].second);
        }
        std::vector<int> seen;
        for (const auto& slice : report.slices) {
          if (slice.block == block) seen.push_back(slice.index);
        }
        CHECK(seen == expected);
        kept_slices += static_cast<long long>(seen.size());
      }
      CHECK(report.launches.size() == static_cast<std::size_t>(std::min(times, launches)));
      CHECK(report.left_out == all - kept_slices);
      CHECK(report.damaged == 0);
    }
  }
}

TEST_CASE("Blocks without a log are not traced and those with one that left nothing are missing", "[trace]") {
  guarded log({.blocks = 3, .tiles = 4});
  const traced scheduler{one_shot{row_major{{1, 8}}}, log.buffer()};
  visits found;
  simt::launch_together({.blocks = 8, .threads = 3}, [&] { run(scheduler, form::loop, found, everything); });
  CHECK(log.is_whole());
  const trace::report report = log.read();
  REQUIRE(report.launches.size() == 1);
  CHECK(report.launches[0].blocks == 8);
  CHECK(report.launches[0].missing == 0);
  CHECK(report.slices.size() == 3);
}

TEST_CASE("A launch that finds a log in use leaves it alone and is counted", "[trace]") {
  guarded log({.blocks = 2, .tiles = 4});
  const traced scheduler{strided{row_major{{1, 4}}}, log.buffer()};
  const auto launch = [&] {
    simt::launch_together({.blocks = 2, .threads = 5}, [&] {
      __shared__ traced<strided<row_major>>::storage smem;
      for (auto at = scheduler.tiles(smem); at; ++at) {
        if (blockIdx.x != 0) continue;
        for (auto within = scheduler.tiles(smem); within; ++within) {
        }  // the log is in use by the loop around
      }
    });
  };
  launch();
  const trace::report report = log.read();
  CHECK(report.refused == 2);
  REQUIRE(report.launches.size() == 1);
  CHECK(report.slices.size() == 4);
  CHECK(report.unfinished == 0);

  log.word(0) |= 1;  // as if a launch had ended in an error
  launch();
  const trace::report after = log.read();
  CHECK(after.refused == 2 + 3);
  CHECK(after.unfinished == 1);
  REQUIRE(after.launches.size() == 2);
  CHECK(after.launches[1].missing == 1);
}

TEST_CASE("Slices and launches that another launch has overwritten are counted and left out", "[trace]") {
  guarded log({.blocks = 1, .tiles = 4, .launches = 1});
  const traced scheduler{strided{row_major{{1, 4}}}, log.buffer()};
  visits found;
  simt::launch_together({.blocks = 1, .threads = 1}, [&] { run(scheduler, form::loop, found, everything); });
  REQUIRE(log.read().slices.size() == 4);
  const std::size_t slices = (32 + 64) / 8;
  log.word(slices + 2 * 2) ^= 1ull << 50;  // the mark of the third slice
  trace::report report = log.read();
  CHECK(report.damaged == 1);
  CHECK(report.slices.size() == 3);
  CHECK(report.left_out == 0);
  log.word(4) ^= 1ull << 63;  // the mark of the launch
  report = log.read();
  CHECK(report.damaged == 1);
  CHECK(report.launches.empty());
  CHECK(report.left_out == 4);
}

TEST_CASE("A slice whose index no order has is counted as damaged", "[trace]") {
  guarded log({.blocks = 1, .tiles = 4, .launches = 1});
  const traced scheduler{strided{row_major{{1, 4}}}, log.buffer()};
  visits found;
  simt::launch_together({.blocks = 1, .threads = 1}, [&] { run(scheduler, form::loop, found, everything); });
  log.word((32 + 64) / 8 + 2 * 2 + 1) |= 1ull << 31;  // the index of the third slice becomes negative
  const trace::report report = log.read();
  CHECK(report.damaged == 1);
  REQUIRE(report.slices.size() == 3);
  CHECK((report.slices[1].index == 1 && report.slices[2].index == 3));
}

TEST_CASE("A tile of more than 32 bits of ticks is as long as 32 bits are, and keeps its index", "[trace]") {
  guarded log({.blocks = 1, .tiles = 4, .launches = 1});
  const traced scheduler{strided{row_major{{1, 4}}}, log.buffer()};
  simt::launch_together({.blocks = 1, .threads = 1}, [&] {
    __shared__ traced<strided<row_major>>::storage smem;
    for (auto at = scheduler.tiles(smem); at; ++at)
      heddle::detail::ptx::ticks += at.index() == 2 ? (1ull << 33) + 5 : 0;
  });
  const trace::report report = log.read();
  REQUIRE(report.slices.size() == 4);
  CHECK(report.slices[2].index == 2);
  CHECK(std::abs((report.slices[2].end - report.slices[2].begin) / (0xffffffff / 2.0) - 1) < 1e-3);
}

TEST_CASE("Counts of logs that no launch has written saturate", "[trace]") {
  const trace::room room{.blocks = 3, .tiles = 1, .launches = 1};
  guarded log(room);
  constexpr long long most = 0x7fffffffffffffff;
  for (std::size_t block = 0; block < 3; ++block) log.word(block * room.bytes_of_log() / 8 + 2) = most / 2 + 1;
  CHECK(log.read().refused == most);
  log.word(2) = ~0ull;
  CHECK(log.read().refused == most);
}

TEST_CASE("Any bytes are read without harm", "[trace]") {
  for (int round = 0; round < 300; ++round) {
    const trace::room room{.blocks = static_cast<int>(drawn(1, 4)),
                           .tiles = static_cast<int>(drawn(1, 9)),
                           .launches = static_cast<int>(drawn(1, 4)),
                           .kept = round % 2 == 0 ? trace::keep::first : trace::keep::newest};
    guarded log(room);
    for (unsigned long long i = 0; i < room.bytes() / 8; ++i) {
      // Words of small numbers are valid more often.
      log.word(i) = round % 3 == 0   ? simt::random_word()
                    : round % 3 == 1 ? drawn(0, 5)
                                     : static_cast<unsigned long long>(drawn(0, 5)) << 32;
      if (round % 5 == 4 && drawn(0, 3) == 0) log.word(i) |= 1ull << 31 | 1ull << drawn(0, 63);
    }
    const trace::report report = log.read();
    CHECK(report.slices.size() <= static_cast<std::size_t>(room.blocks) * static_cast<std::size_t>(room.tiles) * 4);
    CHECK((report.refused >= 0 && report.left_out >= 0));
    for (const auto& slice : report.slices) CHECK(slice.index >= 0);
  }
}

TEST_CASE("Times of all multiprocessors agree within the skew that is reported", "[trace]") {
  using heddle::detail::ptx::ticks;
  for (int round = 0; round < 20; ++round) {
    guarded log({.blocks = 8, .tiles = 64});
    const traced scheduler{strided{row_major{{1, 200}}}, log.buffer()};
    std::map<int, std::pair<unsigned long long, unsigned long long>> ran;  // by index: ticks around the tile
    for (int launch = 0; launch < 2; ++launch) {
      if (round % 2 == 1) {  // clocks are about to lose their upper bits
        for (auto& offset : heddle::detail::ptx::offset_of_clock)
          offset = (1ull << 48) - ticks % (1ull << 48) - drawn(0, 9000);
      }
      simt::launch_together({.blocks = 8, .threads = 1, .processors = 4}, [&] {
        __shared__ traced<strided<row_major>>::storage smem;
        for (auto at = scheduler.tiles(smem); at; ++at) {
          ran[at.index()].first = ticks;
          for (unsigned turns = 20 + simt::random() % 20; turns > 0; --turns) {
            ticks += simt::random() % 64;
            simt::wait();
          }
          ran[at.index()].second = ticks;
        }
      });
    }
    const trace::report report = log.read();
    REQUIRE(report.launches.size() == 2);
    CHECK(report.step == 32);
    const double skew = report.launches[1].skew;
    CHECK(skew >= 32);
    CHECK(skew < 400);
    for (const auto& slice : report.slices) {
      if (slice.launch != 1) continue;
      const auto [from, to] = ran.at(slice.index);
      const double begin = static_cast<double>(from - 2 * report.origin) / 2,
                   end = static_cast<double>(to - 2 * report.origin) / 2;
      // Between a reading and what the kernel sees others run: up to some hundred ticks.
      CHECK(std::abs(slice.begin - begin) < skew + 400);
      CHECK(std::abs(slice.end - end) < skew + 400);
    }
  }
}

TEST_CASE("Launches of one number are told apart like replays of a graph", "[trace]") {
  guarded log({.blocks = 4, .tiles = 400, .launches = 100});
  const traced scheduler{strided{row_major{{1, 10}}}, log.buffer()};
  for (int replay = 0; replay < 100; ++replay) {
    simt::launch_together({.blocks = 4, .threads = 2}, [&] {
      simt::now->grid->number = 77;
      __shared__ traced<strided<row_major>>::storage smem;
      for (auto at = scheduler.tiles(smem); at; ++at) {
      }
    });
  }
  const trace::report report = log.read();
  REQUIRE(report.launches.size() == 100);
  for (const auto& launch : report.launches) {
    CHECK(launch.missing == 0);
    CHECK(launch.grid == 77);
  }
  CHECK(report.slices.size() == 1000);
  for (std::size_t launch = 1; launch < 100; ++launch)
    CHECK(report.launches[launch - 1].begin < report.launches[launch].begin);
}
