#pragma once

#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/tile_table.hpp>

namespace gemm {

/// Bands by value, or any order by its table, in one type: a kernel is compiled once for both. To heddle it is a user's
/// own order.
class bands_or_table {
 public:
  explicit bands_or_table(heddle::cta_swizzle bands) : bands_(bands), table_({0, 0}, nullptr) {}  // no entries
  explicit bands_or_table(heddle::tile_table table) : by_table_(true), bands_(table.grid(), 1), table_(table) {}

  HEDDLE_FN heddle::extent grid() const { return bands_.grid(); }
  HEDDLE_FN int size() const { return bands_.size(); }
  HEDDLE_FN heddle::coord operator()(int i) const { return by_table_ ? table_(i) : bands_(i); }
  HEDDLE_FN int index(heddle::coord tile) const { return by_table_ ? table_.index(tile) : bands_.index(tile); }

 private:
  bool by_table_ = false;
  heddle::cta_swizzle bands_;
  heddle::tile_table table_;
};
static_assert(heddle::grid_order<bands_or_table>);

}  // namespace gemm
