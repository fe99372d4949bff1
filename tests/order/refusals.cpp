// Constructors refuse bad input with the value and the limit in the message.

#include <heddle/order.hpp>

#include "refusal.hpp"

using namespace heddle;
using heddle_test::refusal;

namespace {

/// No bijection: every index gives the same tile.
struct stuck {
  extent space() const { return {2, 2}; }
  int size() const { return 4; }
  coord operator()(int) const { return {0, 0}; }
  int index(coord) const { return 0; }
};
struct astray : stuck {
  coord operator()(int) const { return {2, 0}; }
};
struct short_of_one : stuck {
  int size() const { return 3; }
};

}  // namespace

TEST_CASE("An extent is refused for a negative side or too many tiles", "[order]") {
  const auto refused = [](auto rows, auto cols) { return refusal([=] { extent{rows, cols}; }); };
  CHECK(refused(-1, 4) == "heddle::extent: rows is -1; it must be at least 0");
  CHECK(refused(4, -2147483647 - 1) == "heddle::extent: cols is -2147483648; it must be at least 0");
  CHECK(refused(65536, 32768) == "heddle::extent: rows x cols is 2147483648; it must be at most 2147483647");
  CHECK(refused(0x7fffffff, 0x7fffffff) ==
        "heddle::extent: rows x cols is 4611686014132420609; it must be at most 2147483647");
  CHECK(refused(0x100000001LL, 4) == "heddle::extent: rows is 4294967297; it must be at most 2147483647");
  CHECK(refused(1, -0x100000000LL) == "heddle::extent: cols is -4294967296; it must be at least 0");
}

TEST_CASE("A band is refused for a width below one", "[order]") {
  const extent grid{4, 4}, none{0, 0};
  const std::string limit = "; it must be at least 1";
  CHECK(refusal([&] { thread_group_tiling{grid, 0, axis::x}; }) == "heddle::thread_group_tiling: width is 0" + limit);
  CHECK(refusal([&] { cta_swizzle{grid, -3, axis::y}; }) == "heddle::cta_swizzle: width is -3" + limit);
  CHECK(refusal([&] { cta_swizzle{none, 0, axis::y}; }) == "heddle::cta_swizzle: width is 0" + limit);
}

TEST_CASE("A number that is wider than an int is refused and not cut off", "[order]") {
  const extent grid{4, 4};
  const long long wide = (1LL << 32) + 2;
  const char* refused = "width is 4294967298; it must be at most 2147483647";
  CHECK(refusal([&] { cta_swizzle(grid, wide); }) == std::string("heddle::cta_swizzle: ") + refused);
  CHECK(refusal([&] { thread_group_tiling(grid, wide); }) == std::string("heddle::thread_group_tiling: ") + refused);
  CHECK(refusal([&] { dilated(grid, {1, 1}, wide); }) == std::string("heddle::dilated: ") + refused);
  CHECK(refusal([&] { rotated(row_major{grid}, wide - 1); }) ==
        "heddle::rotated: first is 4294967297; it must be at most 2147483647");
  CHECK(refusal([&] { rotated(row_major{grid}, -wide); }) ==
        "heddle::rotated: first is -4294967298; it must be at least 0");
  CHECK(refusal([&] { tile_table::entries{wide}; }) ==
        "heddle::tile_table::entries: size is 4294967298; it must be at most 2147483647");
  CHECK(refusal([] { extent{~0ULL, 1}; }) != "not refused");
  CHECK(refusal([] { extent{1, 0xffffffffu}; }) == "heddle::extent: cols is 4294967295; it must be at most 2147483647");
  const std::string text(7, 'x');
  CHECK(extent{text.size(), text.size()} == extent{7, 7});
}

TEST_CASE("dilated is refused for a step or a width of zero", "[order]") {
  const extent grid{4, 4};
  CHECK(refusal([&] { dilated{grid, {0, 2}, 1}; }) == "heddle::dilated: step.rows is 0; it must be at least 1");
  CHECK(refusal([&] { dilated{grid, {2, 0}, 1}; }) == "heddle::dilated: step.cols is 0; it must be at least 1");
  CHECK(refusal([&] { dilated{grid, {2, 2}, 0}; }) == "heddle::dilated: width is 0; it must be at least 1");
}

