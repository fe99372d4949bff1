// When a launch over uneven tiles ends.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include <heddle/order.hpp>
#include <heddle/predict/makespan.hpp>
#include <heddle/recipe/text.hpp>
#include <heddle/schedule/draws_late.hpp>
#include <heddle/schedule/ticket.hpp>
#include <heddle/schedule/work_stealing.hpp>

#include "one_at_a_time.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::one_at_a_time;
using predict::makespan;
using predict::makespan_report;

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

}  // namespace

TEST_CASE("A makespan has each tile once, in order on its worker, without overlap", "[predict]") {
  std::mt19937 random(3);
  for (int turn = 0; turn < 300; ++turn) {
    const extent grid{static_cast<int>(random() % 7), static_cast<int>(random() % 7)};
    std::vector<double> costs(static_cast<unsigned>(grid.size()));
    for (double& cost : costs) cost = static_cast<double>(random() % 9);
    const auto cost = [&](coord tile) { return costs[static_cast<unsigned>(grid.number(tile))]; };
    const bool all_here = random() % 2 == 0;
    const auto arrival = [&](coord tile) { return all_here ? 0.0 : 3.0 * (tile.row + tile.col); };
    const cta_swizzle order{grid, 2, axis::x};
    const int workers = 1 + static_cast<int>(random() % 6), together = 1 + static_cast<int>(random() % 3);
    for (const recipe by :
         {recipe{.schedule = recipe::one_shot}, recipe{.schedule = recipe::strided},
          recipe{.schedule = recipe::chunked}, recipe{.schedule = recipe::ticket},
          recipe{.schedule = recipe::sm_affine, .run = 3}, recipe{.schedule = recipe::cluster_launch}}) {
      CAPTURE(grid.rows, grid.cols, workers, together, to_string(by));
      const makespan_report found = makespan(order, cost, arrival, workers, by, together);
      REQUIRE(static_cast<int>(found.stretches.size()) == grid.size());
      std::vector<double> until(static_cast<unsigned>(workers));
      double work = 0, waited = 0;
      for (int i = 0; i < grid.size(); ++i) {
        const auto& [index, worker, begin, end] = found.stretches[static_cast<unsigned>(i)];
        CHECK(index == i);
        CHECK((0 <= worker && worker < workers));
        const double free = until[static_cast<unsigned>(worker)];
        CHECK(begin == std::max(free, arrival(order(i))));
        CHECK(end == begin + cost(order(i)));
        // A block that draws a tile is one that is done first.
        if (by.schedule == recipe::ticket || by.schedule == recipe::cluster_launch)
          CHECK(free == *std::min_element(until.begin(), until.end()));
        if (by.schedule == recipe::strided) CHECK(worker == i % workers);
        if (by.schedule == recipe::sm_affine) {
          const int first = worker / together * together, end_of_group = std::min(first + together, workers);
          CHECK(free == *std::min_element(until.begin() + first, until.begin() + end_of_group));
          CHECK(found.stretches[static_cast<unsigned>(i / 3 * 3)].worker / together == worker / together);
        }
        until[static_cast<unsigned>(worker)] = end;
        work += end - begin;
        waited += begin - free;
      }
      CHECK(found.end == *std::max_element(until.begin(), until.end()));
      CHECK(found.work == work);
      CHECK(found.waited == waited);
      if (all_here &&
          (by.schedule == recipe::ticket || by.schedule == recipe::one_shot || by.schedule == recipe::cluster_launch)) {
        CHECK(found.end <= work / workers + (1 - 1.0 / workers) * found.longest + 1e-9);
      }
      if (found.end > 0) CHECK(std::abs(found.idle_share() - (1 - work / (found.end * workers))) < 1e-12);
    }
  }
}

TEST_CASE("chunked gives the first workers the longer runs", "[predict]") {
  const makespan_report found =
      makespan(row_major{{1, 7}}, [](coord) { return 1.0; }, 3, {.schedule = recipe::chunked});
  std::vector<int> workers;
  for (const auto& stretch : found.stretches) workers.push_back(stretch.worker);
  CHECK(workers == std::vector<int>{0, 0, 0, 1, 1, 2, 2});
}

TEST_CASE("Under sm_affine the blocks of a multiprocessor share a run, and a free one takes the next", "[predict]") {
  const auto worker_of = [](const makespan_report& found) {
    std::vector<int> workers;
    for (const auto& stretch : found.stretches) workers.push_back(stretch.worker);
    return workers;
  };
  const auto cost = [](coord tile) { return tile.col == 0 ? 9.0 : 1.0; };
  const row_major order{{1, 10}};
  const recipe by{.schedule = recipe::sm_affine, .run = 3};
  CHECK(worker_of(makespan(order, cost, 2, by)) == std::vector<int>{0, 0, 0, 1, 1, 1, 1, 1, 1, 1});
  CHECK(worker_of(makespan(order, cost, 4, by, 2)) == std::vector<int>{0, 1, 1, 2, 3, 2, 3, 2, 3, 1});
}

