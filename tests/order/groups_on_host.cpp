// Orders of groups that the host prepares in its own memory.

#include <heddle/laws/check_clusters.hpp>
#include <heddle/laws/check_costs.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/reversed.hpp>

#include "order/groups.hpp"
#include "order/groups_on_host.hpp"

using namespace heddle;
using heddle_test::ends_of;
using on_host = heddle_test::groups_on_host;

TEST_CASE("Groups of up to nine rows of tiles are visited once, in every combination of one to six", "[order]") {
  std::vector<int> rows, seen;
  for (const int end : {10, 100, 1'000, 10'000, 100'000, 1'000'000}) {
    for (int combination = 0; combination < end; ++combination) {
      rows.clear();
      for (int digits = end + combination; digits > 9; digits /= 10) rows.push_back(digits % 10);
      const auto sequence = combination % 2 == 0 ? group_sequence::as_numbered : group_sequence::heaviest_first;
      const std::vector<int> ends = ends_of(rows);
      const group_shape shape{.rows = ends.back(), .groups = std::ssize(rows), .tile_rows = 1, .cols = 1};
      const on_host groups(shape, ends, 3, axis::y, sequence);
      const grouped& order = groups.order();
      seen.assign(static_cast<unsigned>(ends.back()), 0);
      bool is_right = order.size() == ends.back();
      for (int i = 0; is_right && i < order.size(); ++i) {
        const group_coord tile = order(i);
        is_right = 0 <= tile.group && tile.group < std::ssize(rows) && tile.col == 0 && 0 <= tile.row &&
                   tile.row < rows[static_cast<unsigned>(tile.group)] && order.index(tile) == i;
        if (is_right) {
          const int before = tile.group == 0 ? 0 : ends[static_cast<unsigned>(tile.group) - 1];
          is_right = seen[static_cast<unsigned>(before + tile.row)]++ == 0;
        }
      }
      if (!is_right) FAIL("combination " << combination << " of " << end);
    }
  }
}

TEST_CASE("16384 groups, one huge group and two billion tiles are visited once", "[order]") {
  std::mt19937 random(13);
  std::vector<int> rows(16384);
  for (int& each : rows) each = static_cast<int>(random() % 3);
  rows[5000] = 3000;
  const std::vector<int> ends = ends_of(rows);
  const group_shape many{.rows = ends.back(), .groups = 16384, .tile_rows = 2, .cols = 1};
  const on_host all(many, ends, 1, axis::x, group_sequence::heaviest_first);
  CHECK(all.order()(0).group == 5000);
  CHECK(laws::check_order(all.order()).failure == "");
  const auto weight = [&](group_coord tile) { return 1.0 * rows[static_cast<unsigned>(tile.group)]; };
  CHECK(laws::check_costs(all.order(), weight, 0x7fffffff).failure == "");

  const std::vector<int> few{5, 0, 2000, 1, 41};
  const group_shape wide{.rows = 2047, .groups = 5, .tile_rows = 1, .cols = 1049088};
  for (const axis along : {axis::x, axis::y}) {
    const on_host billions(wide, ends_of(few), 7, along, group_sequence::as_numbered);
    CHECK(billions.order().size() == 2147483136);
    CHECK(laws::probe_order(billions.order(), 3000, 5).failure == "");
  }
}

TEST_CASE("The host prepares heaviest groups first, counts weights, and leaves groups of wrong ends empty", "[order]") {
  const auto prepare = [](group_shape shape, const std::vector<int>& ends, group_sequence sequence,
                          const int* weights) { return on_host(shape, ends, 2, axis::y, sequence, weights); };
  heddle_test::counts_weights(prepare);
  heddle_test::counts_wrong_ends(prepare);
  heddle_test::reads_every_form([](group_shape shape, const auto& rows, group_sequence sequence) {
    return on_host(shape, rows, 2, axis::y, sequence);
  });
  const std::vector<int> offsets{2, 7, 8, 9, 18, 19, 19};  // their differences are the weights
  const group_shape shape{.rows = 21, .groups = 6, .tile_rows = 1, .cols = 1};
  const on_host lightest(shape, ends_of({3, 7, 3, 0, 7, 1}), 1, axis::x, group_sequence::lightest_first,
                         group_rows::offsets(offsets.data()));
  CHECK(heddle_test::groups_along(lightest.order()) == std::vector<int>{5, 2, 4, 1, 0});
  CHECK(on_host({.rows = 3, .groups = 0, .tile_rows = 1, .cols = 2}, {}, 1, axis::x, group_sequence::as_numbered)
            .order()
            .size() == 0);
}

TEST_CASE("Clusters in a row of a group cover the tiles of each group once", "[order]") {
  const std::vector<int> rows{3, 0, 9, 1};
  for (int cols = 0; cols <= 9; ++cols) {
    for (int blocks = 1; blocks <= 4; ++blocks) {
      CAPTURE(cols, blocks);
      const group_shape of_clusters{.rows = 13, .groups = 4, .tile_rows = 2, .cols = (cols + blocks - 1) / blocks};
      const on_host groups(of_clusters, ends_of(rows), 2, axis::y, group_sequence::heaviest_first);
      const auto check = [&](const auto& order) {
        CHECK(laws::check_clusters(order).failure == "");
        CHECK(order.tiles().size() == (2 + 5 + 1) * cols);
        CHECK(most_tiles(order) == (4 + 9 / 2) * of_clusters.cols);
        for (int cluster = 0; cluster < order.size(); ++cluster) {
          const group_coord first = order.tile(cluster, 0);
          for (int block = 0; block < blocks; ++block) {
            CHECK(order.tile(cluster, block) == group_coord{first.group, first.row, first.col + block});
          }
        }
      };
      const heddle::groups tiles = groups.order().space().with_cols(cols);
      check(clustered{groups.order(), {1, blocks}, tiles});
      check(clustered{reversed{groups.order()}, {1, blocks}, tiles});
    }
  }
  const on_host groups({.rows = 13, .groups = 4, .tile_rows = 2, .cols = 3}, ends_of(rows), 2, axis::y,
                       group_sequence::as_numbered);
  const grouped& order = groups.order();
  const auto with = [&](extent cluster, int cols) { return clustered{order, cluster, order.space().with_cols(cols)}; };
  CHECK_THROWS_WITH(with({2, 1}, 3), "heddle::ceil_div: tile.rows, for groups is 2; it must be exactly 1");
  CHECK_THROWS_WITH(with({1, 2}, 7), "heddle::clustered: columns of clusters is 3; it must be exactly 4");
  CHECK_THROWS_WITH(with({1, 0}, 3), "heddle::clustered: cluster.cols is 0; it must be at least 1");
  CHECK_THROWS_WITH(order.space().with_cols(-1), "heddle::groups: cols is -1; it must be at least 0");
  // Up to 4 + 9 / 2 rows of tiles.
  CHECK(order.space().with_cols(0x7fffffff / 8).cols() == 268435455);
  CHECK_THROWS_WITH(order.space().with_cols(0x7fffffff / 8 + 1),
                    "heddle::groups: tiles is 2147483648; it must be at most 2147483647");
  CHECK_THROWS_WITH(order.space().with_cols(1 << 29),
                    "heddle::groups: tiles is 4294967296; it must be at most 2147483647");
  CHECK_THROWS_WITH(order.space().with_cols((1LL << 32) + 1),
                    "heddle::groups: cols is 4294967297; it must be at most 2147483647");
}
