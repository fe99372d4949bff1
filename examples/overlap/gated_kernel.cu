#include "gated_kernel.hpp"

#include <algorithm>

#include <heddle/order/clustered.hpp>
#include <heddle/schedule/strided.hpp>

#include "gemm/on_hopper.cuh"

namespace overlap {
namespace {

using heddle::arrival_gate;
using heddle::ceil_div;
using heddle::extent;

/// Rounds up.
int parts_of(int whole, int part) {
  return (whole - 1) / part + 1;
}

template <class Product>
auto scheduler_of(const gemm::problem& p, const order_of_clusters& order) {
  constexpr extent tile = Product::tile, cluster = Product::cluster;
  return heddle::strided{heddle::clustered{order, cluster, ceil_div(p.m, p.n, tile)}};
}

template <class Shape>
constexpr gated_kernel make_gated_kernel() {
  using gemm::major;
  using product = gemm::on_hopper<Shape, __nv_bfloat16, major::k, major::k, gemm::identity, arrival_gate>;
  return {product::tile, product::cluster,
          [](const gemm::problem& p, const order_of_clusters& order, int most_workers) {
            auto scheduler = scheduler_of<product>(p, order);
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
          [](const heddle::launch_config& grid, const gemm::problem& p, const order_of_clusters& order,
             const gemm::operands& o, const gates& at, cudaStream_t stream) {
            const product by{{}, at.a.for_tiles(product::tile.rows), at.c.for_tiles(product::tile.rows)};
            return by.launch(grid, scheduler_of<product>(p, order), p, o, stream);
          }};
}

constexpr gated_kernel gated_kernels[] = {
    make_gated_kernel<gemm::wgmma_shape<128, 256, 2, 1>>(), make_gated_kernel<gemm::wgmma_shape<128, 128, 2, 1>>(),
    make_gated_kernel<gemm::wgmma_shape<64, 128, 2, 1>>(), make_gated_kernel<gemm::wgmma_shape<64, 64, 1, 1>>(),
    make_gated_kernel<gemm::wgmma_shape<64, 16, 1, 1>>()};

}  // namespace

const gated_kernel* fastest_gated(const gemm::problem& p, const gemm::device& device) {
  if (p.k % 8 != 0 || p.n % 8 != 0) return nullptr;  // operands that Hopper's copies refuse
  for (const auto& each : gemm::candidates(p, device)) {
    const gemm::variant& v = *each.value.variant;
    if (!v.is_wgmma() || v.kind == gemm::kind::in_turn || each.value.by.sharers > 0) continue;
    for (const gated_kernel& kernel : gated_kernels) {
      if (kernel.tile == v.tile && kernel.cluster == v.cluster) return &kernel;
    }
  }
  return nullptr;
}

}  // namespace overlap
