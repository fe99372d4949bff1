// When a launch over uneven tiles ends.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include <heddle/order.hpp>
#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/makespan.hpp>
#include <heddle/recipe/text.hpp>
#include <heddle/schedule.hpp>
#include <heddle/trace/buffer.hpp>
#include <heddle/trace/traced.hpp>

#include "sanitized.hpp"
#include "test.hpp"

using namespace heddle;
using predict::makespan;
using predict::makespan_report;
using predict::places;

namespace {

/// The earliest end of any assignment of tiles to workers, by trying all.
double best_end(const std::vector<double>& costs, std::vector<double>& busy, std::size_t tile) {
  if (tile == costs.size()) return *std::max_element(busy.begin(), busy.end());
  double best = HUGE_VAL;
  for (double& until : busy) {
    until += costs[tile];
    best = (std::min)(best, best_end(costs, busy, tile + 1));
    until -= costs[tile];
    if (until == 0) break;  // the other idle workers are alike
  }
  return best;
}

/// Which tile a worker gets next, by the words of each scheduler's header.
class tiles_left {
 public:
  tiles_left(const recipe& by, int tiles, int workers, int together)
      : by_(by), tiles_(tiles), workers_(workers), together_(together), lanes_(std::min(workers, 256)), next_(workers) {
    drawn_.resize(static_cast<unsigned>(lanes_));
    runs_.resize(static_cast<unsigned>((workers - 1) / together + 1));
    for (int worker = 0; worker < workers; ++worker) {
      first_.push_back(by.schedule == recipe::work_stealing ? own_or_fullest(worker % lanes_)
                       : by.schedule == recipe::sm_affine   ? of_run(worker)
                                                            : worker);
    }
    ahead_.resize(static_cast<unsigned>(workers));
  }

  /// Returns the next tile of a worker that is done with `last`, or -1 if it begins. The end is at least `tiles`.
  int next(int worker, int last) {
    const bool begins = last < 0;
    const int first = first_[static_cast<unsigned>(worker)];
    int& ahead = ahead_[static_cast<unsigned>(worker)];
    switch (by_.schedule) {
      case recipe::one_shot:
      case recipe::late_ticket:
        return begins ? first : next_++;
      case recipe::ticket:
      case recipe::cluster_launch: {
        const int taken = begins ? first : ahead;
        if (taken < tiles_) ahead = next_++;
        return taken;
      }
      case recipe::strided:
        return begins ? first : last + workers_;
      case recipe::chunked: {
        const int share = tiles_ / workers_, longer = tiles_ % workers_;
        const int begin = worker * share + std::min(worker, longer), end = begin + share + (worker < longer);
        const int one = begins ? begin : last + 1;
        return one < end ? one : tiles_;
      }
      case recipe::sm_affine:
        return begins ? first : of_run(worker);
      case recipe::work_stealing: {  // a tile ahead from its own lane; then from the fullest
        const int own = worker % lanes_, taken = begins ? first : ahead < tiles_ ? ahead : draw(fullest());
        const bool is_own = begins ? taken < tiles_ && taken % lanes_ == own : ahead < tiles_;
        ahead = is_own ? draw(own) : tiles_;
        return taken;
      }
      case recipe::stream_k:
        break;
    }
    return tiles_;
  }

 private:
  int left(int lane) const {
    return lane < tiles_ ? (tiles_ - lane - 1) / lanes_ + 1 - drawn_[static_cast<unsigned>(lane)] : 0;
  }
  int fullest() const {
    int most = 0;
    for (int lane = 1; lane < lanes_; ++lane) most = left(lane) > left(most) ? lane : most;
    return most;
  }
  int own_or_fullest(int own) {
    const int taken = draw(own);
    return taken < tiles_ ? taken : draw(fullest());
  }
  int of_run(int worker) {
    auto& [from, end] = runs_[static_cast<unsigned>(worker / together_)];
    if (from == end) from = std::exchange(runs_end_, end = std::min(tiles_, runs_end_ + by_.run));
    return from < end ? from++ : tiles_;
  }
  int draw(int lane) { return left(lane) > 0 ? lane + lanes_ * drawn_[static_cast<unsigned>(lane)]++ : tiles_; }

