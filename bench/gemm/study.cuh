#pragma once

#include <type_traits>

#include <heddle/schedule.hpp>

#include "gemm/launch_mma.cuh"
#include "gemm/launch_wgmma.cuh"
#include "study.hpp"

namespace gemm_study {

/// The kernel for Hopper, over clusters of any shape.
template <class Shape>
struct on_hopper {
  static constexpr heddle::extent tile{Shape::tile_m, Shape::tile_n}, cluster{Shape::cluster_m, Shape::cluster_n};

  static auto order_of(const gemm::problem& p, const bands_or_table& order) {
    return heddle::clustered{order, cluster, heddle::ceil_div(heddle::extent{p.m, p.n}, tile)};
  }
  template <class Scheduler>
  static heddle::launch_config grid(const Scheduler& scheduler) {
    return gemm::grid_of_wgmma<Shape, __nv_bfloat16, gemm::major::k, gemm::major::k>(scheduler, gemm::identity{});
  }
  template <class Scheduler>
  static cudaError_t enqueue(const heddle::launch_config& grid, const Scheduler& scheduler, const product& p) {
    return gemm::enqueue_wgmma<Shape, __nv_bfloat16, gemm::major::k, gemm::major::k>(
        grid.with(heddle::programmatic_launch()), scheduler, p.problem, p.operands, gemm::identity{}, nullptr);
  }
};

/// The portable kernel, without clusters.
struct on_any {
  static constexpr heddle::extent tile{gemm::mma_shape::tile_m, gemm::mma_shape::tile_n}, cluster{1, 1};

  static auto order_of(const gemm::problem&, const bands_or_table& order) { return order; }
  template <class Scheduler>
  static heddle::launch_config grid(const Scheduler& scheduler) {
    return gemm::grid_of_mma<__nv_bfloat16, gemm::major::k, gemm::major::k>(scheduler, gemm::identity{});
  }
  template <class Scheduler>
  static cudaError_t enqueue(const heddle::launch_config& grid, const Scheduler& scheduler, const product& p) {
    return gemm::enqueue_mma<__nv_bfloat16, gemm::major::k, gemm::major::k>(grid, scheduler, p.problem, p.operands,
                                                                            gemm::identity{}, nullptr);
  }
};

template <class Machine, class Scheduler>
std::function<cudaError_t()> launch_of(const Scheduler& scheduler, const product& p) {
  return [=, grid = Machine::grid(scheduler)] { return Machine::enqueue(grid, scheduler, p); };
}

template <class Machine, heddle::predict::schedule_kind... Schedules>
kernel make_kernel(const char* name, bool also_by_table = false) {
  using heddle::predict::schedule_kind;
  return {name,
          Machine::tile,
          Machine::cluster,
          {Schedules...},
          also_by_table,
          [](const gemm::problem& p) {
            const heddle::extent tiles = heddle::ceil_div(heddle::extent{p.m, p.n}, Machine::tile);
            const bands_or_table order(heddle::cta_swizzle{heddle::ceil_div(tiles, Machine::cluster), 1});
            const heddle::launch_config grid = Machine::grid(heddle::strided{Machine::order_of(p, order)});
            return grid.error == cudaSuccess ? static_cast<int>(grid.config.gridDim.x) / Machine::cluster.size() : 0;
          },
          [](const product& p, const bands_or_table& order, schedule_kind schedule) {
            const auto placed = Machine::order_of(p.problem, order);
            std::function<cudaError_t()> launch;
            const auto consider = [&]<schedule_kind Kind>() {
              if (Kind != schedule) return;
              if constexpr (Kind == schedule_kind::one_shot) {
                launch = launch_of<Machine>(heddle::one_shot{placed}, p);
              } else if constexpr (Kind == schedule_kind::strided) {
                launch = launch_of<Machine>(heddle::strided{placed}, p);
              } else {
                launch = launch_of<Machine>(heddle::ticket{placed, p.ticket_state}, p);
              }
            };
            (consider.template operator()<Schedules>(), ...);
            return launch;
          }};
}

}  // namespace gemm_study
