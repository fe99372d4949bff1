#pragma once

#include <functional>
#include <vector>

#include "gemm/gemm.hpp"

// What the study's program and its kernels agree on.

namespace gemm_study {

/// Bands by value, or any order by its table: one type, so that a kernel is compiled once for both. To heddle it is a
/// user's own order.
class bands_or_table {
 public:
  explicit bands_or_table(heddle::cta_swizzle bands) : bands_(bands), table_(bands.grid(), nullptr) {}
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

struct product {
  gemm::problem problem;
  gemm::operands operands;
  void* ticket_state;
};

/// A kernel with an order of its workers' tiles: of blocks, or of clusters of them.
struct kernel {
  const char* name;
  heddle::extent tile, cluster;

  std::vector<heddle::predict::schedule_kind> schedules;  // that were compiled
  bool also_by_table;                                     // whether bands are tried as tables too

  /// How many of the workers are resident at once.
  int (*workers)(const gemm::problem&);

  /// What enqueues it.
  std::function<cudaError_t()> (*launch)(const product&, const bands_or_table&, heddle::predict::schedule_kind);

  /// The product as `predict` wants it: what one worker fetches.
  heddle::predict::gemm_problem by_worker(const gemm::problem& p) const {
    return {.m = p.m, .n = p.n, .k = p.k, .tile_m = tile.rows * cluster.rows, .tile_n = tile.cols * cluster.cols};
  }
};

std::vector<kernel> kernels_128x128();
std::vector<kernel> kernels_128x256();
std::vector<kernel> portable_kernels();

}  // namespace gemm_study
