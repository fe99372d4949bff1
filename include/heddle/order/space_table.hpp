#pragma once

#include <heddle/order/tile_table.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Reads an order of any space from a table in memory, as `tile_table` does for a grid.
///
///   entry i: {number of the i-th tile in the space, index of the tile with number i}
///
/// **Preconditions**: the table has `space.size()` entries, filled by `make_tile_table` or `by_cost`, in memory that
/// the calling side can read. The constructor refuses a null pointer unless the space is empty. The caller owns the
/// memory.
/// **Cost**: one load per tile, and the arithmetic from a number to a tile of the space; 8 bytes of memory per tile.
/// **Example** (tests/order/spaces.cpp):
///
///     const tile_table::entries entries = make_tile_table(batched{hilbert{{5, 7}}, 3});
///     const space_table order{batch{3, extent{5, 7}}, entries.data()};
template <tile_space Space>
class space_table {
 public:
  /// Builds the order of a space from a table in memory of the device, or of the host for use there.
  HEDDLE_HOST space_table(Space space, const tile_table::entry* device) : space_(space), entries_(device) {
    if (space.size() > 0) detail::require_memory("heddle::space_table: entries", device);
  }

  /// Returns the space of tiles.
  HEDDLE_FN const Space& space() const { return space_; }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return space_.size(); }
  /// Returns the i-th tile.
  HEDDLE_FN auto operator()(int i) const { return space_.tile(entries_[i].tile); }
  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(typename detail::tile_in<Space>::type tile) const { return entries_[space_.number(tile)].index; }

 private:
  Space space_;
  const tile_table::entry* entries_;
};

}}  // namespace heddle::HEDDLE_ABI
