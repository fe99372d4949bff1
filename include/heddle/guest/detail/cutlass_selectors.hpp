#pragma once

#include <cutlass/gemm/kernel/tile_scheduler.hpp>

#include <heddle/guest/detail/cutlass_dealer.hpp>
#include <heddle/guest/detail/cutlass_drawer.hpp>

// CUTLASS finds the schedulers of the tags here.

namespace heddle { inline namespace HEDDLE_ABI { namespace guest {

struct dealt;
struct drawn;

}}}  // namespace heddle::HEDDLE_ABI::guest

template <class Arch, class Tile, class Cluster, uint32_t Stages, class Problem>
struct cutlass::gemm::kernel::detail::TileSchedulerSelector<heddle::guest::dealt, Arch, Tile, Cluster, Stages,
                                                            Problem> {
  using Scheduler = heddle::detail::guest::on_sm_90<Arch, heddle::detail::guest::dealer<Cluster>>;
};

template <class Arch, class Tile, class Cluster, uint32_t Stages, class Problem>
struct cutlass::gemm::kernel::detail::TileSchedulerSelector<heddle::guest::drawn, Arch, Tile, Cluster, Stages,
                                                            Problem> {
  using Scheduler = heddle::detail::guest::on_sm_90<Arch, heddle::detail::guest::drawer<Cluster>>;
};
