#pragma once

#include <cutlass/gemm/kernel/sm90_tile_scheduler.hpp>
#include <new>
#include <type_traits>
#include <utility>

#include <heddle/guest/cutlass_launch.hpp>
#include <heddle/order/batched.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::guest {

/// Refuses kernels for another architecture. Those for sm_100 have another contract, and cancel launches by hardware.
template <class Arch, class Scheduler>
struct only_on_sm_90 {
  static_assert(Arch::kMinComputeCapability == 90, "heddle::guest: dealt and drawn are for kernels for sm_90");
  using type = Scheduler;
};
template <class Arch, class Scheduler>
using on_sm_90 = typename only_on_sm_90<Arch, Scheduler>::type;

using whole_tiles = cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90;

/// Room for a value that is built later, or never. It is not destroyed.
template <class Value>
union later {
  char none;
  Value value;
  CUTLASS_HOST_DEVICE later() : none(0) {}
  CUTLASS_HOST_DEVICE ~later() requires(!std::is_trivially_destructible_v<Value>) {}
  ~later() requires std::is_trivially_destructible_v<Value>
  = default;
};

/// What CUTLASS asks of a scheduler, but for the tiles. `Scheduler` is a template over the order.
template <class Cluster, template <class> class Scheduler>
struct cutlass_tiles : whole_tiles {
  static constexpr int rows = cute::size<0>(Cluster{}), cols = cute::size<1>(Cluster{});
  static constexpr bool draws = requires { Scheduler<row_major>::state_bytes(); };

  /// Returns the order of the clusters of a launch, over its blocks in whole clusters.
  static auto order_of(const heddle::guest::cutlass_launch& by, dim3 blocks) {
    const extent tiles{static_cast<int>(blocks.x), static_cast<int>(blocks.y)}, cluster{rows, cols};
    const extent clusters = ceil_div(tiles, cluster);
    const recipe launch = by.launch.value_or(heddle::guest::usual_order(clusters));
    const batched order{any_order{launch, clusters, by.table}, blocks.z, launch.interleave};
    if constexpr (rows * cols == 1) {
      return order;
    } else {
      return clustered{order, cluster, batch{blocks.z, tiles}};
    }
  }

  using scheduler = Scheduler<decltype(order_of({}, {}))>;
  using storage = typename scheduler::storage;
  using Arguments = heddle::guest::cutlass_launch;

  struct Params {
    later<scheduler> tiles;  // not built without a state
    dim3 blocks{};
    bool is_late = false;
    RasterOrder raster_order_ = RasterOrder::AlongN;  // CUTLASS reads it
  };

  template <class... More>
  static bool can_implement(const Arguments& by, const More&...) {
    const char* const reason = by.refusal({rows, cols}, draws);
    if (reason != nullptr) {
      CUTLASS_TRACE_HOST("  CAN IMPLEMENT: " << reason << "\n");
    }
    return reason == nullptr;
  }

  template <class Problem, class Tile, class... More>
  static Params to_underlying_arguments(Problem problem, Tile tile, Cluster cluster, const cutlass::KernelHardwareInfo&,
                                        const Arguments& by, [[maybe_unused]] void* state = nullptr, More...) {
    Params params;
    params.blocks = whole_tiles::get_tiled_cta_shape_mnl(problem, tile, cluster);
    params.is_late = by.launch && by.launch->schedule == recipe::late_ticket;
    if constexpr (!draws) {
      new (&params.tiles.value) scheduler(order_of(by, params.blocks));
    } else if (state != nullptr) {
      new (&params.tiles.value) scheduler(order_of(by, params.blocks), state);
    }
    return params;
  }

  /// As many clusters as CUTLASS launches, in one row, and one for an empty product.
  template <class Problem, class Tile>
  static dim3 get_grid_shape(const Params& params, Problem, Tile, Cluster, cutlass::KernelHardwareInfo hardware,
                             Arguments = {}, bool = true) {
    const dim3 all =
        whole_tiles::Params::get_grid_shape(params.blocks, {rows, cols, 1}, hardware, 1, RasterOrderOptions::AlongN);
    const unsigned blocks = all.x * all.y * all.z, least = rows * cols;
    return {(blocks > least ? blocks : least) / cols, cols, 1};
  }

  template <class, class>
  static size_t get_workspace_size(const auto&...) {
    if constexpr (draws) return scheduler::state_bytes();
    return 0;
  }

  template <class, class>
  static cutlass::Status initialize_workspace(const Arguments&, [[maybe_unused]] void* state,
                                              [[maybe_unused]] cudaStream_t stream, const auto&...) {
    if constexpr (draws) {
      if (state == nullptr) return cutlass::Status::kErrorWorkspaceNull;
      const cudaError_t error = cudaMemsetAsync(state, 0, scheduler::state_bytes(), stream);
      if (error != cudaSuccess) return cutlass::Status::kErrorInternal;
    }
    return cutlass::Status::kSuccess;
  }

  // CUTLASS's own take its own parameters.
  CUTLASS_HOST_DEVICE static bool compute_epilogue(const auto&...) { return true; }
  CUTLASS_DEVICE static bool requires_separate_reduction(const auto&) { return false; }
  CUTLASS_DEVICE static void fixup(const auto&, const auto&, auto&, uint32_t, uint32_t) {}

  /// Returns the tile of this block, by the index of its cluster.
  CUTLASS_DEVICE static whole_tiles::WorkTileInfo tile(const Params& params, unsigned index) {
    const auto& order = params.tiles.value.order();
    if (index >= static_cast<unsigned>(order.size())) return whole_tiles::WorkTileInfo::invalid_work_tile();
    const auto [plane, row, col] = order(static_cast<int>(index));
    if constexpr (rows * cols == 1) return {row, col, plane, true};
    const dim3 block = cute::block_id_in_cluster();
    return {row * rows + static_cast<int>(block.x), col * cols + static_cast<int>(block.y), plane, true};
  }
};

}}}  // namespace heddle::HEDDLE_ABI::detail::guest
