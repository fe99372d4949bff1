#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/fast_div.hpp>

namespace heddle::inline HEDDLE_ABI {

/// The off-line form of any order: one load instead of the arithmetic.
///
///   auto entries = make_tile_table(hilbert{grid});                     // on the host, once
///   cudaMemcpy(device, entries.data(), entries.bytes(), cudaMemcpyHostToDevice);
///   tile_table order{grid, device};
class tile_table {
 public:
  /// The i-th entry holds the i-th tile, as its number in row-major order, and the index of the tile
  /// whose number is i.
  struct entry {
    int tile, index;
  };

  class entries;

  HEDDLE_HOST tile_table(extent grid, const entry* device) : grid_(grid), row_(grid.cols), entries_(device) {
    if (grid.size() > 0) detail::require_memory("heddle::tile_table: entries", device);
  }

  HEDDLE_FN extent grid() const { return grid_; }
  HEDDLE_FN int size() const { return grid_.size(); }

  HEDDLE_FN coord operator()(int i) const {
    const auto [row, col] = row_(entries_[i].tile);
    return {row, col};
  }

  HEDDLE_FN int index(coord tile) const { return entries_[tile.row * grid_.cols + tile.col].index; }

 private:
  extent grid_;
  detail::fast_div row_;
  const entry* entries_;
};

#if !defined(__CUDACC_RTC__)
/// A table on the host, which a tile_table may also read there.
class tile_table::entries {
 public:
  explicit entries(int size)
      : data_(new entry[static_cast<unsigned>(detail::require_at_least(0, "heddle::tile_table::entries: size", size))]),
        size_(size) {}
  entries(entries&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  entries& operator=(entries&&) = delete;
  ~entries() { delete[] data_; }

  entry* data() { return data_; }
  const entry* data() const { return data_; }
  int size() const { return size_; }
  decltype(sizeof 0) bytes() const { return sizeof(entry) * static_cast<unsigned>(size_); }

 private:
  entry* data_;
  int size_;
};

/// Fills the table of an order, and refuses one that is not a bijection onto its grid.
template <grid_order Order>
tile_table::entries make_tile_table(Order order) {
  static_assert(
      !cluster_order<Order>,
      "heddle::make_tile_table: a table of clusters has no tiles. Put the table inside: make_tile_table(clusters) "
      "of the order of clusters, and clustered{tile_table{...}, cluster, grid}");
  const extent grid = order.grid();
  detail::require_equal(grid.size(), "heddle::make_tile_table: order.size()", order.size());
  tile_table::entries table(grid.size());
  for (int i = 0; i < table.size(); ++i) table.data()[i].index = -1;
  for (int i = 0; i < table.size(); ++i) {
    const coord tile = order(i);
    detail::require_equal(1, "heddle::make_tile_table: grid.contains(order(i))", grid.contains(tile));
    const int number = tile.row * grid.cols + tile.col;
    detail::require_equal(-1, "heddle::make_tile_table: earlier index of a tile that comes twice",
                          table.data()[number].index);
    table.data()[i].tile = number;
    table.data()[number].index = i;
  }
  return table;
}
#endif

}  // namespace heddle::inline HEDDLE_ABI
