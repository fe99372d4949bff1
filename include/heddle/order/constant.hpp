#pragma once

#include <heddle/concepts.hpp>

namespace heddle::inline HEDDLE_ABI {

/// An order whose grid and parameters are known to the compiler: an empty kernel argument, with every
/// divisor an immediate.
///
///   constant<cta_swizzle, 64, 64, 8, axis::x>      cta_swizzle{{64, 64}, 8, axis::x}
template <grid_order Order, int Rows, int Cols, auto... Parameters>
class constant {
  static_assert(!cluster_order<Order>,
                "heddle::constant: an order of clusters is none of a constant grid. Put the constant inside: "
                "clustered{constant<...>{}, cluster, grid}");

 public:
  static constexpr Order value{extent{Rows, Cols}, Parameters...};

  HEDDLE_FN extent grid() const { return copy().grid(); }
  HEDDLE_FN int size() const { return Rows * Cols; }

  HEDDLE_FN coord operator()(int i) const { return copy()(i); }
  HEDDLE_FN int index(coord tile) const { return copy().index(tile); }

 private:
  /// Device code may read the value of a host constant, not its address.
  HEDDLE_FN static Order copy() {
    constexpr Order order = value;
    return order;
  }
};

}  // namespace heddle::inline HEDDLE_ABI
