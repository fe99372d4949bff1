// The checkers pass right orders, and name what is wrong with wrong ones.

#include <heddle/heddle.hpp>
#include <heddle/laws/check_clusters.hpp>
#include <heddle/laws/check_curve.hpp>
#include <heddle/laws/check_order.hpp>

#include "recipes.hpp"
#include "test.hpp"

using namespace heddle;

namespace {

/// A right order of 3 x 4 tiles. Each type that derives from it has one mistake.
struct right {
  extent space() const { return {3, 4}; }
  int size() const { return 12; }
  coord operator()(int i) const { return {i / 4, i % 4}; }
  int index(coord tile) const { return tile.row * 4 + tile.col; }
};
struct repeats : right {
  coord operator()(int i) const { return right::operator()(i == 7 ? 3 : i); }
};
struct strays : right {
  coord operator()(int i) const { return i == 11 ? coord{3, 0} : right::operator()(i); }
};
struct misindexes : right {
  int index(coord tile) const { return right::index(tile) ^ (tile == coord{1, 1}); }
};
struct miscounts : right {
  int size() const { return 13; }
};
struct negative : right {
  extent space() const { return {0, 0}; }
  int size() const { return -1; }
};
struct overpromises : right {
  int longest_step() const { return 1; }
};

/// The same order with members that return references.
struct by_reference {
  extent shape{3, 4};
  int count = shape.size();
  coord tiles[12];
  int indices[12];

  by_reference() {
    for (int i = 0; i < count; ++i) tiles[i] = {i / 4, i % 4}, indices[i] = i;
  }
  const extent& space() const { return shape; }
  const int& size() const { return count; }
  const coord& operator()(int i) const { return tiles[i]; }
  const int& index(const coord& tile) const { return indices[tile.row * 4 + tile.col]; }
};
struct strays_by_reference : by_reference {
  strays_by_reference() { tiles[11] = {3, 0}; }
  const int& index(const coord& tile) const { return indices[tile.row == 3 ? 11 : tile.row * 4 + tile.col]; }
};
static_assert(grid_order<by_reference> && std::is_same_v<tile_of<by_reference>, coord>);
static_assert(grid_order<reversed<by_reference>> && grid_order<transposed<by_reference>>);

template <class Integer>
struct promises : right {
  Integer longest_step() const { return three; }
  std::remove_cvref_t<Integer> three = 3;
};

/// Coords outside any grid: from the smallest to the largest row and column of an int.
struct far_apart {
  int size() const { return 2; }
  coord operator()(int i) const { return i == 0 ? coord{-0x7fffffff, -0x7fffffff} : coord{0x7fffffff, 0x7fffffff}; }
  int index(coord tile) const { return tile.row > 0; }
  const unsigned long long& longest_step() const { return longest; }
  unsigned long long longest = 1;
};

/// Tiles of a type that is not a coord: the pairs i >= j of a own_triangle, by their number.
struct own_triangle {
  struct pair {
    int i, j;
  };
  int size() const { return 6; }
  pair operator()(int n) const {
    int i = 0;
    while ((i + 1) * (i + 2) / 2 <= n) ++i;
    return {i, n - i * (i + 1) / 2};
  }
  int index(pair p) const { return p.i * (p.i + 1) / 2 + p.j; }
};
struct wrong_triangle : own_triangle {
  int index(pair p) const { return own_triangle::index(p) + (p.i == 2); }
};

}  // namespace

TEST_CASE("check_order passes every order of the library", "[laws]") {
  const extent grid{13, 22};
  for (const recipe& by : heddle_test::recipes) {
    CAPTURE(to_string(by));
    CHECK(with_recipe(by, grid, [](const auto& order) { return laws::check_order(order).failure; }) == "");
  }
  CHECK(laws::check_order(reversed{transposed{hilbert{grid}}}).failure == "");
  CHECK(laws::check_order(constant_order<cta_swizzle, 13, 22, 5, axis::x>{}).failure == "");
  CHECK(laws::check_order(clustered{hilbert{{7, 11}}, {2, 2}, grid}).failure == "");
  CHECK(laws::check_order(row_major{{0, 5}}).failure == "");
  CHECK(laws::check_order(right{}).failure == "");
  CHECK(laws::check_order(by_reference{}).failure == "");
  CHECK(laws::check_order(reversed{transposed{by_reference{}}}).failure == "");
  CHECK(laws::check_order(own_triangle{}).failure == "");
}

