#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/fast_div.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Reads an order from a table in memory: one load per tile in place of the arithmetic of the order.
///
///   entry i: {row-major number of the i-th tile, index of the tile with row-major number i}
///
/// **Preconditions**: the table has `grid.size()` entries, filled by `make_tile_table`, in memory that the calling side
/// can read: device memory in a kernel. The constructor refuses a null pointer unless the grid is empty. The caller
/// owns the memory.
/// **Cost**: 8 PTX instructions per tile, one of them a load; 8 bytes of memory per tile; 32 bytes of kernel argument.
/// **Example** (tests/gpu/order.cu):
///
///     const tile_table::entries entries = make_tile_table(hilbert{grid});
///     tile_table::entry* device = nullptr;
///     check(cudaMalloc(&device, entries.bytes()));
///     check(cudaMemcpy(device, entries.data(), entries.bytes(), cudaMemcpyHostToDevice));
///     const tile_table order{grid, device};
class tile_table {
 public:
  /// One entry of the table: entry i has the i-th tile, and the index of tile number i.
  struct entry {
    int tile, index;  // row-major number of the i-th tile; index of the tile with row-major number i
  };

  /// A table in memory of the host, as `make_tile_table` returns it.
  class entries;

  /// Builds the order of a grid from a table in memory of the device, or of the host for use there.
  HEDDLE_HOST tile_table(extent grid, const entry* device) : grid_(grid), row_(grid.cols), entries_(device) {
    if (grid.size() > 0) detail::require_memory("heddle::tile_table: entries", device);
  }

  /// Returns the grid of tiles.
  HEDDLE_FN extent space() const { return grid_; }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return grid_.size(); }

  /// Returns the i-th tile.
  HEDDLE_FN coord operator()(int i) const {
    const auto [row, col] = row_(entries_[i].tile);
    return {row, col};
  }

  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(coord tile) const { return entries_[grid_.number(tile)].index; }

 private:
  extent grid_;
  detail::fast_div row_;
  const entry* entries_;
};

#if !defined(__CUDACC_RTC__)
/// Owns a table in memory of the host. A `tile_table` of `data()` works on the host; a kernel needs a copy in device
/// memory.
class tile_table::entries {
 public:
  /// Allocates `size` entries and leaves them unset.
  explicit entries(long long size)
      : size_(detail::require_int_at_least(0, "heddle::tile_table::entries: size", size)),
        data_(new entry[static_cast<unsigned>(size_)]) {}
  /// Takes the memory of another table, which is empty afterwards.
  entries(entries&& other) noexcept : size_(other.size_), data_(other.data_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  /// Frees the memory.
  ~entries() { delete[] data_; }

  /// Returns the first entry.
  entry* data() { return data_; }
  const entry* data() const { return data_; }
  /// Returns the number of entries.
  int size() const { return size_; }
  /// Returns the number of bytes to copy.
  decltype(sizeof 0) bytes() const { return sizeof(entry) * static_cast<unsigned>(size_); }

 private:
  int size_;
  entry* data_;
};

/// Fills the table of an order on the host, and refuses an order that is not a bijection onto its space.
template <space_order Order>
tile_table::entries make_tile_table(Order order) {
  static_assert(!bounds_tiles<Order>, "heddle::make_tile_table: only the device knows the tiles of this order");
  static_assert(!cluster_order<Order>,
                "heddle::make_tile_table: an order of clusters has no table of its tiles. Put the table inside: "
                "make_tile_table(clusters) of the order of clusters, and clustered{tile_table{...}, cluster, grid}");
  const auto space = order.space();
  detail::require_equal(space.size(), "heddle::make_tile_table: order.size()", order.size());
  tile_table::entries table(space.size());
  for (int i = 0; i < table.size(); ++i) table.data()[i].index = -1;
  for (int i = 0; i < table.size(); ++i) {
    const tile_of<Order> tile = order(i);
    detail::require_equal(1, "heddle::make_tile_table: order.space().contains(order(i))", space.contains(tile));
    const int number = space.number(tile);
    detail::require_equal(-1, "heddle::make_tile_table: earlier index of a tile that the order visits twice",
                          table.data()[number].index);
    table.data()[i].tile = number;
    table.data()[number].index = i;
  }
  return table;
}
#endif

}}  // namespace heddle::HEDDLE_ABI
