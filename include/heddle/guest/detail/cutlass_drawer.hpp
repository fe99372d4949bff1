#pragma once

#include <heddle/guest/detail/cutlass_tiles.hpp>
#include <heddle/launch/programmatic.hpp>
#include <heddle/schedule/ticket.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::guest {

/// The scheduler of `drawn`: one lane of CUTLASS's scheduler warp leads, one of each other warp that has work follows.
///
/// A warp fetches its first tile where it first asks whether that is valid. Pingpong kernels take the first tile before
/// the barrier of the cluster, when none can be told yet, and warps without work take it, too.
template <class Cluster>
class drawer : public cutlass_tiles<of_planes, Cluster, ticket> {
  using base = cutlass_tiles<of_planes, Cluster, ticket>;
  using scheduler = typename base::scheduler;
  using storage = typename base::storage;
  using leader = decltype(std::declval<const scheduler&>().lead_in_steps(std::declval<storage&>()));
  using follower = decltype(std::declval<const scheduler&>().follow_in_steps(std::declval<storage&>()));

 public:
  using Params = typename base::Params;
  static constexpr bool IsDynamicPersistent = true;
  struct CLCResponse {};

  struct WorkTileInfo : whole_tiles::WorkTileInfo {
    drawer* tiles;
    bool is_first;

    CUTLASS_DEVICE bool is_valid() {
      if (is_first) *this = tiles->first();
      return this->is_valid_tile;
    }
  };

  /// Prepares the storage, which CUTLASS has built before the barrier of the cluster.
  struct Pipeline {
    static constexpr uint32_t Stages = 2;
    using PipelineState = cutlass::PipelineState<Stages>;
    enum class ThreadCategory { NonParticipant, Producer, Consumer, ProducerConsumer };
    struct Params {
      ThreadCategory role;
      uint32_t transaction_bytes, consumer_arv_count, producer_arv_count, producer_blockid;
    };
    CUTLASS_DEVICE Pipeline(storage& shared, const Params& params) {
      if (threadIdx.x != 0) return;
      // Warps: one draws, one loads A and B, perhaps one C, and eight multiply; pingpong kernels count four of these.
      const int warps = static_cast<int>(params.consumer_arv_count) / 32;
      scheduler::start(shared, warps - 1 + (warps < 8 ? 4 : 0));
      __threadfence_block();  // CUTLASS arrives at the barrier of the cluster without a release
    }
    CUTLASS_DEVICE void producer_acquire(PipelineState) {}
    CUTLASS_DEVICE void producer_commit(PipelineState) {}
    CUTLASS_DEVICE void producer_tail(PipelineState) {}
  };

  /// Keeps draws at most a tile ahead of loads. CUTLASS aims its releases at the first block of a cluster, for sm_120.
  struct ThrottlePipeline : cutlass::PipelineAsync<2> {
    using pipeline = cutlass::PipelineAsync<2>;
    CUTLASS_DEVICE static typename pipeline::Params in_block(typename pipeline::Params params) {
      params.dst_blockid = cute::block_rank_in_cluster();
      return params;
    }
    CUTLASS_DEVICE ThrottlePipeline(typename pipeline::SharedStorage& shared, const typename pipeline::Params& params)
        : pipeline(shared, in_block(params)) {}
  };

  class SharedStorage {
    alignas(16) storage tiles_;
    alignas(16) typename ThrottlePipeline::SharedStorage throttle_;

   public:
    CUTLASS_DEVICE storage& pipeline() { return tiles_; }
    CUTLASS_DEVICE auto& throttle_pipeline() { return throttle_; }
    CUTLASS_DEVICE storage* data() { return &tiles_; }
  };

  CUTLASS_DEVICE explicit drawer(const Params& params) : params_(&params) {}

  /// Asks for the first tile, and so before the cluster waits at its barrier.
  CUTLASS_DEVICE void set_data_ptr(storage* shared) {
    leads_ = cutlass::canonical_warp_idx_sync() == 1;
    if (cutlass::canonical_lane_idx() != 0) return;
    const scheduler& all = params_->tiles.value;
    if (leads_) {
      new (&lead_.value) leader(all.lead_in_steps(*shared));
      wait_for_launch_before();  // it may draw from the same state
      lead_.value.ask();
    } else {
      new (&follow_.value) follower(all.follow_in_steps(*shared));
    }
  }

  CUTLASS_DEVICE WorkTileInfo initial_work_tile_info(Cluster) { return {{}, this, true}; }

  /// Draws the next tile and tells the others, in the scheduler warp.
  CUTLASS_DEVICE auto advance_to_next_work(Pipeline&, typename Pipeline::PipelineState state) {
    if (params_->is_late && cutlass::canonical_lane_idx() == 0) lead_.value.ask();
    take([&] { return drawn_next(); });
    ++state;
    return state;
  }

  /// The state counts what CUTLASS has fetched: in pingpong kernels, warps that multiply skip every other tile.
  CUTLASS_DEVICE auto fetch_next_work(WorkTileInfo, Pipeline&, typename Pipeline::PipelineState state) {
    const uint32_t turns = state.count() + 2;  // with the first, and with this one
    while (turns_ < turns && (turns_ == 0 || has_tile())) take([&] { return followed_next(); });
    return cute::make_tuple(current(), true);
  }

  // Is not called: every warp has work in every tile.
  CUTLASS_DEVICE auto fetch_next_work(WorkTileInfo last) { return cute::make_tuple(last, true); }
  CUTLASS_DEVICE void store_invalid_response(typename Pipeline::PipelineState) {}
  CUTLASS_DEVICE bool is_last_tile(const WorkTileInfo&, uint32_t = 1) const { return false; }

 private:
  CUTLASS_DEVICE WorkTileInfo first() {
    if (turns_ == 0) take([&] { return leads_ ? drawn_next() : followed_next(); });
    return current();
  }

  CUTLASS_DEVICE int drawn_next() {
    lead_.value.fetch();
    if (!params_->is_late && lead_.value) lead_.value.ask();
    return lead_.value.index();
  }

  CUTLASS_DEVICE int followed_next() {
    follow_.value.fetch();
    return follow_.value.index();
  }

  /// One lane fetches an index, and tells the warp.
  template <class Fetch>
  CUTLASS_DEVICE void take(const Fetch& fetch) {
    int index = 0;
    if (cutlass::canonical_lane_idx() == 0) index = fetch();
    index_ = static_cast<unsigned>(__shfl_sync(0xffffffffu, index, 0));
    ++turns_;
  }

  CUTLASS_DEVICE bool has_tile() const { return index_ < static_cast<unsigned>(params_->tiles.value.order().size()); }
  CUTLASS_DEVICE WorkTileInfo current() { return {base::tile(*params_, index_), this, false}; }

  const Params* params_;
  bool leads_ = false;
  uint32_t turns_ = 0;  // tiles that this warp has taken
  unsigned index_ = 0;  // of the last tile that it took
  later<leader> lead_;
  later<follower> follow_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::guest