/// Checks a prediction against a scheduler itself, block by block.
template <class Scheduler>
void is_that_of(const Scheduler& scheduler, recipe::schedule_kind kind, const std::vector<double>& costs, int workers) {
  const makespan_report found =
      makespan(scheduler.order(), [&](coord tile) { return costs[static_cast<unsigned>(tile.col)]; }, workers,
               {.schedule = kind});
  using draws = typename Scheduler::template draws<one_at_a_time>;
  typename Scheduler::storage none{};
  std::vector<draws> blocks;
  for (unsigned block = 0; block < static_cast<unsigned>(workers); ++block) {
    blocks.emplace_back(scheduler, one_at_a_time{0, static_cast<unsigned>(workers), block}, none);
  }
  using done = std::pair<double, unsigned>;  // when a block is, and which
  std::priority_queue<done, std::vector<done>, std::greater<>> next;
  std::vector<int> has_begun(static_cast<unsigned>(workers));
  for (unsigned block = 0; block < static_cast<unsigned>(workers); ++block) next.push({0.0, block});
  std::size_t taken = 0;
  for (; !next.empty(); next.pop()) {
    const auto [now, block] = next.top();
    const unsigned index = has_begun[block]++ == 0 ? blocks[block].first() : blocks[block].next(0);
    if (index >= costs.size()) continue;
    blocks[block].ask();
    ++taken;
    CHECK(found.stretches[index].worker == static_cast<int>(block));
    CHECK(found.stretches[index].begin == now);
    next.push({now + costs[index], block});
  }
  CHECK(taken == costs.size());
  CHECK(found.work == std::accumulate(costs.begin(), costs.end(), 0.0));
}

TEST_CASE("A makespan is that of work_stealing itself, and of a ticket that draws late", "[predict]") {
  std::mt19937 random(11);
  for (int turn = 0; turn < 200; ++turn) {
    const int tiles = static_cast<int>(random() % 900), workers = 1 + static_cast<int>(random() % (turn % 4 ? 9 : 400));
    std::vector<double> costs(static_cast<unsigned>(tiles));
    for (double& cost : costs) cost = static_cast<double>(random() % 9);
    CAPTURE(tiles, workers);
    const row_major order{{1, tiles}};
    const auto zeroed = [](std::size_t bytes) { return std::vector<unsigned long long>(bytes / 8 + 1); };
    auto lanes = zeroed(work_stealing<>::state_bytes()), state = zeroed(ticket<>::state_bytes());
    is_that_of(work_stealing{order, lanes.data()}, recipe::work_stealing, costs, workers);
    for (double& cost : costs) cost += 1;  // all workers enter before one of them draws
    is_that_of(draws_late{ticket{order, state.data()}}, recipe::ticket, costs, workers);
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
        makespan(tile_table{grid, entries.data()}, cost, workers, {.schedule = recipe::ticket});
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
  const auto in_order = makespan(row_major{grid}, cost, 132, {.schedule = recipe::ticket});
  const auto heaviest_first = makespan(reversed{row_major{grid}}, cost, 132, {.schedule = recipe::ticket});
  CHECK(heaviest_first.end < in_order.end);
  CHECK(heaviest_first.idle_share() < 0.02);
}

TEST_CASE("A launch waits less for what arrives if it begins with what is here", "[predict]") {
  const extent grid{64, 16};  // the upper half of the rows arrives from another GPU
  const auto cost = [](coord) { return 1.0; };
  const auto arrival = [](coord tile) { return tile.row < 32 ? 4.0 : 0.0; };
  const row_major order{grid};
  const rotated own_rows_first{order, order.index({32, 0})};
  const auto in_order = makespan(order, cost, arrival, 128, {.schedule = recipe::strided});
  const auto overlapped = makespan(own_rows_first, cost, arrival, 128, {.schedule = recipe::strided});
  CHECK(in_order.end == 12);
  CHECK(in_order.waited == 128 * 4);
  CHECK(overlapped.end == 8);
  CHECK(overlapped.waited == 0);
}

TEST_CASE("The makespans in docs/spaces.md are what it says", "[predict]") {
  const extent grid{64, 24};
  const auto cost = [](coord tile) { return tile.row + 1.0; };
  const auto end = [&](const auto& order, recipe::schedule_kind by) {
    return makespan(order, cost, 132, {.schedule = by}).end;
  };
  CHECK(end(row_major{grid}, recipe::ticket) == 408);
  CHECK(end(row_major{grid}, recipe::strided) == 408);
  CHECK(end(column_major{grid}, recipe::ticket) == 418);
  CHECK(end(column_major{grid}, recipe::strided) == 504);
  CHECK(end(reversed{row_major{grid}}, recipe::ticket) == 379);
  CHECK(end(reversed{row_major{grid}}, recipe::strided) == 408);
}

TEST_CASE("A makespan refuses costs and workers that cannot be right", "[predict]") {
  const row_major order{{2, 2}};
  CHECK_THROWS_WITH(makespan(order, [](coord) { return 1.0; }, 0, {.schedule = recipe::ticket}),
                    "heddle::predict::makespan: workers is 0; it must be at least 1");
  CHECK_THROWS_WITH(makespan(order, [](coord) { return -1.0; }, 1, {.schedule = recipe::ticket}),
                    "heddle::predict::makespan: the cost of a tile is not at least 0");
  CHECK_THROWS_WITH(
      makespan(
          order, [](coord) { return 1.0; }, [](coord) { return std::nan(""); }, 1, {.schedule = recipe::ticket}),
      "heddle::predict::makespan: the arrival of a tile's input is not at least 0");
  CHECK_THROWS_WITH(makespan(
                        order, [](coord) { return 1.0; }, 1, recipe{.schedule = recipe::sm_affine, .run = 0}),
                    "heddle::predict::makespan: run is 0; it must be at least 1");
  CHECK_THROWS_WITH(makespan(
                        order, [](coord) { return 1.0; }, 1, {.schedule = recipe::ticket}, 0),
                    "heddle::predict::makespan: together is 0; it must be at least 1");
  CHECK(makespan(row_major{{0, 2}}, [](coord) { return 1.0; }, 4, {.schedule = recipe::ticket}).idle_share() == 0);
}
