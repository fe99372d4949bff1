#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/dilated.hpp>
#include <heddle/order/hilbert.hpp>
#include <heddle/order/thread_group_tiling.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

enum class order_kind { row_major, thread_group_tiling, cta_swizzle, hilbert, dilated };

/// An order as a run-time value. Members that its kind has no use for keep their defaults.
struct order_choice {
  order_kind kind = order_kind::row_major;
  int width = 0;                        // of the bands of thread_group_tiling and cta_swizzle, of dilated's strips
  heddle::axis axis = heddle::axis::x;  // of the bands
  extent step{1, 1};                    // of dilated

  friend bool operator==(const order_choice&, const order_choice&) = default;
};

/// "cta_swizzle, width 16, axis x"
inline std::string to_string(const order_choice& order) {
  const auto bands = [&](const char* name) {
    return name + (", width " + std::to_string(order.width)) + (order.axis == axis::x ? ", axis x" : ", axis y");
  };
  switch (order.kind) {
    case order_kind::row_major:
      return "row_major";
    case order_kind::thread_group_tiling:
      return bands("thread_group_tiling");
    case order_kind::cta_swizzle:
      return bands("cta_swizzle");
    case order_kind::hilbert:
      return "hilbert";
    case order_kind::dilated:
      return "dilated, step " + std::to_string(order.step.rows) + "x" + std::to_string(order.step.cols) + ", width " +
             std::to_string(order.width);
  }
  return "";
}

/// Calls f with the order itself, and returns what it returns.
///
///   with_order(advice, grid, [&](auto order) { kernel<<<order.size(), …>>>(order, …); });
///   with_order(advice, grid, [](auto order) { return make_tile_table(order); });
///
/// row_major comes as a band as wide as the grid, so that f is instantiated for no type of its own. A
/// kernel built for thread_group_tiling and tile_table can follow any choice: bands by value, and all
/// others by the table.
template <class F>
decltype(auto) with_order(const order_choice& order, extent grid, F&& f) {
  switch (order.kind) {
    case order_kind::row_major:
      break;
    case order_kind::thread_group_tiling:
      return std::forward<F>(f)(thread_group_tiling{grid, order.width, order.axis});
    case order_kind::cta_swizzle:
      return std::forward<F>(f)(cta_swizzle{grid, order.width, order.axis});
    case order_kind::hilbert:
      return std::forward<F>(f)(hilbert{grid});
    case order_kind::dilated:
      return std::forward<F>(f)(dilated{grid, order.step, order.width});
  }
  return std::forward<F>(f)(thread_group_tiling{grid, (std::max)(1, grid.cols)});
}

}  // namespace heddle::inline HEDDLE_ABI::predict
