#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/dilated.hpp>
#include <heddle/order/hilbert.hpp>
#include <heddle/order/thread_group_tiling.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Names the orders that advice may give, the simplest first.
enum class order_kind {
  row_major,            // row after row
  thread_group_tiling,  // bands
  cta_swizzle,          // bands in serpentine
  hilbert,              // Hilbert's curve
  dilated               // tiles one step apart as neighbours
};

/// Describes an order as a run-time value. Members that its kind does not use keep their defaults.
///
/// **Example** (tests/predict/sample.cpp):
///
///     const order_choice bands{order_kind::cta_swizzle, 8};
struct order_choice {
  order_kind kind = order_kind::row_major;  // which order
  int width = 0;                            // of bands, and of the strips of dilated, in tiles
  heddle::axis axis = heddle::axis::x;      // of bands
  extent step{1, 1};                        // of dilated, in tiles

  friend bool operator==(const order_choice&, const order_choice&) = default;
};

}}}  // namespace heddle::HEDDLE_ABI::predict

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// The type of each kind of order, and the members of a choice that it takes.
constexpr struct order_type {
  const char* name;
  bool has_step = false, has_width = false, has_axis = false;
} order_types[] = {{"row_major"},
                   {"thread_group_tiling", false, true, true},
                   {"cta_swizzle", false, true, true},
                   {"hilbert"},
                   {"dilated", true, true}};

}}}  // namespace heddle::HEDDLE_ABI::detail

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Returns the order and its parameters in a line: "cta_swizzle, width 16, axis x".
inline std::string to_string(const order_choice& order) {
  const detail::order_type& type = detail::order_types[static_cast<int>(order.kind)];
  std::string text = type.name;
  if (type.has_step) text += ", step " + std::to_string(order.step.rows) + "x" + std::to_string(order.step.cols);
  if (type.has_width) text += ", width " + std::to_string(order.width);
  if (type.has_axis) text += order.axis == axis::x ? ", axis x" : ", axis y";
  return text;
}

/// Returns the C++ that builds an order, to paste: "heddle::cta_swizzle{grid, /*width*/ 16, heddle::axis::x}". An
/// advice is a choice of an order too: that of a grid or a plane, and where it says `reversed`, `interleave` or a
/// sequence of groups, these go around it by hand (docs/spaces.md).
///
/// **Preconditions**: `grid` is an expression, of a `heddle::extent`, where the line is pasted.
/// **Example** (examples/01_order/which_order.cpp):
///
///     std::printf("  const auto order = %s;\n", code_of(of_product, "grid").c_str());
inline std::string code_of(const order_choice& order, const std::string& grid) {
  const detail::order_type& type = detail::order_types[static_cast<int>(order.kind)];
  std::string text = std::string("heddle::") + type.name + "{" + grid;
  if (type.has_step)
    text += ", /*step*/ {" + std::to_string(order.step.rows) + ", " + std::to_string(order.step.cols) + "}";
  if (type.has_width) text += ", /*width*/ " + std::to_string(order.width);
  if (type.has_axis) text += order.axis == axis::x ? ", heddle::axis::x" : ", heddle::axis::y";
  return text + "}";
}

/// Calls `f` with the order that a choice describes, and returns the result of `f`.
///
/// row_major comes as one band as wide as the grid, which saves an instantiation of `f`. A kernel built for
/// thread_group_tiling and tile_table can follow any choice: bands by value, all others by table.
///
/// **Example** (tests/predict/advise.cpp):
///
///     const auto entries = with_order(choice, grid, [](const auto& order) { return make_tile_table(order); });
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

}}}  // namespace heddle::HEDDLE_ABI::predict
