#pragma once

#include <heddle/concepts.hpp>
#include <heddle/laws/verdict.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace laws {

/// Checks the law of costs: within each section of `section` consecutive tiles no tile costs more than the one before
/// it.
///
/// **Effects**: calls `cost` once for each tile.
/// **Example** (tests/order/spaces.cpp):
///
///     CHECK(laws::check_costs(order, cost, section).failure == "");
template <tile_order Order, class Cost>
verdict check_costs(const Order& order, Cost cost, long long section) {
  heddle::detail::require_at_least(1, "heddle::laws::check_costs: section", section);
  double before = 0;
  for (int i = 0; i < order.size(); ++i) {
    const double here = cost(order(i));
    if (i % section != 0 && here > before) {
      return failed("order(", i, ") ", order(i), " costs more than order(", i - 1, ") ", order(i - 1),
                    " in the same section of ", section, " tiles");
    }
    before = here;
  }
  return {};
}

}}}  // namespace heddle::HEDDLE_ABI::laws
