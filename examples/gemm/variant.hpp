#pragma once

#include <algorithm>

#include <heddle/order/clustered.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/stream_k.hpp>
#include <heddle/schedule/work_stealing.hpp>

#include "along_k.hpp"
#include "bands_or_table.hpp"
#include "gemm.hpp"

namespace gemm {

/// A kernel that is built in, with its constants and the functions that launch it.
struct variant {
  const char* name;
  bool is_wgmma;
  bool takes_turns;  // two warpgroups make tiles in turn
  heddle::extent tile, cluster;
  int tile_k;
  long long slot_bytes;  // of the partial sums of a tile
  int blocks_per_multiprocessor;

  // What a launch is expected to take, of an H200. Clocks per step of a tile; the share that a step takes more in a
  // long launch, when the chip has reached its power, and less where most of the chip is idle.
  double step_clocks, loss_when_long, gain_alone;
  double tile_clocks, least_tile_clocks;  // per tile, for everything else; and of a tile, at least
  double launch_clocks, sharing_clocks;   // per launch; and if it shares tiles

  // Returns a launch of as many workers as are resident at once, and at most `workers`: blocks, or clusters of blocks.
  // Along k it is a launch of all `workers`, of so many parts each.
  heddle::launch_config (*grid)(int workers, int parts);
  cudaError_t (*enqueue)(const problem&, const choice&, const heddle::launch_config&, const heddle::seats&,
                         const operands&, cudaStream_t);

  bool is_along_k = false;  // the blocks of a cluster share a tile
  bool draws = false;       // workers that are done take tiles of those that are late: no tile is shared

  int blocks_in_cluster() const { return cluster.size(); }
  int k_steps(int k) const { return (k + tile_k - 1) / tile_k; }
};

std::vector<const variant*> wgmma_variants_bf16(const problem& problem);
std::vector<const variant*> wgmma_variants_fp16(const problem& problem);
std::vector<const variant*> mma_variants(const problem& problem);

// The workspace has four parts, one behind the other: the states of stream_k, of the seats and of work_stealing, and
// partial sums.
// The states lie in the same place for all kernels, so that one workspace serves any of them in turn.
inline constexpr int most_blocks_in_cluster = 8;

inline std::size_t rounded_up(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

inline std::size_t seats_offset() {
  return rounded_up(heddle::stream_k<>::state_bytes(most_blocks_in_cluster));
}

inline std::size_t lanes_offset() {
  return seats_offset() + rounded_up(heddle::seats::state_bytes());
}

inline std::size_t state_bytes() {
  return lanes_offset() + rounded_up(heddle::work_stealing<>::state_bytes());
}

inline float4* sums_in(void* workspace) {
  return reinterpret_cast<float4*>(static_cast<char*>(workspace) + state_bytes());
}

/// Returns the order of a choice over tiles, or over clusters of tiles. The schedulers below share what is left of the
/// last wave if the choice has sharers.
inline bands_or_table order_of(heddle::extent grid, const choice& c) {
  if (c.table != nullptr) return bands_or_table(heddle::tile_table{grid, c.table});
  return bands_or_table(heddle::cta_swizzle{grid, c.width, c.axis});
}

inline auto scheduler_of_tiles(const problem& p, const variant& v, const choice& c, void* workspace) {
  return heddle::stream_k{order_of(places_of(p, c), c), v.k_steps(p.k), c.sharers, workspace};
}

inline auto clusters_of(const problem& p, const variant& v, const choice& c) {
  const heddle::extent grid = heddle::ceil_div(heddle::extent{p.m, p.n}, v.tile);
  return heddle::clustered{order_of(places_of(p, c), c), v.cluster, grid};
}

inline auto scheduler_of_clusters(const problem& p, const variant& v, const choice& c, void* workspace) {
  return heddle::stream_k{clusters_of(p, v, c), v.k_steps(p.k), c.sharers, workspace};
}

inline auto drawing_scheduler(const problem& p, const variant& v, const choice& c, void* workspace) {
  return heddle::work_stealing{clusters_of(p, v, c), static_cast<char*>(workspace) + lanes_offset()};
}

/// Returns the parts of a tile along k: as many as there are sharers per tile, up to what a cluster has blocks. Each
/// has a step or more.
inline int parts_along_k(int tiles, int k_steps, int sharers) {
  const int most = (std::min)(most_blocks_in_cluster, (std::max)(1, k_steps));
  return std::clamp(sharers / (std::max)(1, tiles), 1, most);
}

inline auto scheduler_along_k(const problem& p, const variant& v, const choice& c) {
  const heddle::extent grid = places_of(p, c);
  return heddle::one_shot{along_k{order_of(grid, c), parts_along_k(grid.size(), v.k_steps(p.k), c.sharers)}};
}

// Schedulers with one tile (or cluster of tiles) per worker, for the size of a launch: it depends on the number of
// workers alone. Nothing is shared or drawn, so that no state is used.

inline auto scheduler_of_tiles(int workers) {
  const bands_or_table order(heddle::cta_swizzle{{workers, 1}, 1});
  return heddle::stream_k{order, 1, 0, nullptr};
}

inline auto clusters_of(int workers, heddle::extent cluster) {
  const bands_or_table order(heddle::cta_swizzle{{workers, 1}, 1});
  return heddle::clustered{order, cluster, {workers * cluster.rows, cluster.cols}};
}

inline auto scheduler_of_clusters(int workers, heddle::extent cluster) {
  return heddle::stream_k{clusters_of(workers, cluster), 1, 0, nullptr};
}

inline auto drawing_scheduler(int workers, heddle::extent cluster) {
  alignas(16) static char unused[16];  // the size of a launch does not depend on the state
  return heddle::work_stealing{clusters_of(workers, cluster), unused};
}

inline auto scheduler_along_k(int tiles, int parts) {
  return heddle::one_shot{along_k{bands_or_table(heddle::cta_swizzle{{tiles, 1}, 1}), parts}};
}

}  // namespace gemm
