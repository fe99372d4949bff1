// Spaces that are not one rectangle: batches, triangles, tables of any space, and costs.

#include <heddle/laws.hpp>
#include <heddle/order.hpp>
#include <heddle/recipe/any_order.hpp>

#include "test.hpp"

using namespace heddle;

namespace {

// The oracles: each space enumerated by its definition.

std::set<std::vector<int>> tiles_of_grid(int rows, int cols) {
  std::set<std::vector<int>> all;
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) all.insert({row, col});
  }
  return all;
}

std::set<std::vector<int>> tiles_of_triangle(int rows, int cols, int diagonal, side kept) {
  std::set<std::vector<int>> all;
  for (const std::vector<int>& tile : tiles_of_grid(rows, cols)) {
    const int past = tile[1] - tile[0] - diagonal;
    if (kept == side::lower ? past <= 0 : past >= 0) all.insert(tile);
  }
  return all;
}

std::set<std::vector<int>> repeated(int count, const std::set<std::vector<int>>& plane) {
  std::set<std::vector<int>> all;
  for (int batch = 0; batch < count; ++batch) {
    for (std::vector<int> tile : plane) {
      tile.insert(tile.begin(), batch);
      all.insert(tile);
    }
  }
  return all;
}

std::vector<int> numbers(coord tile) {
  return {tile.row, tile.col};
}
std::vector<int> numbers(batch_coord tile) {
  return {tile.batch, tile.row, tile.col};
}

/// What is wrong with a space, beside the tiles that it should have.
template <tile_space Space>
std::string broken_space(const Space& space, const std::set<std::vector<int>>& expected) {
  if (space.size() != static_cast<int>(expected.size())) return "size() is " + std::to_string(space.size());
  std::set<std::vector<int>> seen;
  for (int number = 0; number < space.size(); ++number) {
    const auto tile = space.tile(number);
    if (!space.contains(tile) || space.number(tile) != number) return "number " + std::to_string(number);
    seen.insert(numbers(tile));
  }
  return seen == expected ? "" : "other tiles";
}

/// What is wrong with an order: by the law, and beside the tiles that it should have.
template <tile_order Order>
std::string broken(const Order& order, const std::set<std::vector<int>>& expected) {
  if (const laws::verdict found = laws::check_order(order); !found) return found.failure;
  std::set<std::vector<int>> seen;
  for (int i = 0; i < order.size(); ++i) seen.insert(numbers(order(i)));
  return seen == expected ? "" : "other tiles";
}

std::string first_of(std::initializer_list<std::string> failures) {
  for (const std::string& failure : failures) {
    if (!failure.empty()) return failure;
  }
  return "";
}

struct final_bands final : thread_group_tiling {
  using thread_group_tiling::thread_group_tiling;
};

triangular<cta_swizzle, final_bands> bands_of(const triangle& space) {
  return triangular{cta_swizzle{space.folded(), 3, axis::x}, final_bands{space.full(), 2, axis::y}, space};
}

}  // namespace

TEST_CASE("Every triangle of grids up to 40x40 has the tiles on its side of each diagonal", "[order]") {
  // Sizes and membership from the definition; that tile and number are inverse makes the tiles the right ones.
  long long wrong = 0;
  for (const side kept : {side::lower, side::upper}) {
    for (int rows = 0; rows <= 40; ++rows) {
      for (int cols = 0; cols <= 40; ++cols) {
        for (int diagonal = -rows - 2; diagonal <= cols + 2; ++diagonal) {  // past these all are alike
          const triangle space{rows, cols, diagonal, kept};
          int size = 0;
          for (int row = -1; row <= rows; ++row) {
            for (int col = -1; col <= cols; ++col) {
              const bool on_grid = 0 <= row && row < rows && 0 <= col && col < cols;
              const bool is_in = on_grid && (kept == side::lower ? col <= row + diagonal : col >= row + diagonal);
              size += is_in;
              wrong += space.contains({row, col}) != is_in;
            }
          }
          wrong += space.size() != size;
          for (int number = 0; number < space.size(); ++number) {
            const coord tile = space.tile(number);
            wrong += !space.contains(tile) || space.number(tile) != number;
          }
          if (wrong > 0) {
            CAPTURE(rows, cols, diagonal, kept == side::lower);
            REQUIRE(wrong == 0);
          }
        }
      }
    }
  }
  SUCCEED();
}

