#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/bands.hpp>
#include <heddle/order/tile_table.hpp>
#include <heddle/recipe/recipe.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail {

/// Returns the axis of the lines or the bands of a recipe. Of the transposed grid it is the other one.
HEDDLE_HOST axis axis_of(const recipe& by) {
  const bool is_y = by.order == recipe::column_major || (by.order != recipe::row_major && by.axis == axis::y);
  return is_y != by.transposed ? axis::y : axis::x;
}

/// Returns the width of the bands of a recipe over a grid. Lines are one band.
HEDDLE_HOST int width_of(const recipe& by, extent grid) {
  const int breadth = axis_of(by) == axis::x ? grid.cols : grid.rows;
  if (by.order <= recipe::column_major) return breadth > 0 ? breadth : 1;
  return require_at_least(1, "heddle::any_order: width", by.width);
}

/// Returns the place in an order of `size` tiles at which the i-th tile of rotated{reversed{order}, first} lies, or of
/// rotated{order, first}.
HEDDLE_FN int place_of(int i, int first, bool is_reversed, int size) {
  const unsigned from_first = static_cast<unsigned>(i) + static_cast<unsigned>(first);  // up to 2^32 - 2
  const auto all = static_cast<unsigned>(size);
  const int place = static_cast<int>(from_first < all ? from_first : from_first - all);
  return is_reversed ? size - 1 - place : place;
}

/// Returns the index of a place: the inverse of `place_of`.
HEDDLE_FN int index_of(int place, int first, bool is_reversed, int size) {
  const int after_first = (is_reversed ? size - 1 - place : place) - first;
  return after_first < 0 ? after_first + size : after_first;
}

}  // namespace detail

/// Walks a space in any order in one type: a kernel is compiled once for all of them. Over a grid, lines and bands are
/// computed, reversed, rotated and transposed too; any other order is read from a table.
///
/// Over a grid of clusters it orders the clusters: clustered{any_order{by, ceil_div(grid, by.cluster), table},
/// by.cluster, grid}. A batch of planes is batched{any_order{by, plane, table}, count, by.interleave}.
///
/// **Preconditions**: the table is that of `make_tile_table`, in memory that the calling side can read. The constructor
/// refuses a null pointer where the order needs a table. The caller owns the memory.
/// **Cost**: 27 PTX instructions per tile more than `cta_swizzle`, without a division; by table, one load besides. 80
/// bytes of kernel argument, and 8 bytes of memory per tile of a table.
/// **Example** (tests/recipe/recipe.cpp):
///
///     const tile_table::entries entries = make_tile_table(by, grid, own.data());
///     const any_order order{by, grid, entries.data()};
template <tile_space Space = extent>
class any_order {
 public:
  /// Builds the order of a space from its table.
  HEDDLE_HOST any_order(Space space, const tile_table::entry* table) : space_(space), table_(table) {
    if (space.size() > 0) detail::require_memory("heddle::any_order: table", table);
  }

  /// Returns the space of tiles.
  HEDDLE_FN const Space& space() const { return space_; }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return space_.size(); }
  /// Returns the i-th tile.
  HEDDLE_FN auto operator()(int i) const { return space_.tile(table_[i].tile); }
  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(typename detail::tile_in<Space>::type tile) const { return table_[space_.number(tile)].index; }

 private:
  Space space_;
  const tile_table::entry* table_;
};

/// Walks a grid.
template <>
class any_order<extent> {
 public:
  /// Returns whether the order of a recipe is read from a table.
  HEDDLE_HOST static bool needs_table(const recipe& by) { return by.order > recipe::cta_swizzle; }

  /// Builds the order of a recipe over a grid. One that needs no table leaves it alone.
  HEDDLE_HOST any_order(const recipe& by, extent grid, const tile_table::entry* table = nullptr)
      : any_order(by, grid, needs_table(by), table) {
    if (needs_table(by) && grid.size() > 0) detail::require_memory("heddle::any_order: table", table);
    detail::require_int_at_least(0, "heddle::any_order: first", by.first);
    detail::require_at_most(grid.size(), "heddle::any_order: first", by.first);
  }
  /// Builds the order of a grid from its table.
  HEDDLE_HOST any_order(extent grid, const tile_table::entry* table) : any_order({.order = recipe::own}, grid, table) {}

  /// Returns the grid of tiles.
  HEDDLE_FN extent space() const { return bands_.space(); }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return space().size(); }
  /// Returns the i-th tile.
  HEDDLE_FN coord operator()(int i) const {
    const int place = table_ != nullptr ? table_[i].tile : detail::place_of(i, first_, is_reversed_, size());
    return bands_.tile(turned(bands_.at(place)));
  }
  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(coord tile) const {
    const int place = bands_.index(turned(bands_.position_of(tile)));
    return table_ != nullptr ? table_[place].index : detail::index_of(place, first_, is_reversed_, size());
  }

 private:
  /// A table is read row after row.
  HEDDLE_HOST any_order(const recipe& by, extent grid, bool is_table, const tile_table::entry* table)
      : bands_(grid, is_table ? detail::width_of({}, grid) : detail::width_of(by, grid),
               is_table ? axis::x : detail::axis_of(by)),
        table_(is_table ? table : nullptr),
        is_serpentine_(by.order == recipe::cta_swizzle),
        is_reversed_(by.reversed),
        first_(by.first) {}

  HEDDLE_FN detail::bands::position turned(detail::bands::position p) const {
    return bands_.backwards_if(is_serpentine_ && (p.band & 1), p);
  }

  detail::bands bands_;
  const tile_table::entry* table_;
  bool is_serpentine_, is_reversed_;
  int first_;
};

any_order(const recipe&, extent, const tile_table::entry*)->any_order<extent>;
any_order(const recipe&, extent)->any_order<extent>;

}}  // namespace heddle::HEDDLE_ABI
