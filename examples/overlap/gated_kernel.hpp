#pragma once

#include <heddle/coord.hpp>
#include <heddle/launch/launch_shape.hpp>
#include <heddle/schedule/arrival_gate.hpp>

#include "gemm/gemm.hpp"
#include "problem.hpp"

// The kernels of the matrix product for Hopper, in an order that begins with the rows that are here, and with gates
// for the others.

namespace overlap {

/// The rows of C in shards, one for each rank. A rank stores that of the next rank in step 0, that of the one after it
/// in step 1, and its own at the end, with what the others have stored there: in the order in which they did.
/// The flag of a piece is raised at its owner when all of it is stored.
struct shards {
  static constexpr int most = 8;

  problem of;  // a piece is a rectangle of tiles; the last ones may be empty
  int rank;
  heddle::arrival_gate own;           // of the pieces of each step
  const heddle::arrival_gate* gates;  // of the ranks, on the device
  unsigned* tiles_stored;             // by step and piece, zeroed once
  char* rooms;                        // of the blocks: a tile each
  void* at[most];                     // by rank: where this one stores
  const void* added;                  // what the others store, one step below the other
};

/// Where tiles wait for the rows of A that they read, or where those of C are stored.
struct gates {
  heddle::arrival_gate a;
  const shards* c = nullptr;
};

/// A kernel with gates, and the functions that launch it.
struct gated_kernel {
  heddle::extent tile, cluster;
  heddle::launch_config (*grid)(const gemm::problem&, const bands&, int most_workers);
  cudaError_t (*enqueue)(const heddle::launch_config&, const gemm::problem&, const bands&, const gemm::operands&,
                         const gates&, const heddle::seats&, cudaStream_t);

  /// Returns the elements of C that a cluster makes.
  heddle::extent tile_of_cluster() const { return {tile.rows * cluster.rows, tile.cols * cluster.cols}; }
};

/// What a product could run, the fastest first: `gemm::candidates`.
using ranked_choices = std::vector<heddle::candidate<gemm::choice>>;

/// Returns the first kernel of those that wait for rows of A, or store C in shards, or null if there is none.
const gated_kernel* fastest_gated(const gemm::problem& problem, const ranked_choices& ranked, bool in_shards);

}  // namespace overlap
