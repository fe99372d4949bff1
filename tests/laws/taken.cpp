// What blocks took, by a log: the checkers name what is wrong, and count what is wasted.

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <heddle/laws/check_multicast.hpp>
#include <heddle/laws/check_taken.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/hilbert.hpp>

#include "refusal.hpp"
#include "test.hpp"

using namespace heddle;

TEST_CASE("check_taken names tiles that are missed and repeated, and counts those outside", "[laws]") {
  const int rows = 2, cols = 3;
  const std::vector<laws::taken_tile> log{{0, 0}, {1, 1}, {5, 0}, {4, 2}, {5, 2}, {2, 1}, {6, 1}, {-1, 0}, {6, 2}};
  const laws::taken_report report = laws::check_taken(log, rows * cols);
  CHECK(report.failure == "tile 5 is done 2 times, by block 0, 2\ntile 3 is missed\n2 faults");
  CHECK(report.wasted() == 3);
  CHECK(report.text() == report.failure + "\n3 taken outside the 6 tiles");
  CHECK(!report);
  CHECK(laws::check_taken(std::vector<std::vector<int>>{{0, 2}, {1, 3}}, 4));
  CHECK(laws::check_taken(std::vector<std::vector<unsigned>>{{0}, {1, 7}}, 2).text() ==
        "each tile once; 1 taken outside the 2 tiles");
  CHECK(laws::check_taken(std::vector<std::vector<int>>{}, 0).text() == "each tile once");
  CHECK(laws::check_taken(std::vector<std::vector<int>>(3), 10).failure ==
        "tile 0 is missed\ntile 1 is missed\ntile 2 is missed\ntile 3 is missed\ntile 4 is missed\ntile 5 is missed\n"
        "tile 6 is missed\ntile 7 is missed\n10 faults");
  CHECK(heddle_test::refusal([] { (void)laws::check_taken(std::vector<laws::taken_tile>{}, -1); }) ==
        "heddle::laws::check_taken: tiles is -1; it must be at least 0");
}

TEST_CASE("check_taken counts as sets do", "[laws]") {
  std::mt19937 random(1);
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  for (int turn = 0; turn < 500; ++turn) {
    const int tiles = below(20);
    std::vector<laws::taken_tile> log;
    std::multiset<long long> all;
    for (int i = below(40); i > 0; --i) {
      log.push_back({below(24) - 2, below(5)});
      all.insert(log.back().tile);
    }
    const laws::taken_report report = laws::check_taken(log, tiles);
    const auto inside =
        std::count_if(all.begin(), all.end(), [&](long long tile) { return 0 <= tile && tile < tiles; });
    REQUIRE(report.wasted() == static_cast<long long>(all.size()) - inside);
    int missed = 0, repeated = 0;
    for (int tile = 0; tile < tiles; ++tile) missed += all.count(tile) == 0, repeated += all.count(tile) > 1;
    REQUIRE(std::pair(static_cast<int>(report.missed.size()), static_cast<int>(report.repeated.size())) ==
            std::pair(missed, repeated));
    REQUIRE(static_cast<bool>(report) == (missed + repeated == 0));
  }
}

TEST_CASE("check_multicast passes clusters of the library, and names peers that share nothing", "[laws]") {
  const auto turns_of = [](extent grid, extent cluster, int clusters) {
    const clustered order{hilbert{ceil_div(grid, cluster)}, cluster, grid};
    std::vector<std::vector<laws::cluster_turn>> taken(static_cast<std::size_t>(clusters * cluster.size()));
    for (int i = 0; i < order.size(); ++i) {
      for (int block = 0; block < cluster.size(); ++block) {
        taken[static_cast<std::size_t>(i % clusters * cluster.size() + block)].push_back(
            {order.tile(i, block), 0, 64, true, true});
      }
    }
    return taken;
  };
  for (const extent cluster : {extent{1, 1}, extent{2, 1}, extent{1, 2}, extent{2, 2}, extent{4, 2}}) {
    CHECK(laws::check_multicast(turns_of({7, 9}, cluster, 3), cluster).failure == "");
  }
  CHECK(!laws::check_multicast(turns_of({7, 9}, {1, 2}, 3), {2, 1}));

  const auto found = [](laws::cluster_turn peer, extent cluster) {
    const laws::cluster_turn its{{3, 4}, 1, 64, cluster.cols == 2, cluster.rows == 2};
    return laws::check_multicast({{its}, {peer}}, cluster).failure;
  };
  const std::string begins = "turn 0 of block 0, tile {3, 4} of group 1: it multicasts, but block 1";
  CHECK(found({{3, 5}, 1, 64, true}, {1, 2}) == "");
  CHECK(found({{4, 4}, 1, 64, false, true}, {2, 1}) == "");
  CHECK(found({{4, 5}, 1, 64, true}, {1, 2}) == begins + " has tile {4, 5}");
  CHECK(found({{4, 5}, 1, 64, false, true}, {2, 1}) == begins + " has tile {4, 5}");
  CHECK(found({{3, 5}, 2, 64, true}, {1, 2}) == begins + " is in group 2");
  CHECK(found({{3, 5}, 1, 32, true}, {1, 2}) == begins + " has k 32 in place of 64");
  CHECK(found({{3, 5}, 1, 64}, {1, 2}) == begins + " does not");
  CHECK(laws::check_multicast({{}, {{{0, 1}, 0, 64, true}}}, {1, 2}).failure ==
        "turn 0 of block 1, tile {0, 1} of group 0: it multicasts, but block 0 has ended");
  CHECK(laws::check_multicast({{}, {{{0, 1}, 0, 64}}}, {1, 2}).failure == "");
  CHECK(heddle_test::refusal([] {
          (void)laws::check_multicast({{}}, {1, 2});
        }) == "heddle::laws::check_multicast: blocks is 1; it must be a multiple of 2");
}