TEST_CASE("rotated is refused for a first tile that is before the order or past its end", "[order]") {
  const row_major order{{3, 4}};
  CHECK(refusal([&] { rotated{order, -1}; }) == "heddle::rotated: first is -1; it must be at least 0");
  CHECK(refusal([&] { rotated{order, 13}; }) == "heddle::rotated: first is 13; it must be at most 12");
  CHECK(rotated{order, 12}(0) == order(0));
  CHECK(rotated{row_major{{0, 4}}, 0}.size() == 0);
}

TEST_CASE("clustered is refused for an empty cluster and for clusters that do not fit the grid", "[order]") {
  const auto refused = [](extent of_clusters, extent cluster, extent tiles) {
    return refusal([=] { clustered{row_major{of_clusters}, cluster, tiles}; });
  };
  const extent grid{5, 8};
  CHECK(refused(grid, {0, 1}, grid) == "heddle::clustered: cluster.rows is 0; it must be at least 1");
  CHECK(refused(grid, {1, 0}, grid) == "heddle::clustered: cluster.cols is 0; it must be at least 1");
  CHECK(refused(grid, {2, 1}, grid) == "heddle::clustered: rows of clusters is 5; it must be exactly 3");
  CHECK(refused({3, 8}, {2, 2}, grid) == "heddle::clustered: columns of clusters is 8; it must be exactly 4");
  const extent many{0x7fffffff, 1};
  CHECK(refused({0x40000000, 1}, {2, 1}, many) ==
        "heddle::clustered: blocks is 2147483648; it must be at most 2147483647");
}

TEST_CASE("ceil_div is refused for an empty tile", "[order]") {
  CHECK(refusal([] { ceil_div({8, 8}, {0, 1}); }) == "heddle::ceil_div: tile.rows is 0; it must be at least 1");
  CHECK(refusal([] { ceil_div({8, 8}, {1, 0}); }) == "heddle::ceil_div: tile.cols is 0; it must be at least 1");
  CHECK(ceil_div({0x7fffffff, 1}, {2, 3}) == extent{0x40000000, 1});
  CHECK(ceil_div({0, 9}, {2, 3}) == extent{0, 3});
  CHECK(ceil_div(65536, 65537, {128, 256}) == extent{512, 257});
  CHECK(refusal([] { ceil_div(-1, 8, {2, 2}); }) == "heddle::ceil_div: rows is -1; it must be at least 0");
  CHECK(refusal([] { ceil_div(8, -1, {2, 2}); }) == "heddle::ceil_div: cols is -1; it must be at least 0");
}

TEST_CASE("A table that was moved from is empty", "[order]") {
  CHECK(refusal([] { tile_table::entries{-1}; }) == "heddle::tile_table::entries: size is -1; it must be at least 0");
  tile_table::entries from = make_tile_table(row_major{{3, 4}});
  const tile_table::entries to = static_cast<tile_table::entries&&>(from);
  CHECK(to.size() == 12);
  CHECK(to.bytes() == 12 * sizeof(tile_table::entry));
  CHECK(from.size() == 0);
  CHECK(from.bytes() == 0);
}

TEST_CASE("make_tile_table is refused for what is no bijection", "[order]") {
  CHECK(refusal([] { make_tile_table(stuck{}); }) ==
        "heddle::make_tile_table: earlier index of a tile that the order visits twice is 0; it must be exactly -1");
  CHECK(refusal([] { make_tile_table(astray{}); }) ==
        "heddle::make_tile_table: order.space().contains(order(i)) is 0; it must be exactly 1");
  CHECK(refusal([] { make_tile_table(short_of_one{}); }) ==
        "heddle::make_tile_table: order.size() is 3; it must be exactly 4");
}