  recipe by_;
  int tiles_, workers_, together_, lanes_, next_, runs_end_ = 0;
  std::vector<int> drawn_, ahead_, first_;  // from each lane; by each worker
  std::vector<std::pair<int, int>> runs_;   // of each multiprocessor: what is left of its run
};

std::vector<recipe> all_schedulers() {
  std::vector<recipe> all;
  for (int kind = 0; kind < recipe::stream_k; ++kind) {
    all.push_back({.schedule = static_cast<recipe::schedule_kind>(kind), .run = 3});
  }
  return all;
}

std::vector<int> workers_of(const makespan_report& found) {
  std::vector<int> workers;
  for (const auto& stretch : found.stretches) workers.push_back(stretch.worker);
  return workers;
}

}  // namespace

TEST_CASE("A makespan is that of each scheduler by the words of its header", "[predict]") {
  std::mt19937 random(3);
  for (int turn = 0; turn < 400; ++turn) {
    const extent grid{static_cast<int>(random() % 7), static_cast<int>(random() % (turn % 8 ? 7 : 90))};
    std::vector<double> costs(static_cast<unsigned>(grid.size()));
    for (double& cost : costs) cost = static_cast<double>(random() % 9);
    const auto cost = [&](coord tile) { return costs[static_cast<unsigned>(grid.number(tile))]; };
    const bool all_here = random() % 2 == 0;
    const auto arrival = [&](coord tile) { return all_here ? 0.0 : 3.0 * (tile.row + tile.col); };
    const cta_swizzle order{grid, 2, axis::x};
    const int places = 1 + static_cast<int>(random() % (turn % 8 ? 6 : 300)),
              together = 1 + static_cast<int>(random() % 3);
    const int workers = std::min(places, grid.size());
    for (const recipe& by : all_schedulers()) {
      CAPTURE(grid.rows, grid.cols, places, together, to_string(by));
      const makespan_report found = makespan(order, cost, arrival, {places, together}, by);
      REQUIRE(static_cast<int>(found.stretches.size()) == grid.size());
      double work = 0, waited = 0, end = 0, longest = 0;
      if (workers > 0) {
        tiles_left left(by, grid.size(), workers, together);
        std::vector<double> until(static_cast<unsigned>(workers));  // for ever, once a worker has ended
        std::vector<int> last(static_cast<unsigned>(workers), -1);
        for (int taken = 0; taken < grid.size();) {
          const auto worker = static_cast<unsigned>(std::min_element(until.begin(), until.end()) - until.begin());
          const int i = left.next(static_cast<int>(worker), last[worker]);
          if (i >= grid.size()) {
            until[worker] = HUGE_VAL;
            continue;
          }
          const auto& [index, of, begin, ends] = found.stretches[static_cast<unsigned>(i)];
          REQUIRE((index == i && of == static_cast<int>(worker)));
          REQUIRE(begin == std::max(until[worker], arrival(order(i))));
          REQUIRE(ends == begin + cost(order(i)));
          waited += begin - until[worker];
          work += ends - begin;
          longest = std::max(longest, ends - begin);
          end = std::max(end, until[worker] = ends);
          last[worker] = i;
          ++taken;
        }
      }
      CHECK(found.end == end);
      CHECK(found.work == work);
      CHECK(found.waited == waited);
      CHECK(found.longest == longest);
      if (all_here && (by.schedule == recipe::one_shot || by.schedule == recipe::late_ticket)) {
        CHECK(found.end <= work / places + (1 - 1.0 / places) * found.longest + 1e-9);
      }
      if (found.end > 0) CHECK(std::abs(found.idle_share() - (1 - work / (found.end * places))) < 1e-12);
    }
  }
}

TEST_CASE("chunked gives the first workers the longer runs", "[predict]") {
  const makespan_report found =
      makespan(row_major{{1, 7}}, [](coord) { return 1.0; }, {3}, {.schedule = recipe::chunked});
  CHECK(workers_of(found) == std::vector<int>{0, 0, 0, 1, 1, 2, 2});
}

