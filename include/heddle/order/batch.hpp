#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/fast_div.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Names a tile of a batch by its plane, its row and its column.
struct batch_coord {
  int batch, row, col;  // counted from 0

  HEDDLE_FN friend bool operator==(batch_coord a, batch_coord b) {
    return a.batch == b.batch && a.row == b.row && a.col == b.col;
  }
};

/// A space of several planes with the same tiles: matrices of a batch, heads of an attention, slices of a volume.
///
///   batch{2, extent{2, 3}}      0 1 2    6  7  8      the numbers of its tiles
///                               3 4 5    9 10 11
///
/// **Preconditions**: all tiles together are at most 2^31 - 1; the constructor checks it.
///
/// **Cost**: one division by multiplication from a number to its plane, besides that of the plane.
template <tile_space Space>
class batch {
  static_assert(detail::is_same<typename detail::tile_in<Space>::type, coord>,
                "heddle::batch: a plane has tiles of a row and a column. For a batch of batches multiply the counts");

 public:
  /// Builds a batch of `count` planes.
  HEDDLE_HOST batch(long long count, Space plane)
      : count_(detail::require_int_at_least(0, "heddle::batch: count", count)), plane_(plane), numbers_(plane.size()) {
    detail::require_at_most(0x7fffffff, "heddle::batch: tiles", 1LL * count_ * plane.size());
  }

  /// Returns the number of planes.
  HEDDLE_FN int count() const { return count_; }
  /// Returns the space of each plane.
  HEDDLE_FN const Space& plane() const { return plane_; }

  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return count_ * plane_.size(); }

  /// Returns whether a tile is in the batch.
  HEDDLE_FN bool contains(batch_coord tile) const {
    return 0 <= tile.batch && tile.batch < count_ && plane_.contains({tile.row, tile.col});
  }

  /// Returns the tile with a number.
  HEDDLE_FN batch_coord tile(int number) const {
    const auto [plane, rest] = numbers_(number);
    const auto [row, col] = plane_.tile(rest);
    return {plane, row, col};
  }

  /// Returns the number of a tile.
  HEDDLE_FN int number(batch_coord tile) const {
    return tile.batch * plane_.size() + plane_.number({tile.row, tile.col});
  }

  /// Returns the batch with each plane transposed.
  HEDDLE_FN batch transposed() const requires detail::turns<Space> {
    batch turned = *this;
    turned.plane_ = plane_.transposed();
    return turned;
  }

  HEDDLE_FN friend bool operator==(const batch& a, const batch& b) {
    return a.count_ == b.count_ && a.plane_ == b.plane_;
  }

 private:
  int count_;
  Space plane_;
  detail::fast_div numbers_;  // tiles of a plane
};

/// Returns the batch of the tiles, or the clusters, that cover each plane.
template <class Space>
HEDDLE_HOST batch<Space> ceil_div(const batch<Space>& tiles, extent by) {
  return {tiles.count(), ceil_div(tiles.plane(), by)};
}

}}  // namespace heddle::HEDDLE_ABI
