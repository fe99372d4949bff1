#pragma once

#include <functional>
#include <vector>

#include <heddle/predict/gemm_problem.hpp>
#include <heddle/recipe/any_order.hpp>

#include "gemm/gemm.hpp"

// What the program of the study and its kernels share.

namespace gemm_study {

struct product {
  gemm::problem problem;
  gemm::operands operands;
  void* ticket_state;
};

/// A kernel to time. Its workers are blocks, or clusters of blocks.
struct kernel {
  const char* name;
  heddle::extent tile, cluster;

  std::vector<heddle::recipe::schedule_kind> schedules;  // those that were compiled
  bool also_by_table;                                    // whether bands are timed as tables too

  /// Returns the number of workers that are resident at once.
  int (*workers)(const gemm::problem&);

  /// Returns a function that enqueues the kernel.
  std::function<cudaError_t()> (*launch)(const product&, const heddle::any_order<>&, const heddle::recipe&);

  /// Returns the product as `predict` wants it: a tile is what one worker fetches.
  heddle::predict::gemm_problem by_worker(const gemm::problem& p) const {
    return {.m = p.m,
            .n = p.n,
            .k = p.k,
            .tile_m = tile.rows * cluster.rows,
            .tile_n = tile.cols * cluster.cols,
            .blocks_per_tile = cluster.size()};
  }
};

std::vector<kernel> kernels_128x128();
std::vector<kernel> kernels_128x256();
std::vector<kernel> portable_kernels();

}  // namespace gemm_study
