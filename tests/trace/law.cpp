// Runs traced schedulers on the host, by the code that kernels use, and reads what they note. The kernels count their
// own visits: that is the oracle.

#include "simt.hpp"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <heddle/order/clustered.hpp>
#include <heddle/schedule.hpp>
#include <heddle/trace/read.hpp>
#include <heddle/trace/traced.hpp>

#include "test.hpp"

using namespace heddle;

namespace {

unsigned drawn(unsigned least, unsigned most) {
  return least + static_cast<unsigned>(simt::random() % (most - least + 1));
}

struct zeroed {
  std::vector<unsigned long long> words = std::vector<unsigned long long>(2048);
  void* data() { return words.data(); }
};

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

/// What a block visits, by launch, block and index: counted by one thread of each form.
using visits = std::map<std::pair<int, int>, int>;  // by block and index

enum class form { loop, roles, leader_alone };

template <class Order>
constexpr bool is_over_clusters = cluster_order<Order>;

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
    if constexpr (is_over_clusters<typename heddle::detail::plain<decltype(scheduler.order())>::type>) {
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

template <class Scheduler>
simt::shape drawn_shape(const Scheduler& scheduler, unsigned threads) {
  unsigned in_cluster = 1;
  if constexpr (requires { scheduler.order().blocks_in_cluster(); }) {
    in_cluster = static_cast<unsigned>(scheduler.order().blocks_in_cluster());
  }
  const auto tiles = static_cast<unsigned>(scheduler.order().size());
  const unsigned blocks = (Scheduler::persistent ? drawn(1, 5) : tiles) * in_cluster;
  return {.blocks = blocks,
          .threads = threads,
          .resident = in_cluster > 1 ? blocks : drawn(1, std::min(blocks, 5u)),
          .in_cluster = in_cluster,
          .processors = drawn(1, 3)};
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
  const trace::room room{.blocks = 64, .tiles = 256, .launches = 8};
  guarded log(room);
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
  for (int round = 0; round < 10; ++round) {
    obeys_the_law(row_major{{1, drawn(1, 24)}}, make);
    const extent grid{drawn(1, 5), drawn(1, 5)}, cluster{drawn(1, 2), drawn(1, 2)};
    obeys_the_law(clustered{row_major{ceil_div(grid, cluster)}, cluster, grid}, make);
  }
}

}  // namespace

TEST_CASE("A trace has one slice per tile under every scheduler in a loop in roles and over clusters", "[trace]") {
  zeroed tickets, runs;
  obeys_the_law_over_grids_and_clusters([](auto order) { return one_shot{order}; });
  obeys_the_law_over_grids_and_clusters([](auto order) { return strided{order}; });
  obeys_the_law_over_grids_and_clusters([](auto order) { return chunked{order}; });
  obeys_the_law_over_grids_and_clusters([&](auto order) { return ticket{order, tickets.data()}; });
  obeys_the_law_over_grids_and_clusters([&](auto order) { return sm_affine{order, runs.data(), 3}; });
}