TEST_CASE("triangular visits every tile of every triangle once", "[order]") {
  std::string failure;
  for (const side kept : {side::lower, side::upper}) {
    for (int rows = 0; rows <= 17 && failure.empty(); ++rows) {
      for (int cols = 0; cols <= 17 && failure.empty(); ++cols) {
        for (int diagonal = -19; diagonal <= 19 && failure.empty(); ++diagonal) {
          const triangle space{rows, cols, diagonal, kept};
          const auto expected = tiles_of_triangle(rows, cols, diagonal, kept);
          failure = first_of({broken_space(space, expected), broken(bands_of(space), expected),
                              broken(reversed{bands_of(space)}, expected)});
          if (space.full().size() == 0 && failure.empty()) {
            failure = broken(triangular{hilbert{space.folded()}, space}, expected);
          }
          if (failure.empty()) continue;
          CAPTURE(rows, cols, diagonal, kept == side::lower);
          REQUIRE(failure == "");
        }
      }
    }
  }
}

TEST_CASE("The bands of a folded triangle stay within their columns", "[order]") {
  // A band of `width` columns of the folded rectangle covers at most `width` columns of the triangle and as many of the
  // turned part.
  const triangle space{60};
  const triangular order{thread_group_tiling{space.folded(), 6, axis::x}, space};
  const int band = 6 * space.folded().rows;
  for (int first = 0; first < order.size(); first += band) {
    std::set<int> columns;
    for (int i = first; i < order.size() && i < first + band; ++i) columns.insert(order(i).col);
    CHECK(columns.size() <= 12);
  }
}

TEST_CASE("A triangle of 65535 rows is walked at random, and one of 65536 is refused", "[order]") {
  const triangle space{65535};
  CHECK(space.size() == 2147450880);
  CHECK(laws::probe_order(triangular{hilbert{space.folded()}, space}, 2000, 1).failure == "");
  CHECK_THROWS_WITH(triangle{65536}, "heddle::triangle: tiles is 2147516416; it must be at most 2147483647");
  CHECK(laws::probe_order(bands_of(triangle{1 << 20, 1000, -5000}), 2000, 2).failure == "");
  CHECK(triangle(0).size() == 0);
  CHECK(triangle(5, 5, -5).size() == 0);
  CHECK(triangle(5, 5, 0x7fffffff).size() == 25);
}

TEST_CASE("The tiles that cover the elements on one side of a diagonal are those that have such an element",
          "[order]") {
  for (const side kept : {side::lower, side::upper}) {
    for (int rows = 0; rows <= 13; ++rows) {
      for (int cols = 0; cols <= 13; ++cols) {
        for (int diagonal = -15; diagonal <= 15; ++diagonal) {
          for (int width = 1; width <= 6; ++width) {
            std::set<std::vector<int>> expected;
            for (const std::vector<int>& element : tiles_of_triangle(rows, cols, diagonal, kept)) {
              expected.insert({element[0] / width, element[1] / width});
            }
            const triangle space = ceil_div(rows, cols, diagonal, {width, width}, kept);
            std::string failure = broken_space(space, expected);
            if (failure.empty() && !(ceil_div(triangle{rows, cols, diagonal, kept}, {width, width}) == space)) {
              failure = "of a triangle: another space";
            }
            if (failure.empty()) failure = broken(bands_of(space), expected);
            if (failure.empty()) continue;
            CAPTURE(rows, cols, diagonal, width, kept == side::lower);
            REQUIRE(failure == "");
          }
        }
      }
    }
  }
}

