#pragma once

#include <type_traits>

#include <heddle/recipe/with.hpp>

#include "gemm/on_any.cuh"
#include "gemm/on_hopper.cuh"
#include "study.hpp"

namespace gemm_study {

template <class Shape>
using on_hopper = gemm::on_hopper<Shape, __nv_bfloat16>;
using on_any = gemm::on_any<__nv_bfloat16>;

/// Returns an order of clusters for the kernel for Hopper, or of tiles for the portable one.
template <class Product>
auto order_for(const gemm::problem& p, const heddle::any_order<>& order) {
  if constexpr (std::is_same_v<Product, on_any>) {
    return order;
  } else {
    constexpr heddle::extent tile = Product::tile, cluster = Product::cluster;
    return heddle::clustered{order, cluster, heddle::ceil_div(p.m, p.n, tile)};
  }
}

template <class Product, class Scheduler>
std::function<cudaError_t()> launch_of(const Scheduler& scheduler, const product& p) {
  heddle::launch_config grid = Product{}.grid(scheduler);
  if constexpr (!std::is_same_v<Product, on_any>) grid = grid.with(heddle::programmatic_launch());
  return [=] { return Product{}.launch(grid, scheduler, p.problem, p.operands, nullptr); };
}

template <class Product, heddle::recipe::schedule_kind... Schedules>
kernel make_kernel(const char* name, bool also_by_table = false) {
  return {name,
          Product::tile,
          Product::cluster,
          {Schedules...},
          also_by_table,
          [](const gemm::problem& p) {
            const heddle::extent tiles = heddle::ceil_div(p.m, p.n, Product::tile);
            const heddle::any_order order{{}, heddle::ceil_div(tiles, Product::cluster)};
            const heddle::launch_config grid = Product{}.grid(heddle::strided{order_for<Product>(p, order)});
            return grid.error == cudaSuccess ? static_cast<int>(grid.config.gridDim.x) / Product::cluster.size() : 0;
          },
          [](const product& p, const heddle::any_order<>& order, const heddle::recipe& by) {
            return heddle::with_recipe<heddle::recipe::schedules<Schedules...>>(
                by, order_for<Product>(p.problem, order), p.ticket_state,
                [&](const auto& scheduler) { return launch_of<Product>(scheduler, p); });
          }};
}

}  // namespace gemm_study
