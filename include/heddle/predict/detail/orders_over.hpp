#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include <heddle/order/batched.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/triangular.hpp>
#include <heddle/recipe/with.hpp>

// The orders of a space that a `recipe` can name: `usual` lists those that are worth a replay, the simplest first, and
// `at` makes one of them.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// An order of any type, computed: a replay is compiled once per problem, and not once per order.
template <class Tile>
struct computed_order {
  int tiles;
  std::function<Tile(int)> at;

  int size() const { return tiles; }
  Tile operator()(int i) const { return at(i); }

  computed_order from_the_end(bool is_reversed) const {
    if (!is_reversed) return *this;
    return {tiles, [of = at, last = tiles - 1](int i) { return of(last - i); }};
  }
};

/// Any space: its plain numbering, from either end.
template <class Space>
struct orders_over {
  using order = computed_order<typename tile_in<Space>::type>;

  static std::vector<recipe> usual(const Space&) {
    recipe from_the_end;
    from_the_end.reversed = true;
    return {{}, from_the_end};
  }
  static order at(const recipe& by, const Space& space) {
    const order numbered{space.size(), [space](int i) { return space.tile(i); }};
    return numbered.from_the_end(by.reversed);
  }
};

/// A grid: bands, wide ones first since they are closer to row_major, serpentines and Hilbert's curve.
template <>
struct orders_over<extent> {
  using order = computed_order<coord>;

  static std::vector<recipe> usual(extent grid) {
    std::vector<recipe> orders{{}};
    for (const recipe::order_kind kind : {recipe::thread_group_tiling, recipe::cta_swizzle}) {
      for (const axis axis : {axis::x, axis::y}) {
        const int breadth = axis == axis::x ? grid.cols : grid.rows;
        if (kind == recipe::thread_group_tiling && axis == axis::y) orders.push_back({recipe::column_major});
        for (const int width : {64, 32, 24, 16, 12, 8, 4, 2}) {
          if (width < breadth) orders.push_back({kind, width, axis});
        }
      }
    }
    orders.push_back({recipe::hilbert});
    return orders;
  }
  static order at(const recipe& by, extent grid) {
    return with_computed(by, grid, nullptr, [](const auto& tiles) { return order{tiles.size(), tiles}; });
  }
};

/// A triangle: orders of its rectangle, folded. Full rows come last, row after row.
template <>
struct orders_over<triangle> {
  using order = computed_order<coord>;

  static std::vector<recipe> usual(const triangle& space) { return orders_over<extent>::usual(space.folded()); }
  static order at(const recipe& by, const triangle& space) {
    recipe forwards = by;
    forwards.reversed = false;
    return with_computed(forwards, space.folded(), nullptr, [&](const auto& folded) {
      const triangular tiles{folded, row_major{space.full()}, space};
      return order{tiles.size(), tiles}.from_the_end(by.reversed);
    });
  }
};

/// Planes: an order of a plane, one plane after another or several in turn, as `batched` takes them.
template <class Plane>
struct orders_over<batch<Plane>> {
  using order = computed_order<batch_coord>;

  static std::vector<recipe> usual(const batch<Plane>& space) {
    return in_turn(orders_over<Plane>::usual(space.plane()), space.count());
  }
  /// Returns each order with 1, 2, 4 and so on planes in turn, and with as many as are useful.
  static std::vector<recipe> in_turn(const std::vector<recipe>& orders, long long most) {
    std::vector<recipe> all;
    for (recipe one : orders) {
      for (long long planes = 1; planes < most; planes *= 2) {
        one.interleave = static_cast<int>(planes);
        all.push_back(one);
      }
      one.interleave = static_cast<int>((std::max)(1LL, most));
      all.push_back(one);
    }
    return all;
  }
  static order at(const recipe& by, const batch<Plane>& space) {
    const auto in_plane = orders_over<Plane>::at(by, space.plane());
    const detail::order::planes_in_turn planes(space.count(), in_plane.size(), by.interleave);
    return {space.size(), [=](int i) {
              const auto [plane, index] = planes.at(i);
              const auto [row, col] = in_plane(index);
              return batch_coord{plane, row, col};
            }};
  }
};

}}}  // namespace heddle::HEDDLE_ABI::detail
