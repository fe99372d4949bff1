#pragma once

#include <cutlass/gemm/kernel/tile_scheduler.hpp>

#include <heddle/guest/detail/cutlass_dealer.hpp>
#include <heddle/guest/detail/cutlass_drawer.hpp>
#include <heddle/guest/detail/cutlass_group_tiles.hpp>

// CUTLASS finds the schedulers of the tags here.

namespace heddle { inline namespace HEDDLE_ABI { namespace guest {

struct dealt;
struct drawn;

}}}  // namespace heddle::HEDDLE_ABI::guest

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::guest {

template <class Tag>
concept tag = std::is_same_v<Tag, heddle::guest::dealt> || std::is_same_v<Tag, heddle::guest::drawn>;

/// sm_90, with a tag.
template <tag Tag>
struct sm_90_by : cutlass::arch::Sm90 {};

/// Returns the scheduler of a tag: over groups, or over planes if `Groups` is void.
template <tag Tag, class Cluster, int Stages, class Groups>
constexpr auto scheduler_of() {
  constexpr bool draws = std::is_same_v<Tag, heddle::guest::drawn>;
  if constexpr (std::is_void_v<Groups>) {
    return std::type_identity<std::conditional_t<draws, drawer<Cluster>, dealer<Cluster>>>();
  } else if constexpr (draws) {
    return std::type_identity<group_tiles<Groups, 1, Cluster, numbered_ticket>>();  // not many tiles ahead
  } else {
    return std::type_identity<group_tiles<Groups, Stages, Cluster, strided>>();
  }
}

/// Refuses kernels that are not for sm_90. Those for sm_100 have another contract, and cancel launches by hardware.
template <class Own>
struct refused : Own {
  struct Arguments : Own::Arguments {
    std::optional<recipe> launch{};
    const tile_table::entry* table = nullptr;
  };

  static bool can_implement(const auto&...) {
    CUTLASS_TRACE_HOST("  CAN IMPLEMENT: heddle::guest: dealt and drawn are for kernels for sm_90\n");
    return false;
  }
};

}}}  // namespace heddle::HEDDLE_ABI::detail::guest

template <heddle::detail::guest::tag Tag, class Arch, class Tile, class Cluster, uint32_t Stages, class Groups>
struct cutlass::gemm::kernel::detail::TileSchedulerSelector<Tag, Arch, Tile, Cluster, Stages, Groups> {
  using Scheduler = heddle::detail::guest::refused<
      typename TileSchedulerSelector<PersistentScheduler, Arch, Tile, Cluster, Stages>::Scheduler>;
};

template <heddle::detail::guest::tag Tag, class Tile, class Cluster, uint32_t Stages, class Groups>
struct cutlass::gemm::kernel::detail::TileSchedulerSelector<Tag, cutlass::arch::Sm90, Tile, Cluster, Stages, Groups> {
  using Scheduler = typename decltype(heddle::detail::guest::scheduler_of<Tag, Cluster, Stages, Groups>())::type;
};

// Where CUTLASS takes no tag but its own, the mainloop's architecture carries it.

template <class Tag, class Tile, class Cluster, uint32_t Stages, class Groups>
struct cutlass::gemm::kernel::detail::TileSchedulerSelector<
    cutlass::gemm::GroupScheduler, heddle::detail::guest::sm_90_by<Tag>, Tile, Cluster, Stages, Groups>
    : TileSchedulerSelector<Tag, cutlass::arch::Sm90, Tile, Cluster, Stages, Groups> {};

template <class Tag, class Tile, class Cluster, uint32_t Stages>
struct cutlass::gemm::kernel::detail::TileSchedulerSelector<void, heddle::detail::guest::sm_90_by<Tag>, Tile, Cluster,
                                                            Stages, void>
    : TileSchedulerSelector<Tag, cutlass::arch::Sm90, Tile, Cluster, Stages, void> {};
