#pragma once

#include <heddle/guest/detail/cutlass_tiles.hpp>
#include <heddle/schedule/strided.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::guest {

/// The scheduler of `dealt`: each thread computes the tiles of its block by itself.
template <class Cluster>
class dealer : public cutlass_tiles<of_planes, Cluster, strided> {
  using base = cutlass_tiles<of_planes, Cluster, strided>;
  using machine = gpu<(base::rows * base::cols > 1)>;

 public:
  using Params = typename base::Params;
  using WorkTileInfo = typename base::WorkTileInfo;

  CUTLASS_DEVICE explicit dealer(const Params& params) : params_(&params), index_(machine::worker()) {}

  CUTLASS_DEVICE WorkTileInfo get_current_work() const { return base::tile(*params_, index_); }
  CUTLASS_DEVICE WorkTileInfo initial_work_tile_info(Cluster) const { return get_current_work(); }
  CUTLASS_DEVICE void advance_to_next_work(uint32_t count = 1) { index_ += count * machine::workers(); }
  CUTLASS_DEVICE auto fetch_next_work(WorkTileInfo, auto&&...) {
    advance_to_next_work();
    return cute::make_tuple(get_current_work(), true);
  }

  /// Returns whether the block has no tile `count` tiles later, so that the next launch may start.
  CUTLASS_DEVICE bool is_last_tile(const WorkTileInfo&, uint32_t count = 1) const {
    return !base::tile(*params_, index_ + count * machine::workers()).is_valid();
  }

 private:
  const Params* params_;
  unsigned index_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::guest