TEST_CASE("Under sm_affine the blocks of a multiprocessor share a run, and a free one takes the next", "[predict]") {
  const auto cost = [](coord tile) { return tile.col == 0 ? 9.0 : 1.0; };
  const row_major order{{1, 10}};
  const recipe by{.schedule = recipe::sm_affine, .run = 3};
  CHECK(workers_of(makespan(order, cost, {2}, by)) == std::vector<int>{0, 0, 0, 1, 1, 1, 1, 1, 1, 1});
  CHECK(workers_of(makespan(order, cost, {4, 2}, by)) == std::vector<int>{0, 1, 1, 2, 3, 2, 3, 2, 3, 1});
}

namespace {

/// A scheduler of a user's own, which is right if its step is the number of workers.
struct by_steps : strided<row_major> {
  unsigned step;

  by_steps(row_major order, unsigned by) : strided<row_major>(order), step(by) {}

  template <class Machine>
  struct draws {
    Machine on;
    unsigned step;

    draws(const by_steps& scheduler, Machine machine, storage&) : on(machine), step(scheduler.step) {}
    unsigned first() const { return on.worker(); }
    unsigned next(unsigned index) const { return index + step; }
  };
};

std::vector<double> begins_of(const makespan_report& found) {
  std::vector<double> begins;
  for (const auto& stretch : found.stretches) begins.push_back(stretch.begin);
  return begins;
}

}  // namespace

TEST_CASE("A makespan runs a scheduler of one's own, and refuses one that gives a tile twice or never", "[predict]") {
  const auto cost = [](coord) { return 1.0; };
  const row_major order{{1, 9}};
  CHECK(workers_of(makespan(by_steps{order, 3}, cost, {.count = 3})) == std::vector<int>{0, 1, 2, 0, 1, 2, 0, 1, 2});
  const char* const complaint = "heddle::predict::makespan: the scheduler does not give each tile once";
  for (const unsigned step : {0u, 1u, 2u, 4u}) {
    CHECK_THROWS_WITH(makespan(by_steps{order, step}, cost, {.count = 3}), complaint);
  }
  CHECK_THROWS_WITH(makespan(one_shot{order}, cost, {.count = 3, .workers = 8}), complaint);
}

TEST_CASE("A makespan knows places that are free late, workers beyond them, traces and draws on demand", "[predict]") {
  const auto cost = [](coord) { return 2.0; };
  const row_major order{{1, 6}};
  std::vector<long long> state(ticket<>::state_bytes() / 8);
  const places held{.count = 3, .late = {{.free = 5, .multiprocessor = 1}}};
  CHECK(begins_of(makespan(one_shot{order}, cost, held)) == std::vector<double>{0, 0, 2, 2, 4, 4});
  CHECK(begins_of(makespan(strided{order}, cost, held)) == std::vector<double>{0, 0, 4, 2, 2, 6});
  CHECK(begins_of(makespan(ticket{order, state.data()}, cost, held)) == std::vector<double>{0, 0, 4, 2, 2, 4});
  CHECK(workers_of(makespan(cluster_launch{order}, cost, held)) == std::vector<int>{1, 2, 1, 2, 1, 2});
  // As many workers as tiles on two places: those that begin later find no tile.
  CHECK(makespan(ticket{order, state.data()}, cost, {.count = 2, .workers = 5}).end == 6);
  const traced noted{draws_late{ticket{order, state.data()}},
                     trace::buffer{{.blocks = 1, .tiles = 1}, state.data(), 1 << 20}};
  CHECK(makespan(noted, cost, {.count = 4}).end == 4);
}

