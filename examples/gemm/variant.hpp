#pragma once

#include "gemm.hpp"

namespace gemm {

/// A kernel that is built in, and what it takes: as tables of constants, one for each kind of problem.
struct variant {
  const char* name;
  bool is_wgmma;
  heddle::extent tile, cluster;
  int tile_k;
  long long slot_bytes;  // of a partial sum
  int blocks_per_multiprocessor;
  double step_clocks, tile_clocks;  // of a block: for a step of a tile, and for all else of it. Measured on an H200

  heddle::launch_config (*grid)(const problem&, const choice&);
  cudaError_t (*enqueue)(const problem&, const choice&, const heddle::launch_config&, const operands&, cudaStream_t);

  int blocks_in_cluster() const { return cluster.size(); }
  int k_steps(int k) const { return (k + tile_k - 1) / tile_k; }
};

std::vector<const variant*> wgmma_variants_bf16(const problem& problem);
std::vector<const variant*> wgmma_variants_fp16(const problem& problem);
std::vector<const variant*> mma_variants(const problem& problem);

/// The workspace: how far a launch of stream_k has come, and behind that its partial sums.
inline std::size_t state_bytes(int blocks_in_cluster) {
  return (heddle::stream_k<>::state_bytes(blocks_in_cluster) + 255) / 256 * 256;
}

inline float4* sums_in(void* workspace, int blocks_in_cluster) {
  return reinterpret_cast<float4*>(static_cast<char*>(workspace) + state_bytes(blocks_in_cluster));
}

/// Bands of tiles, or of clusters of them, with what is left of the last wave shared or not.
inline auto scheduler_of_tiles(const problem& p, const variant& v, const choice& c, void* workspace) {
  const heddle::extent grid = heddle::ceil_div(heddle::extent{p.m, p.n}, v.tile);
  return heddle::stream_k{heddle::cta_swizzle{grid, c.width, c.axis}, v.k_steps(p.k), c.sharers, workspace};
}

inline auto scheduler_of_clusters(const problem& p, const variant& v, const choice& c, void* workspace) {
  const heddle::extent grid = heddle::ceil_div(heddle::extent{p.m, p.n}, v.tile);
  const heddle::clustered order{heddle::cta_swizzle{heddle::ceil_div(grid, v.cluster), c.width, c.axis}, v.cluster,
                                grid};
  return heddle::stream_k{order, v.k_steps(p.k), c.sharers, workspace};
}

}  // namespace gemm
