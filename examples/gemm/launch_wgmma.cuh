#pragma once

#include "gemm_wgmma.cuh"
#include "tensor_map.cuh"
#include "variant.hpp"

namespace gemm {

/// Returns the tensor map of a matrix of 2-byte elements, contiguous along x, for copies of boxes. Rows of 128 or 64
/// bytes are swizzled.
template <class Element>
tensor_map make_tensor_map(const void* matrix, heddle::extent y_by_x, long long pitch, heddle::extent box) {
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(y_by_x.cols), static_cast<cuuint64_t>(y_by_x.rows)};
  const cuuint64_t bytes_to_next_row[] = {static_cast<cuuint64_t>(pitch) * 2};
  const cuuint32_t of_box[] = {static_cast<cuuint32_t>(box.cols), static_cast<cuuint32_t>(box.rows)};
  const auto swizzle = box.cols == 64   ? CU_TENSOR_MAP_SWIZZLE_128B
                       : box.cols == 32 ? CU_TENSOR_MAP_SWIZZLE_64B
                                        : CU_TENSOR_MAP_SWIZZLE_NONE;
  return encode_tensor_map<Element>(matrix, 2, extents, bytes_to_next_row, of_box, swizzle);
}

/// Enqueues a product with any scheduler over `clustered`, any epilogue and any gate of the rows of A, in a launch that
/// `grid_of_wgmma` made.
template <class Shape, class Element, major A, major B, class Scheduler, class Epilogue, class Gate = heddle::open_gate>
cudaError_t enqueue_wgmma(const heddle::launch_config& grid, const Scheduler& scheduler, const problem& p,
                          const operands& o, Epilogue epilogue, cudaStream_t stream, const heddle::seats& seats = {},
                          const Gate& gate = {}) {
  const heddle::extent a_extent = A == major::k ? heddle::extent{p.m, p.k} : heddle::extent{p.k, p.m};
  const heddle::extent b_extent = B == major::k ? heddle::extent{p.n, p.k} : heddle::extent{p.k, p.n};
  const heddle::extent a_box{A == major::k ? Shape::a_box : 64, 64}, b_box{B == major::k ? Shape::b_box : 64, 64};
  tensor_map a = make_tensor_map<Element>(o.a, a_extent, o.lda, Shape::transposed ? b_box : a_box);
  tensor_map b = make_tensor_map<Element>(o.b, b_extent, o.ldb, Shape::transposed ? a_box : b_box);
  if (Shape::transposed) std::swap(a, b);
  const tensor_map c = make_tensor_map<Element>(o.c, {p.m, p.n}, o.ldc, {16, Shape::c_box});
  for (const tensor_map& map : {a, b, c}) {
    if (map.error != cudaSuccess) return map.error;
  }
  float4* const sums = o.workspace == nullptr ? nullptr : sums_in(o.workspace);
  const wgmma_arguments<Epilogue, Gate> arguments{a.map,  b.map, c.map, p.m,   p.n,  p.k,      o.alpha,
                                                  o.beta, o.c,   o.ldc, seats, sums, epilogue, gate};
  const auto kernel = gemm_wgmma<Shape, Element, A, B, Scheduler, Epilogue, Gate>;
  // Kernels with seats are long: an early start gains nothing.
  if (seats) return heddle::launch(grid, stream, kernel, scheduler, arguments);
  return heddle::launch(grid.with(heddle::programmatic_launch()), stream, kernel, scheduler, arguments);
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
          Shape::tile_m == 64 ? 0.0 : 0.26,
          tile_clocks,
          Shape::in_turn ? 2310.0 : 0.0,
          launch_clocks,
          3750,
          [](int workers, int) {
            const auto scheduler = scheduler_of_clusters(workers, Shape::tiles_of_cluster);
            return grid_of_wgmma<Shape, Element, A, B>(scheduler, identity{});
          },
          [](const problem& p, const choice& c, const heddle::launch_config& grid, const heddle::seats& seats,
             const operands& o, cudaStream_t stream) {
            const auto scheduler = scheduler_of_clusters(p, *c.variant, c, o.workspace);
            return enqueue_wgmma<Shape, Element, A, B>(grid, scheduler, p, o, identity{}, stream, seats);
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
    return enqueue_wgmma<Shape, Element, major::k, major::k>(grid, scheduler, p, o, identity{}, stream);
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
    return enqueue_wgmma<Shape, Element, A, B>(grid, scheduler, p, o, identity{}, stream, seats);
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
        "wgmma 128x256, cluster 2x1", 1110, 0.023, 1970, 4160);
    static constexpr variant square = make_wgmma_variant<wgmma_shape<128, 128, 2, 1>, Element, A, B>(
        "wgmma 128x128, cluster 2x1", 585, 0.049, 990, 3100);
    static constexpr variant wide_drawn =
        drawing<wgmma_shape<128, 256, 2, 1>, Element, A, B>("wgmma 128x256 drawn, cluster 2x1", wide);
    static constexpr variant square_drawn =
        drawing<wgmma_shape<128, 128, 2, 1>, Element, A, B>("wgmma 128x128 drawn, cluster 2x1", square);
    return std::vector<const variant*>{&wide, &square, &wide_drawn, &square_drawn};
  };
  if (a_k && b_k) {
    static constexpr variant others[]{
        of_k_major<wgmma_shape<192, 192, 2, 1>, Element>("wgmma 192x192, cluster 2x1", 1260, 0.02, 2010, 4490),
        of_k_major<wgmma_shape<128, 192, 1, 2>, Element>("wgmma 128x192, cluster 1x2", 846, 0.029, 1590, 3490),
        of_k_major<wgmma_shape<128, 256, 1, 1>, Element>("wgmma 128x256", 1140, 0.011, 1880, 2470),
        of_k_major<wgmma_shape<128, 224, 2, 1>, Element>("wgmma 128x224, cluster 2x1", 972, 0.05, 2390, 2490),
        of_k_major<wgmma_shape<256, 160, 1, 2, false, true>, Element>("wgmma 160x256, cluster 2x1", 1380, 0.015, 3570,
                                                                      3500),
        of_k_major<wgmma_shape<256, 160, 1, 1, false, true>, Element>("wgmma 160x256", 1390, 0.03, 3130, 3040),
        of_k_major<wgmma_shape<128, 192, 2, 1, true>, Element>("wgmma 128x192 in turn, cluster 2x1", 823, 0.052, 729,
                                                               7970),
        of_k_major<wgmma_shape<128, 176, 2, 1, true>, Element>("wgmma 128x176 in turn, cluster 2x1", 773, 0.028, 618,
                                                               5500),
        of_k_major<wgmma_shape<128, 176, 1, 2, true>, Element>("wgmma 128x176 in turn, cluster 1x2", 781, 0.036, 578,
                                                               5400),
        of_k_major<wgmma_shape<128, 160, 2, 1, false, true>, Element>("wgmma 160x128, cluster 1x2", 704, 0.041, 1760,
                                                                      3010),
        of_k_major<wgmma_shape<128, 160, 1, 1, false, true>, Element>("wgmma 160x128", 720, 0.03, 2110, 1600),
        of_k_major<wgmma_shape<128, 128, 1, 1>, Element>("wgmma 128x128", 590, 0.023, 990, 2090),
        of_k_major<wgmma_shape<128, 96, 2, 1>, Element>("wgmma 128x96, cluster 2x1", 477, 0.15, 917, 4260),
        of_k_major<wgmma_shape<128, 96, 1, 1>, Element>("wgmma 128x96", 473, 0.2, 939, 1200),
        of_k_major<wgmma_shape<64, 192, 1, 1>, Element>("wgmma 64x192", 472, 0, 940, 2210),
        of_k_major<wgmma_shape<64, 192, 1, 1, false, true>, Element>("wgmma 192x64", 560, 0, 1050, 1500),
        of_k_major<wgmma_shape<64, 128, 2, 1>, Element>("wgmma 64x128, cluster 2x1", 388, 0, 689, 1500),
        of_k_major<wgmma_shape<64, 128, 2, 1, false, true>, Element>("wgmma 128x64, cluster 1x2", 420, 0, 1060, 1800),
        of_k_major<wgmma_shape<64, 128, 1, 1>, Element>("wgmma 64x128", 300, 0, 689, 981),
        of_k_major<wgmma_shape<64, 64, 1, 1>, Element>("wgmma 64x64", 177, 0, 657, 2290),
        of_k_major<wgmma_shape<64, 32, 1, 1, false, true>, Element>("wgmma 32x64", 237, 0, 1790, 850),
        of_k_major<wgmma_shape<64, 16, 1, 1>, Element>("wgmma 16x64", 204, 0, 1550, 310),
        along_k_major<wgmma_shape<128, 128, 1, 1>, Element>("wgmma 128x128 along k", 660, 2170, 4260),
        along_k_major<wgmma_shape<64, 64, 1, 1>, Element>("wgmma 64x64 along k", 177, 3170, 1900),
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
