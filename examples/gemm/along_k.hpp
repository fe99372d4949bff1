#pragma once

#include <heddle/order/batch.hpp>

namespace gemm {

/// Orders clusters whose blocks share a tile: each multiplies a part of k, and all of them add up. To heddle the parts
/// are planes of a batch, so that each block has a tile of its own.
///
///   along_k{row_major{{1, 2}}, 2}      0.0 | 1.0      cluster.block of part 0
///                                      0.1 | 1.1      and of part 1
template <heddle::grid_order Order>
class along_k {
 public:
  along_k(Order order, int parts) : order_(order), tiles_(parts, order.space()), parts_(parts) {}

  HEDDLE_FN heddle::extent space() const { return order_.space(); }
  HEDDLE_FN int size() const { return order_.size(); }
  HEDDLE_FN heddle::coord operator()(int i) const { return order_(i); }
  HEDDLE_FN int index(heddle::coord tile) const { return order_.index(tile); }

  HEDDLE_FN int parts() const { return parts_; }
  HEDDLE_FN int blocks_in_cluster() const { return parts_; }
  HEDDLE_FN const heddle::batch<heddle::extent>& tiles() const { return tiles_; }
  HEDDLE_FN heddle::batch_coord tile(int cluster, int block) const {
    const auto [row, col] = order_(cluster);
    return {block, row, col};
  }
  HEDDLE_FN bool contains(heddle::batch_coord tile) const { return tiles_.contains(tile); }

 private:
  Order order_;
  heddle::batch<heddle::extent> tiles_;
  int parts_;
};

}  // namespace gemm