TEST_CASE("A cluster is one worker, and takes as long as its longest tile", "[predict]") {
  const extent grid{3, 5};
  const clustered order{row_major{{2, 3}}, {2, 2}, grid};
  const auto cost = [&](coord tile) {
    CHECK(grid.contains(tile));
    return 1.0 + tile.row + 10 * tile.col;
  };
  const auto arrival = [&](coord tile) { return tile.col == 4 ? 7.0 : 0.0; };
  const makespan_report found = makespan(strided{order}, cost, arrival, {.count = 2});
  CHECK(workers_of(found) == std::vector<int>{0, 1, 0, 1, 0, 1});
  CHECK(begins_of(found) == std::vector<double>{0, 0, 12, 32, 54, 45});
  CHECK(found.end == 88);
}

TEST_CASE("A tile that is drawn ahead waits behind a long one", "[predict]") {
  const reversed heaviest_first{row_major{{16, 16}}};
  const auto cost = [](coord tile) { return tile.row + 1.0; };
  std::vector<long long> state(ticket<>::state_bytes() / 8);
  const auto ahead = makespan(ticket{heaviest_first, state.data()}, cost, {132});
  const auto late = makespan(draws_late{ticket{heaviest_first, state.data()}}, cost, {132});
  CHECK(ahead.end == 24);
  CHECK(late.end == 17);
}

TEST_CASE("The waves of a replay are the tiles that even blocks take at once", "[predict]") {
  std::mt19937 random(17);
  for (int turn = 0; turn < 300; ++turn) {
    const int chips = 1 + static_cast<int>(random() % 5), blocks = 1 + static_cast<int>(random() % 4);
    const row_major order{{1, static_cast<int>(random() % 200)}};
    for (recipe by : all_schedulers()) {
      by.run = blocks * (1 + static_cast<int>(random() % 5));  // else a run that ends within a wave has no one order
      CAPTURE(chips, blocks, order.size(), to_string(by));
      const makespan_report found = makespan(
          order, [](coord) { return 1.0; }, {chips * blocks, blocks}, by);
      std::vector<std::vector<int>> at_once(static_cast<unsigned>(found.end));
      for (const auto& stretch : found.stretches)
        at_once[static_cast<unsigned>(stretch.begin)].push_back(stretch.index);
      detail::chip_waves waves(order, {order.size(), chips, blocks, by});
      for (long long number = 0; number < waves.size(); ++number) {
        std::vector<int> wave;
        for (const coord tile : waves(number)) wave.push_back(tile.col);
        std::sort(wave.begin(), wave.end());
        if (static_cast<std::size_t>(number) >= at_once.size()) at_once.push_back({});
        CHECK(wave == at_once[static_cast<std::size_t>(number)]);
      }
      CHECK(waves.size() >= static_cast<long long>(found.end));
    }
  }
}

TEST_CASE("The makespan of a million tiles takes less than half a second", "[predict]") {
  const extent grid{1000, 1000};
  const auto cost = [](coord tile) { return 1.0 + (tile.row * 7 + tile.col * 3) % 11; };
  for (const recipe& by : all_schedulers()) {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(makespan(row_major{grid}, cost, {132, 2}, by).end > 0);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    INFO(to_string(by) << ": " << took.count() << " s");
#if !defined(SANITIZED)
    CHECK(took.count() < 0.5);
#endif
  }
}

TEST_CASE("Heaviest first ends within 4/3 of the best possible", "[predict]") {
  std::mt19937 random(5);
  for (int turn = 0; turn < 150; ++turn) {
    const int tiles = 1 + static_cast<int>(random() % 9), workers = 1 + static_cast<int>(random() % 4);
    std::vector<double> costs(static_cast<unsigned>(tiles));
    for (double& cost : costs) cost = 1 + static_cast<double>(random() % 20);
    const auto cost = [&](coord tile) { return costs[static_cast<unsigned>(tile.col)]; };
    const extent grid{1, tiles};
    const tile_table::entries entries = by_cost(row_major{grid}, cost);
    const makespan_report found =
        makespan(tile_table{grid, entries.data()}, cost, {workers}, {.schedule = recipe::late_ticket});
    std::vector<double> busy(static_cast<unsigned>(workers));
    const double best = best_end(costs, busy, 0);
    CAPTURE(tiles, workers);
    CHECK(found.end >= best);
    CHECK(found.end <= (4.0 / 3 - 1.0 / (3 * workers)) * best + 1e-9);
  }
}

