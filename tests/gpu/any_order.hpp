#pragma once

// Every order in one type, for kernels that must take any.

#include "schedule.hpp"

namespace heddle_test {

/// All orders in one type, so that a kernel is compiled once for all of them. To heddle it is a user's own order.
class any_order {
 public:
  static constexpr int kinds = 10;

  any_order(int kind, extent grid, const tile_table::entry* hilbert_entries)
      : kind_(kind),
        grid_(grid),
        row_major_(grid),
        column_major_(grid),
        tiling_(grid, 4, axis::y),
        swizzle_(grid, 3, axis::x),
        hilbert_(grid),
        morton_(grid),
        dilated_(grid, {2, 3}, 2),
        reversed_(cta_swizzle{grid, 5, axis::y}),
        transposed_(hilbert{{grid.cols, grid.rows}}),
        table_(grid, hilbert_entries) {}

  __host__ __device__ extent grid() const { return grid_; }
  __host__ __device__ int size() const { return grid_.size(); }

  __host__ __device__ coord operator()(int i) const {
    if (kind_ == 0) return row_major_(i);
    if (kind_ == 1) return column_major_(i);
    if (kind_ == 2) return tiling_(i);
    if (kind_ == 3) return swizzle_(i);
    if (kind_ == 4) return hilbert_(i);
    if (kind_ == 5) return morton_(i);
    if (kind_ == 6) return dilated_(i);
    if (kind_ == 7) return reversed_(i);
    if (kind_ == 8) return transposed_(i);
    return table_(i);
  }
  __host__ __device__ int index(coord tile) const { return row_major_.index(tile); }  // not used here

 private:
  int kind_;
  extent grid_;
  row_major row_major_;
  column_major column_major_;
  thread_group_tiling tiling_;
  cta_swizzle swizzle_;
  hilbert hilbert_;
  morton morton_;
  dilated dilated_;
  reversed<cta_swizzle> reversed_;
  transposed<hilbert> transposed_;
  tile_table table_;
};
static_assert(grid_order<any_order>);

/// A Hilbert curve over a grid, on the device.
class hilbert_table {
 public:
  explicit hilbert_table(extent grid) : memory_(static_cast<std::size_t>(grid.size()), 0xff) {
    const tile_table::entries entries = make_tile_table(hilbert{grid});
    to_device(memory_.data(), entries.data(), entries.bytes());
  }
  const tile_table::entry* data() { return memory_.data(); }

 private:
  device_array<tile_table::entry> memory_;
};

}  // namespace heddle_test
