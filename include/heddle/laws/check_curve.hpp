#pragma once

#include <heddle/laws/check_order.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace laws {

/// Checks the law of a space-filling curve: every tile shares an edge with the tile before it, except for at most one
/// diagonal step on the whole grid. It does not check the law of orders: `check_order` does.
///
/// **Example** (tests/laws/laws.cpp):
///
///     CHECK(laws::check_curve(hilbert{{5, 8}}).failure == "");
template <grid_order Order>
verdict check_curve(const Order& order) {
  int diagonals = 0;
  for (int i = 1; i < order.size(); ++i) {
    const coord from = order(i - 1), to = order(i);
    const long long length = step_length(from, to);
    if (length == 1) continue;
    const bool diagonal = length == 2 && from.row != to.row && from.col != to.col;
    if (!diagonal || ++diagonals > 1) {
      return failed("the step from order(", i - 1, ") ", from, " to order(", i, ") ", to,
                    diagonal ? " is a second diagonal" : " is not to a neighbour");
    }
  }
  return {};
}

}}}  // namespace heddle::HEDDLE_ABI::laws