TEST_CASE("check_order says in words what failed and where", "[laws]") {
  CHECK(laws::check_order(repeats{}).failure == "order(7) is {0, 3}, but index({0, 3}) is 3");
  CHECK(laws::check_order(strays{}).failure == "order(11) is {3, 0}, outside the grid of 3 x 4");
  CHECK(laws::check_order(misindexes{}).failure == "order(5) is {1, 1}, but index({1, 1}) is 4");
  CHECK(laws::check_order(miscounts{}).failure == "size() is 13 on a grid of 3 x 4, which has 12 tiles");
  CHECK(laws::check_order(negative{}).failure == "size() is -1");
  CHECK(laws::check_order(overpromises{}).failure ==
        "the step from order(3) {0, 3} to order(4) {1, 0} is 4 long, more than longest_step(), 1");
  CHECK(laws::check_order(wrong_triangle{}).failure == "order(3) is a tile, but index(a tile) is 4");
  CHECK(laws::check_order(strays_by_reference{}).failure == "order(11) is {3, 0}, outside the grid of 3 x 4");
  CHECK(laws::check_order(promises<long>{}).failure ==
        "the step from order(3) {0, 3} to order(4) {1, 0} is 4 long, more than longest_step(), 3");
  CHECK(laws::check_order(promises<unsigned char>{}).failure == laws::check_order(promises<long>{}).failure);
  CHECK(laws::check_order(promises<const unsigned&>{}).failure == laws::check_order(promises<long>{}).failure);
  CHECK(laws::check_order(far_apart{}).failure ==
        "the step from order(0) {-2147483647, -2147483647} to order(1) {2147483647, 2147483647} is 8589934588 long, "
        "more than longest_step(), 1");
  CHECK(!laws::check_order(repeats{}));
  CHECK(laws::check_order(right{}));
}

TEST_CASE("A failure is made of text and integers of every width", "[laws]") {
  const unsigned long long most = ~0ull;
  CHECK(laws::failed("a ", 1, " b ", -2L, " c ", 3u, " d ", most).failure == "a 1 b -2 c 3 d 18446744073709551615");
  CHECK(laws::failed(std::string("one "), group_coord{1, 2, 3}).failure == "one {1, 2, 3}");
}

TEST_CASE("check_order and longest_step hold for bands and hilbert on every small grid", "[laws]") {
  std::string failure;
  for (int rows = 1; rows <= 20; ++rows) {
    for (int cols = 1; cols <= 20; ++cols) {
      for (int width = 1; width <= 9; ++width) {
        for (const axis along : {axis::x, axis::y}) {
          failure += laws::check_order(thread_group_tiling{{rows, cols}, width, along}).failure;
          failure += laws::check_order(cta_swizzle{{rows, cols}, width, along}).failure;
        }
      }
      failure += laws::check_order(hilbert{{rows, cols}}).failure + laws::check_curve(hilbert{{rows, cols}}).failure;
    }
  }
  CHECK(failure == "");
}

TEST_CASE("probe_order passes what holds and finds what does not", "[laws]") {
  CHECK(laws::probe_order(hilbert{{32768, 65535}}, 1000, 1).failure == "");
  CHECK(laws::probe_order(row_major{{0, 5}}, 10, 1).failure == "");
  CHECK(laws::probe_order(own_triangle{}, 100, 1).failure == "");
  CHECK(laws::probe_order(repeats{}, 1000, 1).failure != "");
  CHECK(laws::probe_order(misindexes{}, 1000, 1).failure != "");
  CHECK(laws::probe_order(miscounts{}, 10, 1).failure == "size() is 13 on a grid of 3 x 4, which has 12 tiles");
  CHECK(laws::probe_order(negative{}, 10, 1).failure == "size() is -1");
  CHECK(laws::probe_order(strays{}, 0, 1).failure == "order(11) is {3, 0}, outside the grid of 3 x 4");
}

TEST_CASE("check_curve refuses what is no curve", "[laws]") {
  CHECK(laws::check_curve(hilbert{{5, 8}}).failure == "");
  CHECK(laws::check_curve(row_major{{2, 3}}).failure ==
        "the step from order(2) {0, 2} to order(3) {1, 0} is not to a neighbour");
  CHECK(laws::check_curve(cta_swizzle{{3, 2}, 2, axis::x}).failure ==
        "the step from order(3) {1, 1} to order(4) {2, 0} is a second diagonal");
  CHECK(laws::check_curve(row_major{{1, 9}}).failure == "");
}

TEST_CASE("check_clusters passes clusters and finds an order of them that repeats", "[laws]") {
  CHECK(laws::check_clusters(clustered{hilbert{{7, 11}}, {2, 2}, {13, 22}}).failure == "");
  CHECK(laws::check_clusters(clustered{right{}, {2, 1}, {5, 4}}).failure == "");
  CHECK(laws::check_clusters(clustered{row_major{{0, 0}}, {2, 1}, {0, 0}}).failure == "");
  CHECK(laws::check_clusters(clustered{repeats{}, {2, 1}, {5, 4}}).failure == "tile(7, 0) {0, 3} comes twice");
  CHECK(laws::check_clusters(clustered{strays{}, {2, 1}, {5, 4}}).failure ==
        "tile(11, 0) {6, 0} is outside the grid, in a cluster that is not at its edge");
}