TEST_CASE("A causal pass ends sooner if its long rows come first", "[predict]") {
  const extent grid{64, 24};
  const auto cost = [](coord tile) { return tile.row + 1.0; };
  const auto in_order = makespan(row_major{grid}, cost, {132}, {.schedule = recipe::late_ticket});
  const auto heaviest_first = makespan(reversed{row_major{grid}}, cost, {132}, {.schedule = recipe::late_ticket});
  CHECK(heaviest_first.end < in_order.end);
  CHECK(heaviest_first.idle_share() < 0.02);
}

TEST_CASE("A launch waits less for what arrives if it begins with what is here", "[predict]") {
  const extent grid{64, 16};  // the upper half of the rows arrives from another GPU
  const auto cost = [](coord) { return 1.0; };
  const auto arrival = [](coord tile) { return tile.row < 32 ? 4.0 : 0.0; };
  const row_major order{grid};
  const rotated own_rows_first{order, order.index({32, 0})};
  const auto in_order = makespan(order, cost, arrival, {128}, {.schedule = recipe::strided});
  const auto overlapped = makespan(own_rows_first, cost, arrival, {128}, {.schedule = recipe::strided});
  CHECK(in_order.end == 12);
  CHECK(in_order.waited == 128 * 4);
  CHECK(overlapped.end == 8);
  CHECK(overlapped.waited == 0);
}

TEST_CASE("The makespans in docs/spaces.md are what it says", "[predict]") {
  const extent grid{64, 24};
  const auto cost = [](coord tile) { return tile.row + 1.0; };
  const auto end = [&](const auto& order, recipe::schedule_kind by) {
    return makespan(order, cost, {132}, {.schedule = by}).end;
  };
  CHECK(end(row_major{grid}, recipe::ticket) == 408);
  CHECK(end(row_major{grid}, recipe::strided) == 408);
  CHECK(end(row_major{grid}, recipe::late_ticket) == 408);
  CHECK(end(column_major{grid}, recipe::ticket) == 438);
  CHECK(end(column_major{grid}, recipe::late_ticket) == 418);
  CHECK(end(column_major{grid}, recipe::strided) == 504);
  CHECK(end(reversed{row_major{grid}}, recipe::ticket) == 380);
  CHECK(end(reversed{row_major{grid}}, recipe::late_ticket) == 379);
  CHECK(end(reversed{row_major{grid}}, recipe::strided) == 408);
}

TEST_CASE("A makespan refuses costs and workers that cannot be right", "[predict]") {
  const row_major order{{2, 2}};
  CHECK_THROWS_WITH(makespan(order, [](coord) { return 1.0; }, {0}, {.schedule = recipe::ticket}),
                    "heddle::predict::makespan: workers is 0; it must be at least 1");
  CHECK_THROWS_WITH(makespan(order, [](coord) { return -1.0; }, {1}, {.schedule = recipe::ticket}),
                    "heddle::predict::makespan: the cost of a tile is not at least 0");
  CHECK_THROWS_WITH(
      makespan(
          order, [](coord) { return 1.0; }, [](coord) { return std::nan(""); }, {1}, {.schedule = recipe::ticket}),
      "heddle::predict::makespan: the arrival of a tile's input is not at least 0");
  CHECK_THROWS_WITH(makespan(
                        order, [](coord) { return 1.0; }, {1}, recipe{.schedule = recipe::sm_affine, .run = 0}),
                    "heddle::predict::makespan: run is 0; it must be at least 1");
  CHECK_THROWS_WITH(makespan(order, [](coord) { return 1.0; }, {1, 0}, {.schedule = recipe::ticket}),
                    "heddle::predict::makespan: together is 0; it must be at least 1");
  CHECK(makespan(row_major{{0, 2}}, [](coord) { return 1.0; }, {4}, {.schedule = recipe::ticket}).idle_share() == 0);
}
