#pragma once

#include <heddle/concepts.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Makes the grid and the parameters of an order known to the compiler: every divisor is an immediate, and the kernel
/// argument is empty.
///
///   constant_order<cta_swizzle, 64, 64, 8, axis::x>      cta_swizzle{{64, 64}, 8, axis::x}
///
/// **Preconditions**: `Order{extent{Rows, Cols}, Parameters...}` is a constant expression.
/// **Cost**: one kernel instantiation per grid; per tile 2 PTX instructions for `row_major` (5 at run time), 11 for
/// `thread_group_tiling` (17) and 16 for `cta_swizzle` (22).
/// **Example** (tests/order/readme.cpp):
///
///     constexpr constant_order<cta_swizzle, 64, 64, 8, axis::x> fixed;
///     static_assert(fixed(9) == cta_swizzle{{64, 64}, 8, axis::x}(9));
template <grid_order Order, int Rows, int Cols, auto... Parameters>
class constant_order {
  static_assert(!cluster_order<Order>,
                "heddle::constant_order: an order of clusters has no constant form. Put the constant inside: "
                "clustered{constant_order<...>{}, cluster, grid}");

 public:
  /// The order itself.
  static constexpr Order value{extent{Rows, Cols}, Parameters...};

  /// Returns the grid of tiles.
  HEDDLE_FN extent space() const { return copy().space(); }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return copy().size(); }

  /// Returns the i-th tile.
  HEDDLE_FN coord operator()(int i) const { return copy()(i); }
  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(coord tile) const { return copy().index(tile); }

 private:
  /// Returns a copy, because device code may read the value of a host constant but not take its address.
  HEDDLE_FN static Order copy() {
    constexpr Order order = value;
    return order;
  }
};

}}  // namespace heddle::HEDDLE_ABI
