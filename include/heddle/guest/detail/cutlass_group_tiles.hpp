#pragma once

#include <heddle/guest/detail/cutlass_tiles.hpp>
#include <heddle/schedule/numbered_ticket.hpp>
#include <heddle/schedule/strided.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::guest {

/// The scheduler of grouped kernels. All warps compute the first tile, that of the cluster's number; CUTLASS's
/// scheduler warp then goes on, and tells the others through CUTLASS's pipeline. Blocks of a cluster draw as one.
template <class Groups, int Stages, class Cluster, template <class> class Scheduler>
class group_tiles : public cutlass_tiles<of_groups<Groups, Stages>, Cluster, Scheduler> {
  using base = cutlass_tiles<of_groups<Groups, Stages>, Cluster, Scheduler>;
  using scheduler = typename base::scheduler;
  using storage = typename base::storage;
  using cursor = decltype(std::declval<const scheduler&>().lead(std::declval<storage&>()));
  using machine = gpu<(base::rows * base::cols > 1)>;

 public:
  using Params = typename base::Params;
  using WorkTileInfo = typename base::WorkTileInfo;

  struct PipelineStorage {
    typename base::PipelineStorage told;
    alignas(16) storage tiles;
  };

  struct Pipeline : base::Pipeline {
    storage* tiles;
    CUTLASS_DEVICE Pipeline(PipelineStorage& shared, const typename base::Pipeline::Params& params)
        : base::Pipeline(shared.told, params), tiles(&shared.tiles) {
      if (threadIdx.x != 0) return;
      scheduler::start(shared.tiles, 0);
      __threadfence_block();  // CUTLASS arrives at the barrier of the cluster without a release
    }
  };

  CUTLASS_DEVICE group_tiles(const Params& params, WorkTileInfo* told) : params_(&params) {
    this->response_ptr_ = told;
  }

  CUTLASS_DEVICE WorkTileInfo initial_work_tile_info(Cluster) const {
    const WorkTileInfo first = base::tile(*params_, machine::worker());
    if constexpr (base::draws) {  // a cluster without a tile ends here, and has to enter the launch
      if (!first.is_valid() && machine::rank() == 0 && threadIdx.x == 0) {
        typename scheduler::template draws<machine>(params_->tiles.value, {}, *this).first();
      }
    }
    return first;
  }

  template <class State>
  CUTLASS_DEVICE auto advance_to_next_work(Pipeline& pipeline, State state, uint32_t = 1) {
    pipeline.producer_acquire(state);
    int index = 0;
    if (cutlass::canonical_lane_idx() == 0) {
      if (!is_begun_) new (&at_.value) cursor(params_->tiles.value.lead(*pipeline.tiles));
      is_begun_ = true;
      index = (++at_.value).index();
    }
    const WorkTileInfo tile = base::tile(*params_, static_cast<unsigned>(__shfl_sync(0xffffffffu, index, 0)));
    if (cute::elect_one_sync()) {
      static_cast<WorkTileInfo*>(static_cast<void*>(this->response_ptr_))[state.index()] = tile;  // void* in newer ones
      cutlass::arch::fence_view_async_shared();
      pipeline.producer_commit(state);
    }
    return cute::make_tuple(tile, true);
  }

 private:
  const Params* params_;
  bool is_begun_ = false;
  later<cursor> at_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::guest
