#pragma once

#include <cutlass/gemm/kernel/sm90_tile_scheduler.hpp>
#include <cutlass/pipeline/pipeline.hpp>

#include <cutlass/gemm/kernel/sm90_tile_scheduler_group.hpp>
#include <new>
#include <type_traits>
#include <utility>

#include <heddle/guest/cutlass_launch.hpp>
#include <heddle/order/batched.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::guest {

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

using whole_tiles = cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90;

/// Returns an order of clusters as one whose workers are clusters, unless a block is one.
template <int Rows, int Cols, class Order, class Tiles>
auto in_clusters(const Order& clusters, const Tiles& tiles) {
  if constexpr (Rows * Cols == 1) {
    return clusters;
  } else {
    return clustered{clusters, {Rows, Cols}, tiles};
  }
}

/// A product, or a batch: planes of one grid of clusters.
struct of_planes : whole_tiles {
  using Arguments = heddle::guest::cutlass_launch;

  template <class Problem, class Tile, class Cluster>
  static dim3 blocks(const Arguments&, const Problem& problem, Tile tile, Cluster cluster) {
    return get_tiled_cta_shape_mnl(problem, tile, cluster);
  }

  template <int Rows, int Cols>
  static auto order(const Arguments& by, dim3 blocks) {
    const extent tiles{static_cast<int>(blocks.x), static_cast<int>(blocks.y)};
    const extent clusters = ceil_div(tiles, extent{Rows, Cols});
    const recipe launch = by.launch.value_or(heddle::guest::usual_order(clusters));
    return in_clusters<Rows, Cols>(batched{any_order{launch, clusters, by.table}, blocks.z, launch.interleave},
                                   batch{blocks.z, tiles});
  }

  static bool is_late(const Arguments& by) { return by.launch && by.launch->schedule == recipe::late_ticket; }
};

/// Groups of rows, of sizes that the order's preparation has found.
template <class Groups, int Stages>
struct of_groups : cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90Group<Groups, Stages> {
  using Arguments = heddle::guest::cutlass_groups;

  template <class Problem, class Tile, class Cluster>
  static dim3 blocks(const Arguments& by, const Problem& problem, Tile, Cluster) {
    if (!by.order) refuse(by.refusal({1, 1}, true), "");
    const grouped& clusters = *by.order;
    constexpr int rows = cute::size<0>(Cluster{}), cols = cute::size<1>(Cluster{});
    require_equal(problem.groups(), "heddle::guest: groups of the order", clusters.space().count());
    for (int group = 0; problem.is_host_problem_shape_available() && group < problem.groups(); ++group) {
      const int n = cute::size<1>(problem.get_host_problem_shape(group));
      require_equal(ceil_div(1, n, {1, cols * cute::size<1>(Tile{})}).cols, "heddle::guest: columns of the order",
                    clusters.space().cols());
    }
    return dim3(clusters.most_tiles() * rows, cols);
  }

  // The blocks of a cluster may lie in two rows: it is counted by its size, and a group may end within it.
  template <int Rows, int Cols>
  static auto order(const Arguments& by, dim3) {
    const groups& clusters = by.order->space();
    return in_clusters<1, Rows * Cols>(*by.order, clusters.with_cols(1LL * clusters.cols() * Rows * Cols));
  }

  static bool is_late(const Arguments&) { return false; }
};

/// What CUTLASS asks of a scheduler, but for the tiles. `Scheduler` is a template over the order.
template <class Form, class Cluster, template <class> class Scheduler>
struct cutlass_tiles : Form {
  static constexpr int rows = cute::size<0>(Cluster{}), cols = cute::size<1>(Cluster{});
  static constexpr bool draws = requires { Scheduler<row_major>::state_bytes(); };

  using scheduler = Scheduler<decltype(Form::template order<rows, cols>({}, {}))>;
  using storage = typename scheduler::storage;
  using WorkTileInfo = typename Form::WorkTileInfo;
  using Arguments = typename Form::Arguments;

  struct Params {
    later<scheduler> tiles;  // not built without a state
    dim3 blocks{};
    bool is_late = false;
    typename Form::RasterOrder raster_order_ = Form::RasterOrder::AlongN;  // CUTLASS reads it
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
  static Params to_underlying_arguments(const Problem& problem, Tile tile, Cluster cluster,
                                        const cutlass::KernelHardwareInfo&, const Arguments& by,
                                        [[maybe_unused]] void* state = nullptr, More...) {
    Params params;
    params.blocks = Form::blocks(by, problem, tile, cluster);
    params.is_late = Form::is_late(by);
    if constexpr (!draws) {
      new (&params.tiles.value) scheduler(Form::template order<rows, cols>(by, params.blocks));
    } else if (state != nullptr) {
      new (&params.tiles.value) scheduler(Form::template order<rows, cols>(by, params.blocks), state);
    }
    return params;
  }

  /// As many clusters as CUTLASS launches, in one row, and one for an empty product.
  template <class Problem, class Tile>
  static dim3 get_grid_shape(const Params& params, const Problem&, Tile, Cluster, cutlass::KernelHardwareInfo hardware,
                             const Arguments& = {}, bool = true) {
    const dim3 all = whole_tiles::Params::get_grid_shape(params.blocks, {rows, cols, 1}, hardware, 1,
                                                         whole_tiles::RasterOrderOptions::AlongN);
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
  CUTLASS_DEVICE static WorkTileInfo tile(const Params& params, unsigned index) {
    const auto& order = params.tiles.value.order();
    if (index >= static_cast<unsigned>(order.size())) return WorkTileInfo::invalid_work_tile();
    const auto [plane, row, col] = order(static_cast<int>(index));
    if constexpr (rows * cols == 1) return {row, col, plane, true};
    const dim3 block = cute::block_id_in_cluster();
    return {row * rows + static_cast<int>(block.x), col * cols + static_cast<int>(block.y), plane, true};
  }
};

}}}  // namespace heddle::HEDDLE_ABI::detail::guest
