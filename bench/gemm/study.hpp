#pragma once

#include <functional>
#include <vector>

#include "gemm/bands_or_table.hpp"
#include "gemm/gemm.hpp"

// What the study's program and its kernels agree on.

namespace gemm_study {

using gemm::bands_or_table;

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
