#pragma once

#include <algorithm>
#include <utility>

#include <heddle/launch/programmatic.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/recipe/any_order.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/stream_k.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/work_stealing.hpp>

#include "along_k.hpp"
#include "gemm.hpp"

namespace gemm {

/// How a kernel makes its tiles.
enum class kind {
  portable,  // on any GPU, a block each; all others are for Hopper
  together,  // the warpgroups of a block make a tile together
  in_turn,   // two warpgroups make tiles in turn
  along_k,   // the blocks of a cluster share a tile
  drawn,     // together; workers that are done take tiles of those that are late, and no tile is shared
};

/// A kernel that is built in, with its constants and the functions that launch it.
struct variant {
  const char* name;
  gemm::kind kind;
  heddle::extent tile, cluster;
  int tile_k;
  int blocks_per_multiprocessor;
  int sums;              // of a thread
  bool stores_in_turns;  // one box of C is filled while the one before it is stored

  // Returns a launch of as many workers as are resident at once, and at most `workers`: blocks, or clusters of blocks.
  // Along k it is a launch of all `workers`, of so many parts each.
  heddle::launch_config (*grid)(int workers, int parts);
  cudaError_t (*enqueue)(const problem&, const choice&, const heddle::launch_config&, const heddle::seats&,
                         const operands&, cudaStream_t);

  bool is_wgmma() const { return kind != kind::portable; }
  bool is_along_k() const { return kind == kind::along_k; }
  bool draws() const { return kind == kind::drawn; }
  int blocks_in_cluster() const { return cluster.size(); }
  int k_steps(int k) const { return (k + tile_k - 1) / tile_k; }
  long long slot_bytes() const { return 4LL * tile.size(); }  // of the partial sums of a tile
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

/// Returns the workers that are resident at once: blocks, or clusters of so many blocks.
inline int workers_of(const variant& v, const device& device, int blocks) {
  int workers = device.chip.multiprocessors * v.blocks_per_multiprocessor / blocks;
  if (blocks > 2 && device.map.multiprocessors > 0) {  // a cluster lies in one group
    workers = 0;
    for (int group = 0; group < heddle::chip_map::nowhere; ++group) {
      workers +=
          static_cast<int>(std::count(device.map.group, device.map.group + device.map.multiprocessors, group)) / blocks;
    }
  }
  return (std::min)(workers, heddle::stream_k<>::most_sharers);
}

inline int workers_of(const variant& v, const device& device) {
  return workers_of(v, device, v.blocks_in_cluster());
}

/// Returns the workers that can share tiles: `stream_k` gives each a part of 8 steps or more.
inline int worth_sharing(int tiles, int k_steps, int sharers) {
  return static_cast<int>((std::min)(1LL * tiles * k_steps / 8, static_cast<long long>(sharers)));
}

/// Returns the number of workers that share the `rest` of the waves: 0 if each of its tiles has a worker of its own.
inline int sharers_of(int rest, int k_steps, int most) {
  const int sharers = worth_sharing(rest, k_steps, most);
  return sharers > rest ? sharers : 0;
}

/// Returns the parts of at most so many that make a whole.
inline int parts_of(int whole, int most) {
  return whole / most + (whole % most > 0 ? 1 : 0);
}

/// Returns the parts of a tile along k: as many as there are sharers per tile, up to what a cluster has blocks. Each
/// has a step or more.
inline int parts_along_k(int tiles, int k_steps, int sharers) {
  const int most = (std::min)(most_blocks_in_cluster, (std::max)(1, k_steps));
  return std::clamp(sharers / (std::max)(1, tiles), 1, most);
}

/// Returns the scheduler of a choice, with its state in a workspace. What is left of the last wave is shared if the
/// choice has sharers.
template <kind Kind>
auto scheduler_of(const problem& p, const variant& v, const choice& c, [[maybe_unused]] void* workspace) {
  const heddle::extent places = places_of(p, c);
  const heddle::any_order order{c.by, places, c.table};
  [[maybe_unused]] const auto clusters = [&] {
    return heddle::clustered{order, v.cluster, heddle::ceil_div(p.m, p.n, v.tile)};
  };
  if constexpr (Kind == kind::along_k) {
    return heddle::one_shot{along_k{order, parts_along_k(places.size(), v.k_steps(p.k), c.by.sharers)}};
  } else if constexpr (Kind == kind::drawn) {
    return heddle::work_stealing{clusters(), static_cast<char*>(workspace) + lanes_offset()};
  } else if constexpr (Kind == kind::portable) {
    return heddle::stream_k{order, v.k_steps(p.k), c.by.sharers, workspace};
  } else {
    return heddle::stream_k{clusters(), v.k_steps(p.k), c.by.sharers, workspace};
  }
}

template <kind Kind>
using scheduler_of_kind =
    decltype(scheduler_of<Kind>(std::declval<problem>(), std::declval<variant>(), std::declval<choice>(), nullptr));

/// Returns a launch that starts while the one before it ends, or the same launch: kernels with seats are long, so that
/// they would gain nothing, and a table of tiles may be what the launch before writes.
inline heddle::launch_config early(const heddle::launch_config& grid, const choice& c) {
  return c.seats > 0 || c.table != nullptr ? grid : grid.with(heddle::programmatic_launch());
}

/// Returns a variant of a product that is a value: `on_hopper` or `on_any`.
template <kind Kind, class Product>
constexpr variant make_variant(const char* name) {
  return {name,
          Kind,
          Product::tile,
          Product::cluster,
          Product::tile_k,
          Product::blocks_per_multiprocessor,
          Product::sums,
          Product::stores_in_turns,
          [](int workers, int parts) {  // the size of a launch depends on the number of workers alone
            const auto kernel = Product::template kernel<scheduler_of_kind<Kind>>();
            const heddle::row_major row{{workers, 1}};
            if constexpr (Kind == kind::along_k) return kernel.grid(heddle::one_shot{along_k{row, parts}});
            constexpr heddle::extent cluster = Product::cluster;
            return kernel.grid(
                heddle::strided{heddle::clustered{row, cluster, heddle::extent{workers * cluster.rows, cluster.cols}}});
          },
          [](const problem& p, const choice& c, const heddle::launch_config& grid, const heddle::seats& seats,
             const operands& o, cudaStream_t stream) {
            const auto by = scheduler_of<Kind>(p, *c.variant, c, o.workspace);
            return Product{}.launch(Kind == kind::portable ? grid : early(grid, c), by, p, o, stream, seats);
          }};
}

}  // namespace gemm
