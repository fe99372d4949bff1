#pragma once

#include <new>
#include <tile_scheduler.hpp>  // FlashAttention's, of its folder `hopper`
#include <type_traits>
#include <utility>

#include <heddle/guest/flash_problem.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::guest {

/// The scheduler of `flash_tiles`.
template <class Mainloop, class Plan>
class flash_scheduler {
  using arguments = flash::TileSchedulerArguments;
  using problem = heddle::guest::flash_problem;
  using scheduler = decltype(Plan::scheduler_of(std::declval<const problem&>()));
  using machine = gpu<false>;
  using draws = typename scheduler::template draws<machine>;
  static constexpr bool asks = requires(draws & all) { all.ask(); };  // else each thread knows the tiles of its block
  static constexpr int loaders = Mainloop::NumProducerThreads, threads = Mainloop::NumMmaThreads + loaders;
  static constexpr auto empty = cutlass::arch::ReservedNamedBarriers::StreamkBarrier0;
  static constexpr auto full = cutlass::arch::ReservedNamedBarriers::StreamkBarrier1;

  static_assert(!Mainloop::Split, "heddle::guest: flash_tiles does not split keys");
  static_assert(!asks || cute::size(typename Mainloop::ClusterShape{}) == 1,
                "heddle::guest: a plan that draws serves no clusters: head_after_head does");

 public:
  using SharedStorage = int4;

  struct Params {
    scheduler tiles;
    fast_div heads;
  };

  /// Returns what a launch covers.
  static problem problem_of(const arguments& of) {
    const int shared = of.qhead_per_khead, rows = Mainloop::kBlockM;
    if constexpr (Mainloop::Varlen) {
      if (of.cu_seqlens == nullptr || of.seqused != nullptr) {
        refuse("heddle::guest: packed sequences", " are those of cu_seqlens_q, without seqused_q");
      }
      if (Mainloop::PackGQA && rows % shared != 0) {
        refuse("heddle::guest: heads that share keys, of packed sequences", shared, "a divisor of", rows);
      }
    }
    return {.blocks = of.num_blocks,
            .heads = of.num_head,
            .sequences = of.num_batch,
            .sharers = Mainloop::PackGQA ? 1 : shared,
            .key_bytes = 1LL * of.seqlen_k * (of.headdim + of.headdim_v) * of.element_size,
            .tile_rows = Mainloop::PackGQA ? rows / shared : rows,
            .offsets = of.cu_seqlens,
            .state = of.tile_count_semaphore};
  }

  static Params to_underlying_arguments(const arguments& of) {
    return {Plan::scheduler_of(problem_of(of)), fast_div(of.num_head)};
  }

  static dim3 get_grid_shape(const Params& params, int multiprocessors) {
    const int most = most_tiles(params.tiles.order());
    return dim3(static_cast<unsigned>(scheduler::persistent && multiprocessors < most ? multiprocessors : most));
  }

#if !defined(__CUDACC_RTC__)
  /// Enqueues what the plan needs before a launch: the preparation of packed sequences. Of others it does nothing.
  [[nodiscard]] static cudaError_t prepare([[maybe_unused]] const arguments& of, [[maybe_unused]] cudaStream_t stream) {
    if constexpr (Mainloop::Varlen) {
      const problem here = problem_of(of);
      return Plan::order_of(here).prepare_async(here.offsets + 1, stream);
    }
    return cudaSuccess;
  }
#endif

  struct WorkTileInfo {
    int block, head, sequence;  // the sequence is below 0 if there is no tile

    CUTLASS_DEVICE bool is_valid(const Params&) const { return sequence >= 0; }
    CUTLASS_DEVICE cute::tuple<int32_t, int32_t, int32_t, int32_t> get_block_coord(const Params&) const {
      return {block, head, sequence, 0};
    }
  };

  CUTLASS_DEVICE explicit flash_scheduler(SharedStorage* shared) : shared_(shared) {}

  CUTLASS_DEVICE void init_consumer() const {}  // the first tile is told, too

  template <bool IsProducerWarp = false>
  CUTLASS_DEVICE WorkTileInfo get_initial_work(const Params& params) {
    if constexpr (asks && !IsProducerWarp) return hear();
    unsigned index = 0;
    if (!asks || is_first()) index = (new (&all_.value) draws(params.tiles, machine{}, none_))->first();
    return found(params, index);
  }

  /// Asks for the next tile when the loads of this one are under way.
  CUTLASS_DEVICE void prefetch_next_work(const Params&, WorkTileInfo&) {
    if constexpr (asks) {
      if (is_first()) all_.value.ask();
    }
  }

  template <bool IsProducerWarp = false>
  CUTLASS_DEVICE WorkTileInfo get_next_work(const Params& params, const WorkTileInfo&) {
    if constexpr (asks && !IsProducerWarp) return hear();
    unsigned index = 0;
    if (!asks || is_first()) index = all_.value.next(index_);
    if constexpr (asks) flash::named_barrier_sync(threads, empty);
    return found(params, index);
  }

 private:
  struct nothing {};

  /// Room for what only the threads that decide build.
  union later {
    char none;
    draws value;
    CUTLASS_DEVICE later() : none(0) {}
  };

  CUTLASS_DEVICE static bool is_first() {
    return threadIdx.x % loaders == 0;
  }

  /// Returns the tile of an index. The warp that draws tells it, as that of FlashAttention's schedulers does.
  CUTLASS_DEVICE WorkTileInfo found(const Params& params, unsigned index) {
    if constexpr (asks) index = __shfl_sync(0xffffffffu, index, 0);
    index_ = index;
    const WorkTileInfo next = tile(params, index);
    if constexpr (asks) {
      if (is_first()) *shared_ = make_int4(next.block, next.head, next.sequence, 0);
      flash::named_barrier_arrive(threads, full);
    }
    return next;
  }

  CUTLASS_DEVICE WorkTileInfo hear() const {
    flash::named_barrier_sync(threads, full);
    const int4 next = *shared_;
    flash::named_barrier_arrive(threads, empty);
    return {next.x, next.y, next.z};
  }

  CUTLASS_DEVICE static WorkTileInfo tile(const Params& params, unsigned index) {
    const auto& order = params.tiles.order();
    if (index >= static_cast<unsigned>(order.size())) return {0, 0, -1};
    const auto at = order(static_cast<int>(index));
    if constexpr (std::is_same_v<std::remove_const_t<decltype(at)>, group_coord>) {
      return {at.row, at.col, at.group};
    } else {
      const auto [sequence, head] = params.heads(at.col);
      return {at.row, head, sequence};
    }
  }

  SharedStorage* shared_;
  nothing none_;
  later all_;
  unsigned index_ = 0;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::guest
