#pragma once

#include "gemm_wgmma.cuh"
#include "hopper/kernel.cuh"
#include "hopper/tensor_map.cuh"
#include "variant.hpp"

namespace gemm {

/// The product on Hopper as a value, for any scheduler over `clustered`, any epilogue, and any gates of the rows of A
/// and of those of C that it adds to.
///
///   const gemm::on_hopper<gemm::wgmma_shape<128, 256, 2, 1>, __nv_bfloat16> by;
///   const auto grid = by.grid(scheduler);   // once
///   … by.launch(grid, scheduler, problem, operands, stream) …
template <class Shape, class Element, major A = major::k, major B = major::k, class Epilogue = identity,
          class Gate = heddle::open_gate>
struct on_hopper {
  static constexpr heddle::extent tile = Shape::tile, cluster = Shape::tiles_of_cluster;
  static constexpr int tile_k = Shape::tile_k, blocks_per_multiprocessor = 1, sums = Shape::rows64 * Shape::tile_n / 2;
  static constexpr bool stores_in_turns = Shape::c_boxes == 2 && Shape::c_box == 64;

  Epilogue epilogue{};
  Gate gate_of_a{}, gate_of_c{};

  /// Returns the launch of a scheduler over clusters of tiles. It may be programmatic, if the launch before it does not
  /// write what the order reads.
  template <class Scheduler>
  heddle::launch_config grid(const Scheduler& scheduler) const {
    return kernel<Scheduler>().grid(scheduler);
  }

  /// Enqueues a product in a launch that `grid` made.
  template <class Scheduler>
  [[nodiscard]] cudaError_t launch(const heddle::launch_config& grid, const Scheduler& scheduler, const problem& p,
                                   const operands& o, cudaStream_t stream, const heddle::seats& seats = {}) const {
    std::pair<hopper::operand_maps, cudaError_t> a, b;
    if constexpr (Shape::transposed) {
      a = hopper::make_operand_maps<Element, B, Shape::tile_m, Shape::cluster_n>(o.b, p.n, p.k, o.ldb);
      b = hopper::make_operand_maps<Element, A, Shape::tile_n, Shape::cluster_m>(o.a, p.m, p.k, o.lda);
    } else {
      a = hopper::make_operand_maps<Element, A, Shape::tile_m, Shape::cluster_n>(o.a, p.m, p.k, o.lda);
      b = hopper::make_operand_maps<Element, B, Shape::tile_n, Shape::cluster_m>(o.b, p.n, p.k, o.ldb);
    }
    const auto map_of = [&](const void* c, int rows) {
      return hopper::make_tensor_map<Element>(c, {rows, p.n, o.ldc}, {16, Shape::c_box});
    };
    int rows_of_c = p.m;
    Gate of_c = gate_of_c;
    cudaError_t error_of_added = cudaSuccess;
    if constexpr (has_shards<Gate>) {
      rows_of_c = of_c.rows;
      const auto added = map_of(of_c.added(), of_c.others() * of_c.rows);
      of_c.map = added.map, error_of_added = added.error;
    }
    const auto c = map_of(o.c, rows_of_c);
    for (const cudaError_t error : {a.second, b.second, c.error, error_of_added}) {
      if (error != cudaSuccess) return error;
    }
    float4* const sums = o.workspace == nullptr ? nullptr : sums_in(o.workspace);
    return kernel<Scheduler>().launch(grid, stream, scheduler,
                                      {a.first, b.first, c.map, rows_of_c, p.n, p.k, o.alpha, o.beta, o.c, o.ldc, seats,
                                       sums, epilogue, gate_of_a, of_c});
  }

  /// Returns the kernel for a type of scheduler.
  template <class Scheduler>
  static constexpr auto kernel() {
    return hopper::kernel{gemm_wgmma<Shape, Element, A, B, Scheduler, Epilogue, Gate>, Shape::threads,
                          sizeof(wgmma_smem<Shape, Scheduler>)};
  }
};

}  // namespace gemm
