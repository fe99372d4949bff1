#include "gated_kernel.hpp"

#include <algorithm>

#include <heddle/order/clustered.hpp>
#include <heddle/schedule/strided.hpp>

#include "gemm/on_hopper.cuh"

namespace overlap {
namespace {

using gemm::parts_of;
using heddle::arrival_gate;
using heddle::ceil_div;
using heddle::extent;

/// A gate of C in shards, as the kernel asks it.
struct gate_of_shards : gemm::shards_of_c {
  shards all;
  CUtensorMap map{};  // of what others have stored

  HEDDLE_DEVICE void wait(heddle::coord) const {}  // A is here
  HEDDLE_DEVICE void* room(unsigned bytes) const { return all.rooms + blockIdx.x * std::size_t{bytes}; }
  HEDDLE_DEVICE char* owned_by(int owner) const { return static_cast<char*>(all.at[owner]); }
  const void* added() const { return all.added; }
  HEDDLE_DEVICE void wait_for(int step, const shard& its) { all.own.wait({flag(step, its.piece), 0}); }

  /// Tells the owner when all blocks have stored a piece of a shard. A thread of each calls it for a tile.
  HEDDLE_DEVICE void tell(const shard& its) const {
    const int to = flag(its.step, its.piece);
    const auto last = static_cast<unsigned>(its.tiles_of_piece - 1);
    if (atomicInc(all.tiles_stored + to, last) < last) return;
    __threadfence_system();
    all.gates[its.owner].deliver(to, *static_cast<volatile unsigned*>(all.own.turn()));
  }
  HEDDLE_DEVICE int flag(int step, int piece) const { return step * all.of.pieces_of_shard + piece; }
};

template <class Product>
auto scheduler_of(const gemm::problem& p, const bands& order, bool in_shards) {
  constexpr extent tile = Product::tile, cluster = Product::cluster;
  extent tiles = ceil_div(p.m, p.n, tile);
  if (in_shards) tiles.rows = order.space().rows * cluster.rows;
  return heddle::strided{heddle::clustered{order, cluster, tiles}};
}

template <class Shape, class Gate>
constexpr gated_kernel make_gated_kernel() {
  using gemm::major;
  using product = gemm::on_hopper<Shape, __nv_bfloat16, major::k, major::k, gemm::identity, Gate>;
  constexpr bool in_shards = gemm::has_shards<Gate>;
  return {product::tile, product::cluster,
          [](const gemm::problem& p, const bands& order, int most_workers) {
            auto scheduler = scheduler_of<product>(p, order, in_shards);
            auto grid = product::template kernel<decltype(scheduler)>().grid(scheduler);
            if (grid.error != cudaSuccess) return grid;
            unsigned& blocks = grid.config.gridDim.x;  // as many as the waves need
            constexpr int of_cluster = product::cluster.size();
            int workers = static_cast<int>(blocks) / of_cluster;
            if (most_workers > 0) workers = (std::min)(workers, most_workers);
            const int waves = parts_of(order.size(), workers);
            blocks = static_cast<unsigned>(parts_of(order.size(), waves) * of_cluster);
            return grid;
          },
          [](const heddle::launch_config& grid, const gemm::problem& p, const bands& order, const gemm::operands& o,
             const gates& at, const heddle::seats& seats, cudaStream_t stream) {
            const auto scheduler = scheduler_of<product>(p, order, in_shards);
            if constexpr (in_shards) {
              const shards& c = *at.c;
              const Gate gate{{c.rank, c.of.ranks, c.of.rows_of_shard(), product::tile, product::cluster, p.n,
                               c.of.pieces_of_shard},
                              c};
              return product{{}, gate, gate}.launch(grid, scheduler, p, o, stream, seats);
            } else {
              return product{{}, at.a.for_tiles(product::tile.rows), at.a}.launch(grid, scheduler, p, o, stream, seats);
            }
          }};
}

template <class Gate>
constexpr gated_kernel gated_kernels[] = {make_gated_kernel<gemm::wgmma_shape<128, 256, 2, 1>, Gate>(),
                                          make_gated_kernel<gemm::wgmma_shape<128, 128, 2, 1>, Gate>(),
                                          make_gated_kernel<gemm::wgmma_shape<64, 128, 2, 1>, Gate>(),
                                          make_gated_kernel<gemm::wgmma_shape<64, 64, 1, 1>, Gate>(),
                                          make_gated_kernel<gemm::wgmma_shape<64, 16, 1, 1>, Gate>()};

}  // namespace

const gated_kernel* fastest_gated(const gemm::problem& p, const ranked_choices& ranked, bool in_shards) {
  if (p.k % 8 != 0 || p.n % 8 != 0) return nullptr;  // operands that Hopper's copies refuse
  for (const auto& each : ranked) {
    const gemm::variant& v = *each.value.variant;
    if (!v.is_wgmma() || v.kind == gemm::kind::in_turn || each.value.by.sharers > 0) continue;
    for (const gated_kernel& kernel : in_shards ? gated_kernels<gate_of_shards> : gated_kernels<arrival_gate>) {
      if (kernel.tile == v.tile && kernel.cluster == v.cluster) return &kernel;
    }
  }
  return nullptr;
}

}  // namespace overlap
