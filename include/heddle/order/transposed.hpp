#pragma once

#include <heddle/concepts.hpp>

namespace heddle::inline v0 {

/// An order of the transposed grid: rows become columns.
///
///   transposed{row_major{{2, 3}}}      0 3
///                                      1 4
///                                      2 5
template <grid_order Order>
class transposed {
 public:
  HEDDLE_HOST explicit transposed(Order order) : order_(order), grid_(order.grid().cols, order.grid().rows) {}

  HEDDLE_FN extent grid() const { return grid_; }
  HEDDLE_FN int size() const { return order_.size(); }

  HEDDLE_FN coord operator()(int i) const {
    const coord tile = order_(i);
    return {tile.col, tile.row};
  }

  HEDDLE_FN int index(coord tile) const { return order_.index({tile.col, tile.row}); }

 private:
  Order order_;
  extent grid_;
};

/// transposed{transposed{order}} is transposed twice, not a copy of the inner one. Copies are made by `auto`.
template <grid_order Order>
transposed(transposed<Order>) -> transposed<transposed<Order>>;

}  // namespace heddle::inline v0
