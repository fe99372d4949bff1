#pragma once

#include "gemm_wgmma.cuh"
#include "hopper/tensor_map.cuh"
#include "variant.hpp"

namespace gemm {

/// Enqueues a product with any scheduler over `clustered`, any epilogue and any gate of the rows of A, in a launch that
/// `grid_of_wgmma` made. If it is programmatic, the launch before it must not write what the order reads.
template <class Shape, class Element, major A, major B, class Scheduler, class Epilogue, class Gate = heddle::open_gate>
cudaError_t enqueue_wgmma(const heddle::launch_config& grid, const Scheduler& scheduler, const problem& p,
                          const operands& o, Epilogue epilogue, cudaStream_t stream, const heddle::seats& seats = {},
                          const Gate& gate = {}) {
  std::pair<hopper::operand_maps, cudaError_t> a, b;
  if constexpr (Shape::transposed) {
    a = hopper::make_operand_maps<Element, B, Shape::tile_m, Shape::cluster_n>(o.b, p.n, p.k, o.ldb);
    b = hopper::make_operand_maps<Element, A, Shape::tile_n, Shape::cluster_m>(o.a, p.m, p.k, o.lda);
  } else {
    a = hopper::make_operand_maps<Element, A, Shape::tile_m, Shape::cluster_n>(o.a, p.m, p.k, o.lda);
    b = hopper::make_operand_maps<Element, B, Shape::tile_n, Shape::cluster_m>(o.b, p.n, p.k, o.ldb);
  }
  const hopper::tensor_map c = hopper::make_tensor_map<Element>(o.c, {p.m, p.n, o.ldc}, {16, Shape::c_box});
  for (const cudaError_t error : {a.second, b.second, c.error}) {
    if (error != cudaSuccess) return error;
  }
  float4* const sums = o.workspace == nullptr ? nullptr : sums_in(o.workspace);
  const wgmma_arguments<Epilogue, Gate> arguments{a.first, b.first, c.map, p.m,   p.n,  p.k,      o.alpha,
                                                  o.beta,  o.c,     o.ldc, seats, sums, epilogue, gate};
  const auto kernel = gemm_wgmma<Shape, Element, A, B, Scheduler, Epilogue, Gate>;
  return heddle::launch(grid, stream, kernel, scheduler, arguments);
}

/// Returns a launch that starts while the one before it ends, or the same launch: kernels with seats are long, so that
/// they would gain nothing, and a table of tiles may be what the launch before writes.
inline heddle::launch_config early(const heddle::launch_config& grid, const choice& c) {
  return c.run > 0 || c.table != nullptr ? grid : grid.with(heddle::programmatic_launch());
}

/// Returns the launch of the kernel for Hopper.
template <class Shape, class Element, major A, major B, class Scheduler, class Epilogue, class Gate = heddle::open_gate>
heddle::launch_config grid_of_wgmma(const Scheduler& scheduler, Epilogue, const Gate& = {}) {
  return scheduler.grid(gemm_wgmma<Shape, Element, A, B, Scheduler, Epilogue, Gate>, Shape::threads,
                        sizeof(wgmma_smem<Shape, Scheduler>));
}

template <class Shape, class Element, major A, major B>
constexpr variant make_wgmma_variant(const char* name, double step_clocks, double loss_when_long, double tile_clocks,
                                     double launch_clocks) {
  return {name,
          true,
          Shape::in_turn,
          Shape::tile,
          Shape::tiles_of_cluster,
          Shape::tile_k,
          Shape::tile_m * Shape::tile_n * 4LL,
          1,
          step_clocks,
          loss_when_long,
          Shape::tile_m == 64 ? 0.0 : 0.439,
          tile_clocks,
          Shape::in_turn ? 2000.0 : 0.0,
          launch_clocks,
          2020,
          [](int workers, int) {
            const auto scheduler = scheduler_of_clusters(workers, Shape::tiles_of_cluster);
            return grid_of_wgmma<Shape, Element, A, B>(scheduler, identity{});
          },
          [](const problem& p, const choice& c, const heddle::launch_config& grid, const heddle::seats& seats,
             const operands& o, cudaStream_t stream) {
            const auto scheduler = scheduler_of_clusters(p, *c.variant, c, o.workspace);
            return enqueue_wgmma<Shape, Element, A, B>(early(grid, c), scheduler, p, o, identity{}, stream, seats);
          }};
}

/// The same kernel in clusters whose blocks share a tile.
template <class Shape, class Element>
constexpr variant along_k_major(const char* name, double step_clocks, double tile_clocks, double launch_clocks) {
  variant v = make_wgmma_variant<Shape, Element, major::k, major::k>(name, step_clocks, 0, tile_clocks, launch_clocks);
  v.is_along_k = true;
  v.grid = [](int tiles, int parts) {
    return grid_of_wgmma<Shape, Element, major::k, major::k>(scheduler_along_k(tiles, parts), identity{});
  };
  v.enqueue = [](const problem& p, const choice& c, const heddle::launch_config& grid, const heddle::seats&,
                 const operands& o, cudaStream_t stream) {
    const auto scheduler = scheduler_along_k(p, *c.variant, c);
    return enqueue_wgmma<Shape, Element, major::k, major::k>(early(grid, c), scheduler, p, o, identity{}, stream);
  };
  return v;
}

/// A kernel whose workers, once they are done, take tiles of those that are late.
template <class Shape, class Element, major A, major B>
constexpr variant drawing(const char* name, variant v) {
  v.name = name, v.draws = true;
  v.grid = [](int workers, int) {
    return grid_of_wgmma<Shape, Element, A, B>(drawing_scheduler(workers, Shape::tiles_of_cluster), identity{});
  };
  v.enqueue = [](const problem& p, const choice& c, const heddle::launch_config& grid, const heddle::seats& seats,
                 const operands& o, cudaStream_t stream) {
    const auto scheduler = drawing_scheduler(p, *c.variant, c, o.workspace);
    return enqueue_wgmma<Shape, Element, A, B>(early(grid, c), scheduler, p, o, identity{}, stream, seats);
  };
  return v;
}

template <class Shape, class Element, class... Figures>
constexpr variant of_k_major(const char* name, Figures... figures) {
  return make_wgmma_variant<Shape, Element, major::k, major::k>(name, figures...);
}

/// Returns the kernels for one type of element.
template <class Element>
std::vector<const variant*> wgmma_variants(const problem& p) {
  using enum layout;
  const bool a_k = p.a == row_major, b_k = p.b == column_major;
  const auto in_any_layout = [&]<major A, major B>() {
    static constexpr variant wide = make_wgmma_variant<wgmma_shape<128, 256, 2, 1>, Element, A, B>(
        "wgmma 128x256, cluster 2x1", 1134, 0.038, 1729, 4038);
    static constexpr variant square = make_wgmma_variant<wgmma_shape<128, 128, 2, 1>, Element, A, B>(
        "wgmma 128x128, cluster 2x1", 591, 0.06, 996, 2999);
    static constexpr variant wide_drawn =
        drawing<wgmma_shape<128, 256, 2, 1>, Element, A, B>("wgmma 128x256 drawn, cluster 2x1", wide);
    static constexpr variant square_drawn =
        drawing<wgmma_shape<128, 128, 2, 1>, Element, A, B>("wgmma 128x128 drawn, cluster 2x1", square);
    return std::vector<const variant*>{&wide, &square, &wide_drawn, &square_drawn};
  };
  if (a_k && b_k) {
    static constexpr variant others[]{
        of_k_major<transposed_shape<256, 160, 1, 2>, Element>("wgmma 160x256, cluster 2x1", 1415, 0.028, 2889, 3316),
        of_k_major<wgmma_shape<192, 192, 1, 2>, Element>("wgmma 192x192, cluster 1x2", 1283, 0.03, 1728, 3968),
        of_k_major<wgmma_shape<128, 224, 2, 1>, Element>("wgmma 128x224, cluster 2x1", 992, 0.046, 2094, 2965),
        of_k_major<transposed_shape<128, 224, 2, 1>, Element>("wgmma 224x128, cluster 1x2", 992, 0.049, 2119, 3213),
        of_k_major<wgmma_shape<128, 192, 2, 1>, Element>("wgmma 128x192, cluster 2x1", 856, 0.047, 1090, 4599),
        of_k_major<wgmma_shape<128, 192, 2, 1, true>, Element>("wgmma 128x192 in turn, cluster 2x1", 857, 0.049, 752,
                                                               5610),
        of_k_major<wgmma_shape<128, 176, 2, 1, true>, Element>("wgmma 128x176 in turn, cluster 2x1", 792, 0.044, 527,
                                                               5892),
        of_k_major<transposed_shape<128, 192, 4, 1>, Element>("wgmma 192x128, cluster 1x4", 870, 0.036, 1704, 2118),
        of_k_major<wgmma_shape<192, 96, 1, 2>, Element>("wgmma 192x96, cluster 1x2", 667, 0.043, 1132, 3098),
        of_k_major<wgmma_shape<128, 96, 2, 1>, Element>("wgmma 128x96, cluster 2x1", 461, 0.138, 1156, 2588),
        of_k_major<wgmma_shape<128, 96, 2, 2>, Element>("wgmma 128x96, cluster 2x2", 447, 0.135, 1221, 2810),
        of_k_major<wgmma_shape<64, 128, 2, 1>, Element>("wgmma 64x128, cluster 2x1", 338, 0, 868, 1730),
        of_k_major<transposed_shape<64, 128, 2, 1>, Element>("wgmma 128x64, cluster 1x2", 327, 0, 1158, 1820),
        of_k_major<transposed_shape<256, 160, 1, 1>, Element>("wgmma 160x256", 1430, 0.028, 3050, 2760),
        of_k_major<wgmma_shape<256, 160, 1, 1>, Element>("wgmma 256x160", 1427, 0.029, 2796, 3104),
        of_k_major<wgmma_shape<192, 192, 1, 1>, Element>("wgmma 192x192", 1296, 0.03, 1693, 2919),
        of_k_major<wgmma_shape<128, 256, 1, 1>, Element>("wgmma 128x256", 1160, 0.021, 1521, 2779),
        of_k_major<wgmma_shape<192, 160, 1, 1>, Element>("wgmma 192x160", 1092, 0.026, 1703, 2417),
        of_k_major<transposed_shape<192, 160, 1, 1>, Element>("wgmma 160x192", 1093, 0.029, 1647, 2756),
        of_k_major<wgmma_shape<128, 224, 1, 1>, Element>("wgmma 128x224", 1008, 0.033, 2190, 2458),
        of_k_major<transposed_shape<128, 224, 1, 1>, Element>("wgmma 224x128", 1016, 0.033, 2305, 1761),
        of_k_major<wgmma_shape<128, 192, 1, 1>, Element>("wgmma 128x192", 878, 0.033, 1049, 2734),
        of_k_major<transposed_shape<128, 192, 1, 1>, Element>("wgmma 192x128", 879, 0.034, 1682, 2113),
        of_k_major<wgmma_shape<128, 176, 1, 1>, Element>("wgmma 128x176", 803, 0.027, 1593, 2468),
        of_k_major<transposed_shape<128, 160, 1, 1>, Element>("wgmma 160x128", 736, 0.037, 1706, 1964),
        of_k_major<wgmma_shape<128, 128, 1, 1>, Element>("wgmma 128x128", 591, 0.041, 946, 2037),
        of_k_major<wgmma_shape<192, 96, 1, 1>, Element>("wgmma 192x96", 688, 0.04, 1187, 2206),
        of_k_major<wgmma_shape<128, 96, 1, 1>, Element>("wgmma 128x96", 475, 0.193, 1007, 1857),
        of_k_major<wgmma_shape<64, 128, 1, 1>, Element>("wgmma 64x128", 270, 0, 935, 1679),
        of_k_major<transposed_shape<64, 96, 1, 1>, Element>("wgmma 96x64", 249, 0, 530, 2288),
        of_k_major<wgmma_shape<64, 64, 1, 1>, Element>("wgmma 64x64", 171, 0, 487, 1847),
        of_k_major<transposed_shape<64, 32, 1, 1>, Element>("wgmma 32x64", 221, 0, 993, 757),
        of_k_major<transposed_shape<64, 16, 1, 1>, Element>("wgmma 16x64", 246, 0, 638, 320),
        along_k_major<wgmma_shape<128, 192, 1, 1>, Element>("wgmma 128x192 along k", 851, 2411, 5281),
        along_k_major<wgmma_shape<128, 256, 1, 1>, Element>("wgmma 128x256 along k", 1123, 2189, 4330),
        along_k_major<wgmma_shape<128, 128, 1, 1>, Element>("wgmma 128x128 along k", 589, 2494, 5700),
        along_k_major<transposed_shape<128, 96, 1, 1>, Element>("wgmma 96x128 along k", 558, 2000, 3882),
        along_k_major<wgmma_shape<128, 96, 1, 1>, Element>("wgmma 128x96 along k", 567, 2052, 3970),
        along_k_major<wgmma_shape<64, 64, 1, 1>, Element>("wgmma 64x64 along k", 268, 1718, 1654),
    };
    auto all = in_any_layout.template operator()<major::k, major::k>();
    for (const variant& each : others) all.push_back(&each);
    return all;
  }
  if (a_k) return in_any_layout.template operator()<major::k, major::mn>();
  if (b_k) return in_any_layout.template operator()<major::mn, major::k>();
  return in_any_layout.template operator()<major::mn, major::mn>();
}

}  // namespace gemm
