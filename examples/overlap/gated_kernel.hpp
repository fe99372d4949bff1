#pragma once

#include <heddle/coord.hpp>
#include <heddle/launch/launch_shape.hpp>
#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/rotated.hpp>
#include <heddle/schedule/arrival_gate.hpp>

#include "gemm/gemm.hpp"

// The kernels of the matrix product for Hopper, in an order that begins with the rows that are here, and with gates
// for the others.

namespace overlap {

/// Begins with the clusters of tiles whose rows are here.
using order_of_clusters = heddle::rotated<heddle::cta_swizzle>;

/// Where tiles wait for the rows of A that they read, and for those of C that they add to.
struct gates {
  heddle::arrival_gate a, c;
};

/// A kernel with gates, and the functions that launch it.
struct gated_kernel {
  heddle::extent tile, cluster;
  heddle::launch_config (*grid)(const gemm::problem&, const order_of_clusters&, int most_workers);
  cudaError_t (*enqueue)(const heddle::launch_config&, const gemm::problem&, const order_of_clusters&,
                         const gemm::operands&, const gates&, cudaStream_t);

  /// Returns the elements of C that a cluster makes.
  heddle::extent tile_of_cluster() const { return {tile.rows * cluster.rows, tile.cols * cluster.cols}; }
};

/// Returns the kernel that is expected to be the fastest of those with gates, or null if there is none.
const gated_kernel* fastest_gated(const gemm::problem& problem, const gemm::device& device);

}  // namespace overlap