TEST_CASE("Scores of any lengths have a space if their tiles are no more than 2^31 - 1", "[order]") {
  // Row r of tiles has those of the keys up to that of its last query.
  const auto tiles_of = [](long long queries, long long keys, long long side_of_tile) {
    long long tiles = 0;
    for (long long first = 0; first < queries; first += side_of_tile) {
      const long long last_query = (std::min)(first + side_of_tile, queries) - 1;
      tiles += (last_query + keys - queries) / side_of_tile + 1;
    }
    return tiles;
  };
  for (const auto& [queries, keys, side_of_tile] : std::vector<std::array<long long, 3>>{{65536, 65536, 128},
                                                                                         {8192, 270'336, 128},
                                                                                         {1'000'003, 1'000'003, 64},
                                                                                         {8'388'480, 8'388'480, 128},
                                                                                         {1, 1LL << 40, 1 << 10},
                                                                                         {100, 3LL << 32, 100},
                                                                                         {65'535, 65'535, 1}}) {
    CAPTURE(queries, keys, side_of_tile);
    const triangle space = ceil_div(queries, keys, keys - queries, {side_of_tile, side_of_tile});
    CHECK(space.size() == tiles_of(queries, keys, side_of_tile));
    CHECK(laws::probe_order(bands_of(space), 500, 5).failure == "");
    CHECK(ceil_div(keys, queries, queries - keys, {side_of_tile, side_of_tile}, side::upper) == space.transposed());
  }
  CHECK(ceil_div(triangle{65'535}, {1, 1}) == triangle{65'535});  // its grid has more than 2^31 - 1 tiles
  const long long most = 0x7fffffffffffffff;
  CHECK(ceil_div(5, 5, most, {2, 2}).size() == 9);
  CHECK(ceil_div(5, 5, -most, {2, 2}).size() == 0);
  CHECK(ceil_div(5, 5, most, {2, 2}, side::upper).size() == 0);
  CHECK(ceil_div(5, 5, -most, {2, 2}, side::upper).size() == 9);
  CHECK_THROWS_WITH(ceil_div(most, most, 0, {1 << 15, 1 << 15}),
                    "heddle::triangle: rows is 281474976710656; it must be at most 2147483647");
  CHECK_THROWS_WITH(ceil_div(-1, 5, 0, {2, 2}), "heddle::ceil_div: rows is -1; it must be at least 0");
  CHECK_THROWS_WITH(ceil_div(5, -2, 0, {2, 2}), "heddle::ceil_div: cols is -2; it must be at least 0");
  CHECK_THROWS_WITH(ceil_div(5, 5, 0, {0, 0}), "heddle::ceil_div: tile.rows is 0; it must be at least 1");
  CHECK_THROWS_WITH(ceil_div(5, 5, 0, {2, 3}),
                    "heddle::ceil_div: tile.cols, for a triangle is 3; it must be exactly 2");
}

TEST_CASE("The tiles of pairs have every pair of two things once, and none has no pair", "[order]") {
  for (int things = 0; things <= 40; ++things) {
    for (int width = 1; width <= 9; ++width) {
      CAPTURE(things, width);
      std::set<std::vector<int>> expected;
      for (int i = 0; i < things; ++i) {
        for (int j = i + 1; j < things; ++j) expected.insert({i / width, j / width});
      }
      const triangle pairs = triangle::pairs(things, width);
      REQUIRE(pairs.full().size() == 0);
      const triangular order{row_major{pairs.folded()}, pairs};
      std::set<std::vector<int>> seen;
      for (int i = 0; i < order.size(); ++i) seen.insert({order(i).row, order(i).col});
      REQUIRE(order.size() == static_cast<int>(expected.size()));
      REQUIRE(seen == expected);
    }
  }
  CHECK(triangle::pairs(4) == triangle{4, 4, 1, side::upper});
  CHECK_THROWS_WITH(triangle::pairs(-1), "heddle::triangle::pairs: things is -1; it must be at least 0");
}

TEST_CASE("A triangle may have rows of up to 2^31 - 1 tiles, and names its tiles if they are more", "[order]") {
  // {rows, columns, diagonal} of the lower side, and the tiles of the definition.
  for (const auto& [rows, cols, diagonal, tiles] :
       std::vector<std::array<long long, 4>>{{1, 0x7fffffff, 0x7fffffff, 0x7fffffff},
                                             {1, 0x7fffffff, 0x7ffffffd, 0x7ffffffe},
                                             {1, (1 << 30) + 1, 1 << 30, (1 << 30) + 1},
                                             {1, (1 << 30) + 2, 1 << 30, (1 << 30) + 1},
                                             {0x7fffffff, 1, 0, 0x7fffffff},
                                             {0x7fffffff, 0x7fffffff, -0x7ffffffe, 1},
                                             {0x7fffffff, 0x7fffffff, -0x7ffffffd, 3},
                                             {2, (1 << 30) - 1, (1 << 30) - 3, 0x7ffffffd}}) {
    CAPTURE(rows, cols, diagonal);
    const triangle lower{rows, cols, diagonal}, upper = lower.transposed();
    CHECK(lower.size() == tiles);
    CHECK(upper.size() == tiles);
    CHECK(laws::probe_order(bands_of(lower), 300, 6).failure == "");
    CHECK(laws::probe_order(bands_of(upper), 300, 7).failure == "");
    for (const triangle& space : {lower, upper}) {
      for (const int number : {0, 1, space.size() / 2, space.size() - 1}) {
        if (number < space.size()) CHECK(space.number(space.tile(number)) == number);
      }
    }
  }
  const auto refuses = [](long long rows, long long cols, long long diagonal, const char* tiles) {
    const std::string why = std::string("heddle::triangle: tiles is ") + tiles + "; it must be at most 2147483647";
    CHECK_THROWS_WITH(triangle(rows, cols, diagonal), why);
    CHECK_THROWS_WITH(triangle(cols, rows, -diagonal, side::upper), why);
  };
  refuses(65536, 65536, 0, "2147516416");
  refuses(2, 1 << 30, (1 << 30) - 1, "2147483648");
  refuses(2, 0x7fffffff, 1 << 30, "2147483651");
  refuses(0x7fffffff, 0x7fffffff, 1 << 30, "4035225263439609856");
  refuses(0x7fffffff, 0x7fffffff, 0x7fffffff, "4611686014132420609");
}

TEST_CASE("batched visits every tile of every plane once, interleaved or not", "[order]") {
  for (int count = 0; count <= 17; ++count) {
    for (int rows = 0; rows <= 11; ++rows) {
      for (int cols = 0; cols <= 11; ++cols) {
        const extent grid{rows, cols};
        const cta_swizzle plane{grid, 3, axis::x};
        const auto expected = repeated(count, tiles_of_grid(rows, cols));
        std::string failure =
            first_of({broken_space(batch{count, grid}, expected), broken(batched{plane, count}, expected)});
        for (int interleave = 1; interleave <= count + 1 && failure.empty(); interleave += 1 + count / 4) {
          failure = broken(batched{plane, count, interleave}, expected);
        }
        if (failure.empty()) continue;
        CAPTURE(count, rows, cols);
        REQUIRE(failure == "");
      }
    }
  }
  CHECK(laws::probe_order(batched{hilbert{{1000, 2147}}, 1000}, 2000, 3).failure == "");
  CHECK(laws::probe_order(batched{hilbert{{1000, 2147}}, 1000, 7}, 2000, 4).failure == "");
}

TEST_CASE("batched takes planes one after another, or so many in turn", "[order]") {
  constexpr batched one_by_one{row_major{{2, 2}}, 3};
  static_assert(one_by_one(3) == batch_coord{0, 1, 1} && one_by_one(4) == batch_coord{1, 0, 0});
  constexpr batched in_turn{row_major{{2, 2}}, 3, 2};
  static_assert(in_turn(0) == batch_coord{0, 0, 0} && in_turn(1) == batch_coord{1, 0, 0});
  static_assert(in_turn(2) == batch_coord{0, 0, 1} && in_turn(8) == batch_coord{2, 0, 0});
  static_assert(in_turn.index({2, 1, 1}) == 11);
}

TEST_CASE("Adapters over spaces visit every tile once", "[order]") {
  for (const auto& [rows, cols, diagonal] :
       std::vector<std::array<int, 3>>{{7, 7, 0}, {5, 9, 4}, {9, 5, 2}, {6, 8, -2}, {1, 1, 0}, {3, 0, 0}}) {
    for (const side kept : {side::lower, side::upper}) {
      CAPTURE(rows, cols, diagonal, kept == side::lower);
      const triangle space{rows, cols, diagonal, kept};
      const auto tiles = tiles_of_triangle(rows, cols, diagonal, kept);
      const auto turned = tiles_of_triangle(cols, rows, -diagonal, kept == side::lower ? side::upper : side::lower);
      const auto order = bands_of(space);
      CHECK(broken(transposed{order}, turned) == "");
      CHECK(broken(transposed{transposed{order}}, tiles) == "");
      CHECK(transposed{transposed{order}}.space() == space);
      CHECK(broken(batched{order, 3}, repeated(3, tiles)) == "");
      CHECK(broken(transposed{reversed{batched{order, 5, 2}}}, repeated(5, turned)) == "");
      const tile_table::entries entries = make_tile_table(order);
      CHECK(broken(any_order{space, entries.data()}, tiles) == "");
      CHECK(broken(batched{any_order{space, entries.data()}, 4, 3}, repeated(4, tiles)) == "");
      for (const int side_of_cluster : {1, 2, 3}) {
        CAPTURE(side_of_cluster);
        const extent cluster{side_of_cluster, side_of_cluster};
        const clustered clusters{bands_of(ceil_div(space, cluster)), cluster, space};
        CHECK(laws::check_order(clusters).failure == "");
        CHECK(laws::check_clusters(clusters).failure == "");
        const auto in_clusters = bands_of(ceil_div(space, cluster));
        const clustered around{reversed{transposed{in_clusters}}, cluster, space.transposed()};
        CHECK(laws::check_clusters(around).failure == "");
        CHECK(laws::check_clusters(clustered{batched{in_clusters, 3, 2}, cluster, batch{3, space}}).failure == "");
      }
    }
  }
}

TEST_CASE("A table has any order of any space", "[order]") {
  const tile_table::entries entries = make_tile_table(batched{hilbert{{5, 7}}, 3});
  const any_order order{batch{3, extent{5, 7}}, entries.data()};
  const batched same{hilbert{{5, 7}}, 3};
  for (int i = 0; i < same.size(); ++i) CHECK(order(i) == same(i));
  CHECK(laws::check_order(order).failure == "");
}

TEST_CASE("check_costs counts sections past 2^32", "[order]") {
  const auto cost = [](coord tile) { return tile.col % 2 == 0 ? 1.0 : 2.0; };
  CHECK(laws::check_costs(row_major{{1, 8}}, cost, 1));
  CHECK_FALSE(laws::check_costs(row_major{{1, 8}}, cost, (1LL << 32) + 1));
}

TEST_CASE("by_cost puts costly tiles first within sections, and keeps the order of equals", "[order]") {
  std::mt19937 random(7);
  for (const int section : {1, 2, 3, 5, 8, 21, 35, 1000}) {
    CAPTURE(section);
    std::vector<double> cost_of(35);
    for (double& cost : cost_of) cost = static_cast<double>(random() % 4);
    const extent grid{5, 7};
    const auto cost = [&](coord tile) { return cost_of[static_cast<unsigned>(tile.row * 7 + tile.col)]; };
    const hilbert base{grid};
    const tile_table::entries entries = by_cost(base, cost, section);
    const tile_table order{grid, entries.data()};
    CHECK(laws::check_order(order).failure == "");
    CHECK(laws::check_costs(order, cost, section).failure == "");
    for (int i = 0; i < order.size(); ++i) {
      CHECK(base.index(order(i)) / section == i / section);
      if (i % section == 0 || cost(order(i)) != cost(order(i - 1))) continue;
      CHECK(base.index(order(i - 1)) < base.index(order(i)));
    }
  }
  CHECK_THROWS_WITH(by_cost(row_major{{2, 2}}, [](coord) { return std::nan(""); }),
                    "heddle::by_cost: the cost of a tile is not a number");
  CHECK_THROWS_WITH(by_cost(
                        row_major{{2, 2}}, [](coord) { return 1.0; }, 0),
                    "heddle::by_cost: section is 0; it must be at least 1");
  CHECK(by_cost(row_major{{0, 2}}, [](coord) { return 1.0; }).size() == 0);
}

TEST_CASE("costly_first puts costly classes first on the host, and keeps the order within a class", "[order]") {
  std::mt19937 random(8);
  for (int turn = 0; turn < 20; ++turn) {
    const extent grid{5 + turn, 7};
    std::vector<float> cost_of(static_cast<std::size_t>(grid.size()));
    for (float& cost : cost_of) cost = static_cast<float>(random() % 4096) / 16;
    const auto cost = [&](coord tile) { return cost_of[static_cast<unsigned>(grid.number(tile))]; };
    const hilbert base{grid};
    std::vector<int> state(costly_first<hilbert>::state_bytes(base) / sizeof(int));
    const auto order = costly_first{base, state.data()}.on_host(cost);
    CHECK(laws::check_order(order).failure == "");
    for (int i = 1; i < order.size(); ++i) {
      const float before = cost(order(i - 1)), here = cost(order(i));
      for (int j = 0; j < i; ++j) CHECK(here * 8 / 9 <= cost(order(j)));
      if (here > before || here == before) CHECK(base.index(order(i - 1)) < base.index(order(i)));
    }
  }
}

TEST_CASE("Reversed bands of heads take the longest queries first, and so many heads at a time", "[order]") {
  // Causal attention: row r of the grid {queries, heads} is a tile of queries that sees r + 1 tiles of keys.
  const int queries = 12, heads = 10, heads_that_fit = 4;
  const reversed heaviest_first{thread_group_tiling{{queries, heads}, heads_that_fit, axis::x}};
  const auto seen = [](coord tile) { return tile.row + 1.0; };
  // The last band is narrower and comes first: sections end at size - k * queries * heads_that_fit.
  const int narrow = queries * (heads % heads_that_fit);
  for (int i = 1; i < heaviest_first.size(); ++i) {
    if (i < narrow || (i - narrow) % (queries * heads_that_fit) != 0) {
      if (i == narrow) continue;
      CHECK(seen(heaviest_first(i)) <= seen(heaviest_first(i - 1)));
    }
  }
  std::set<int> at_once;
  for (int i = narrow; i < narrow + queries * heads_that_fit; ++i) at_once.insert(heaviest_first(i).col);
  CHECK(at_once.size() == 4);
}

TEST_CASE("Spaces and their orders refuse what cannot be right", "[order]") {
  CHECK_THROWS_WITH(batch(-1, extent{2, 2}), "heddle::batch: count is -1; it must be at least 0");
  CHECK_THROWS_WITH(batch(1 << 20, extent{64, 64}),
                    "heddle::batch: tiles is 4294967296; it must be at most 2147483647");
  CHECK_THROWS_WITH(batched(row_major{{64, 64}}, 1 << 20),
                    "heddle::batch: tiles is 4294967296; it must be at most 2147483647");
  const auto in_pairs = [](int planes) {  // with a ragged row
    const batched clusters{row_major{{1 << 15, 1 << 10}}, planes};
    return clustered{clusters, {2, 1}, batch{planes, extent{(1 << 16) - 1, 1 << 10}}};
  };
  CHECK(in_pairs(31).size() == 31 << 25);
  CHECK_THROWS_WITH(in_pairs(32), "heddle::clustered: blocks is 2147483648; it must be at most 2147483647");
  const batched three{row_major{{2, 2}}, 3};
  CHECK_THROWS_WITH((clustered{three, {2, 1}, batch{2, extent{4, 2}}}),
                    "heddle::clustered: planes of clusters is 3; it must be exactly 2");
  CHECK_THROWS_WITH((clustered{three, {2, 1}, batch{3, extent{5, 2}}}),
                    "heddle::clustered: rows of clusters is 2; it must be exactly 3");
  CHECK_THROWS_WITH(batched(row_major{{2, 2}}, 1LL << 62),
                    "heddle::batch: count is 4611686018427387904; it must be at most 2147483647");
  CHECK_THROWS_WITH(batched(row_major{{2, 2}}, -3), "heddle::batch: count is -3; it must be at least 0");
  CHECK_THROWS_WITH(batched(row_major{{2, 2}}, 3, 0), "heddle::batched: interleave is 0; it must be at least 1");
  CHECK_THROWS_WITH(triangle(-1), "heddle::triangle: rows is -1; it must be at least 0");
  CHECK_THROWS_WITH(triangle(2, 1LL << 31, 0), "heddle::triangle: cols is 2147483648; it must be at most 2147483647");
  const triangle square{4}, tall{6, 4, 0};
  CHECK_THROWS_WITH((triangular{row_major{{2, 4}}, square}),
                    "heddle::triangular: tiles of the order is 8; it must be exactly 10");
  CHECK_THROWS_WITH((triangular{row_major{{5, 2}}, square}),
                    "heddle::triangular: columns of the order is 2; it must be exactly 5");
  CHECK_THROWS_WITH((triangular{row_major{tall.folded()}, tall}),
                    "heddle::triangular: tiles of full rows, which have no order is 8; it must be exactly 0");
  CHECK_THROWS_WITH((triangular{row_major{tall.folded()}, row_major{{1, 4}}, tall}),
                    "heddle::triangular: rows of the order of full rows is 1; it must be exactly 2");
  CHECK_THROWS_WITH(ceil_div(square, {2, 1}), "heddle::ceil_div: tile.cols, for a triangle is 1; it must be exactly 2");
  CHECK_THROWS_WITH((clustered{triangular{row_major{square.folded()}, square}, {2, 2}, square}),
                    "heddle::clustered: rows of the triangle of clusters is 4; it must be exactly 2");
  CHECK((triangle{0}.folded() == extent{0, 0}));
  const auto cluster_by = [&](const triangle& clusters) { (void)clustered{bands_of(clusters), {2, 2}, square}; };
  CHECK_NOTHROW(cluster_by(triangle{2}));
  CHECK_THROWS_WITH(cluster_by(triangle{2, 3, 0}),
                    "heddle::clustered: columns of the triangle of clusters is 3; it must be exactly 2");
  CHECK_THROWS_WITH(cluster_by(triangle{2, 2, 1}),
                    "heddle::clustered: diagonal of the triangle of clusters is 1; it must be exactly 0");
  CHECK_THROWS_WITH(cluster_by(triangle(2, side::upper)),
                    "heddle::clustered: the triangle of clusters is on the other side");
  CHECK_THROWS_WITH((any_order{batch{2, extent{2, 2}}, nullptr}),
                    "heddle::any_order: table is null; it must point to device memory");
}
