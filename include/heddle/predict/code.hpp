#pragma once

#include <string>

#include <heddle/predict/order_choice.hpp>
#include <heddle/predict/schedule_kind.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Returns the C++ that builds an order, to paste: "heddle::cta_swizzle{grid, /*width*/ 16, heddle::axis::x}". Any
/// advice is a choice of an order.
///
/// **Preconditions**: `grid` is an expression, of a `heddle::extent`, where the line is pasted.
/// **Example** (examples/01_order/which_order.cpp):
///
///     std::printf("  const auto order = %s;\n", code_of(of_product, "grid").c_str());
inline std::string code_of(const order_choice& order, const std::string& grid) {
  const auto built = [&](const char* type, const std::string& rest) {
    return "heddle::" + std::string(type) + "{" + grid + rest + "}";
  };
  const std::string width = ", /*width*/ " + std::to_string(order.width);
  const std::string bands = width + (order.axis == axis::x ? ", heddle::axis::x" : ", heddle::axis::y");
  switch (order.kind) {
    case order_kind::row_major:
      break;
    case order_kind::thread_group_tiling:
      return built("thread_group_tiling", bands);
    case order_kind::cta_swizzle:
      return built("cta_swizzle", bands);
    case order_kind::hilbert:
      return built("hilbert", "");
    case order_kind::dilated:
      return built("dilated", ", /*step*/ {" + std::to_string(order.step.rows) + ", " +
                                  std::to_string(order.step.cols) + "}" + width);
  }
  return built("row_major", "");
}

/// Returns the C++ that builds a schedule over an order, to paste: "heddle::ticket{order, state}". Any advice is a
/// choice of a schedule.
///
/// **Preconditions**: `order` and `state` are expressions where the line is pasted; `state` points to
/// `state_bytes()` bytes of the scheduler on the device, zeroed once.
/// **Example** (examples/01_order/which_order.cpp):
///
///     std::printf("  const auto scheduler = %s;\n", code_of(schedule_choice(of_product), "order", "state").c_str());
inline std::string code_of(const schedule_choice& by, const std::string& order, const std::string& state) {
  const bool is_affine = by.kind == schedule_kind::sm_affine;
  std::string values = order;
  if (is_affine || by.kind == schedule_kind::ticket || by.kind == schedule_kind::work_stealing) values += ", " + state;
  if (is_affine) values += ", /*run*/ " + std::to_string(by.run);
  return std::string("heddle::") + name_of(by.kind) + "{" + values + "}";
}

}  // namespace heddle::inline HEDDLE_ABI::predict
