#pragma once

#include <string>
#include <type_traits>

#include <heddle/coord.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace laws {

/// Holds what a checker found: true if the law holds, else the first failure in words.
///
/// **Example** (examples/01_order/own_order.cpp):
///
///     if (const auto verdict = heddle::laws::check_order(order); !verdict) {
///     std::printf("%d x %d: %s\n", rows, cols, verdict.failure.c_str());
struct verdict {
  std::string failure;  // empty if the law holds

  /// Returns whether the law holds.
  explicit operator bool() const { return failure.empty(); }
};

/// Makes a verdict of text, integers, tiles of grids, batches and groups, and grids. It prints anything else as
/// "a tile".
template <class... Parts>
verdict failed(const Parts&... parts) {
  std::string text;
  const auto append = [&](const auto& part) {
    using Part = std::decay_t<decltype(part)>;
    const auto pair = [&](int first, const char* between, int second) {
      text.append(std::to_string(first)).append(between).append(std::to_string(second));
    };
    [[maybe_unused]] const auto triple = [&](int first, int second, int third) {
      text.append("{").append(std::to_string(first)).append(", ");
      pair(second, ", ", third);
      text.append("}");
    };
    if constexpr (std::is_convertible_v<Part, const char*>) {
      text.append(part);
    } else if constexpr (std::is_same_v<Part, std::string>) {
      text.append(part);
    } else if constexpr (std::is_integral_v<Part>) {
      text.append(std::to_string(part));
    } else if constexpr (std::is_same_v<Part, coord>) {
      text.append("{");
      pair(part.row, ", ", part.col);
      text.append("}");
    } else if constexpr (requires { part.batch; }) {
      triple(part.batch, part.row, part.col);
    } else if constexpr (requires { part.group; }) {
      triple(part.group, part.row, part.col);
    } else if constexpr (std::is_same_v<Part, extent>) {
      pair(part.rows, " x ", part.cols);
    } else {
      text.append("a tile");
    }
  };
  (append(parts), ...);
  return {text};
}

}}}  // namespace heddle::HEDDLE_ABI::laws
