#pragma once

#include <heddle/order/row_major.hpp>
#include <heddle/order/triangle.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::order {

/// Stands for an order of full rows, if there are none.
struct no_full_rows {};

}  // namespace detail::order

/// Folds any order of a rectangle onto a triangle: it visits exactly the triangle's tiles, and bands stay bands.
///
///   triangular{row_major{space.folded()}, space}, space triangle{4}      9
///                                                                        4 3
///                                                                        0 1 2
///                                                                        5 6 7 8
///
/// A triangle whose diagonal reaches the last column above the last row has full rows too. They are a rectangle with an
/// order of its own, and come last: `triangular{row_major{space.folded()}, row_major{space.full()}, space}`.
///
/// **Preconditions**: the order's grid is `space.folded()`, and that of the second `space.full()`; the constructors
/// check them. Without a second order there are no full rows.
///
/// **Cost**: 9 PTX instructions per tile more than the order inside; with full rows, 27 over row_major. No search and
/// no table.
///
/// **Example** (tests/order/spaces.cpp):
///
///     const triangle space{60};
///     const triangular order{thread_group_tiling{space.folded(), 6, axis::x}, space};
template <grid_order Order, class Full = detail::order::no_full_rows>
class triangular {
  static_assert(!cluster_order<Order> && !cluster_order<Full>,
                "heddle::triangular: its first two arguments are orders of tiles, not of clusters. Put the triangle "
                "inside: clustered{triangular{order, full, clusters}, cluster, triangle}");
  static constexpr bool has_full_rows = grid_order<Full>;

 public:
  /// Builds the order of `space` from an order of its folded rectangle.
  HEDDLE_HOST triangular(Order order, const triangle& space) requires(!has_full_rows) : triangular(order, {}, space) {}
  /// Builds the order of `space` from one of its folded rectangle, and one of its full rows.
  HEDDLE_HOST triangular(Order order, Full full, const triangle& space) : full_(full), order_(order), space_(space) {
    detail::require_equal(space.folded().size(), "heddle::triangular: tiles of the order", order.space().size());
    detail::require_equal(space.folded().cols, "heddle::triangular: columns of the order", order.space().cols);
    if constexpr (has_full_rows) {
      detail::require_equal(space.full().rows, "heddle::triangular: rows of the order of full rows", full.space().rows);
      detail::require_equal(space.full().cols, "heddle::triangular: columns of the order of full rows",
                            full.space().cols);
    } else {
      detail::require_equal(0, "heddle::triangular: tiles of full rows, which have no order", space.full().size());
    }
  }

  /// Returns the triangle.
  HEDDLE_FN const triangle& space() const { return space_; }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return has_full_rows ? space_.size() : order_.size(); }
  /// Returns the i-th tile.
  HEDDLE_FN coord operator()(int i) const {
    if constexpr (has_full_rows) {
      if (i >= order_.size()) return space_.shape().unturned(full_(i - order_.size()));
    }
    return space_.shape().unfolded(order_(i));
  }
  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(coord tile) const {
    const auto [is_full, at] = space_.shape().place_of(tile);
    if constexpr (has_full_rows) {
      if (is_full) return order_.size() + full_.index(at);
    }
    return order_.index(at);
  }

 private:
  [[no_unique_address]] Full full_;
  Order order_;
  triangle space_;
};

template <class Order>
triangular(Order, triangle) -> triangular<detail::as_grid_order<Order>>;
template <class Order, class Full>
triangular(Order, Full, triangle) -> triangular<detail::as_grid_order<Order>, detail::as_grid_order<Full>>;

}}  // namespace heddle::HEDDLE_ABI
