#pragma once

#include <heddle/concepts.hpp>

namespace heddle::inline v0 {

/// An order walked from its end.
///
///   reversed{row_major{grid}}      5 4 3
///                                  2 1 0
template <tile_order Order>
class reversed {
 public:
  HEDDLE_HOST explicit reversed(Order order) : order_(order) {}

  HEDDLE_FN extent grid() const requires grid_order<Order> { return order_.grid(); }
  HEDDLE_FN int size() const { return order_.size(); }

  HEDDLE_FN tile_of<Order> operator()(int i) const { return order_(size() - 1 - i); }
  HEDDLE_FN int index(tile_of<Order> tile) const { return size() - 1 - order_.index(tile); }

 private:
  Order order_;
};

/// reversed{reversed{order}} is reversed twice, not a copy of the inner one. Copies are made by `auto`.
template <tile_order Order>
reversed(reversed<Order>) -> reversed<reversed<Order>>;

}  // namespace heddle::inline v0
