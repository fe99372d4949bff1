#pragma once

#include <heddle/order.hpp>

#include "test.hpp"

namespace heddle_test {

using heddle::coord;
using heddle::extent;

/// Checks the law by brute force, without code of heddle::laws: it marks every tile and compares its index. Returns an
/// empty string if the law holds.
template <class Order>
std::string broken(const Order& order, extent grid) {
  static std::vector<char> visited;
  visited.assign(static_cast<std::size_t>(grid.rows) * grid.cols, 0);
  if (!(order.space() == grid)) return "another grid";
  if (order.size() != grid.rows * grid.cols) return "size " + std::to_string(order.size());
  for (int i = 0; i < order.size(); ++i) {
    const auto [row, col] = order(i);
    if (row < 0 || row >= grid.rows || col < 0 || col >= grid.cols) return "outside at " + std::to_string(i);
    char& mark = visited[static_cast<std::size_t>(row) * grid.cols + col];
    if (mark) return "twice at " + std::to_string(i);
    mark = 1;
    if (order.index({row, col}) != i) return "index at " + std::to_string(i);
  }
  return "";
}

/// Calls check(grid) -> std::string for all grids up to rows x cols. A string that is not empty is a failure.
template <class Check>
void on_every_grid(int rows, int cols, Check check) {
  for (int r = 1; r <= rows; ++r) {
    for (int c = 1; c <= cols; ++c) {
      if (const std::string failure = check(extent{r, c}); !failure.empty()) {
        FAIL(failure << " on " << r << " x " << c);
      }
    }
  }
  SUCCEED();
}

}  // namespace heddle_test
