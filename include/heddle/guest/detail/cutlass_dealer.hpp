#pragma once

#include <heddle/guest/detail/cutlass_tiles.hpp>
#include <heddle/schedule/strided.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::guest {

/// The scheduler of `dealt`: each thread computes the tiles of its block by itself.
template <class Cluster>
class dealer : public cutlass_tiles<of_planes, Cluster, strided> {
  using base = cutlass_tiles<of_planes, Cluster, strided>;
  using scheduler = typename base::scheduler;
  using storage = typename base::storage;
  using cursor = decltype(std::declval<const scheduler&>().tiles(std::declval<storage&>()));

 public:
  using Params = typename base::Params;
  using WorkTileInfo = typename base::WorkTileInfo;

  CUTLASS_DEVICE explicit dealer(const Params& params) : params_(&params), at_(params.tiles.value.tiles(none_)) {}

  CUTLASS_DEVICE WorkTileInfo get_current_work() const {
    return base::tile(*params_, static_cast<unsigned>(at_.index()));
  }
  CUTLASS_DEVICE WorkTileInfo initial_work_tile_info(Cluster) const { return get_current_work(); }
  CUTLASS_DEVICE void advance_to_next_work(uint32_t count = 1) {
    for (; count > 0 && at_; --count) ++at_;
  }
  CUTLASS_DEVICE auto fetch_next_work(WorkTileInfo, auto&&...) {
    advance_to_next_work();
    return cute::make_tuple(get_current_work(), true);
  }

  /// Returns whether the block has no tile `count` tiles later, so that the next launch may start.
  CUTLASS_DEVICE bool is_last_tile(const WorkTileInfo&, uint32_t count = 1) const {
    const unsigned next = static_cast<unsigned>(at_.index()) + count * cute::cluster_grid_dims().x;
    return next >= static_cast<unsigned>(params_->tiles.value.order().size());
  }

 private:
  const Params* params_;
  storage none_;
  cursor at_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::guest
