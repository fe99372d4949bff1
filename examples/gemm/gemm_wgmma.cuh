#pragma once

#include <heddle/launch/programmatic.hpp>
#include <heddle/schedule/arrival_gate.hpp>
#include <heddle/schedule/seats.hpp>

#include "cluster_sums.cuh"
#include "hopper/load.cuh"
#include "hopper/multiply.cuh"
#include "hopper/roles.cuh"
#include "hopper/turns.cuh"
#include "kernel.cuh"
#include "shape.cuh"
#include "shard_of_c.cuh"
#include "store_c.cuh"

// C = epilogue(alpha A B + beta C) on Hopper. A thread takes tiles and has their operands copied to a ring in shared
// memory; where tiles are small and few, a second thread has B copied. Up to three warpgroups multiply what is there,
// 64 rows each or a tile each in turn, and store C by way of shared memory while the next tile is being loaded.
//
// Order and scheduler are policies: the kernel does not know which block works on which tile. Over `clustered` the
// blocks of a cluster work on neighbours, and each loads for all of them a share of the operands that they have in
// common. Over `along_k` they work on one tile, a part of k each.
//
// Gates are policies too: a tile waits for its rows of A before they are copied, and for those of C before it adds to
// them. Where there are gates, B is here and tiles are only computed: B is copied before the launch before has ended.
// A gate of C may say that its rows are in shards, of which others own all but one.

namespace gemm {

namespace detail {

/// Whether rows of A or C may still be on their way.
template <class Gate>
inline constexpr bool has_gate = !std::is_same_v<Gate, heddle::open_gate>;

/// What a thread copies.
enum class copies { a, b, both };

/// The producer, which a warp or two run: it goes through the tiles at `place` and keeps the ring full. One thread of a
/// warp `loads`; the others come along where they may, so that the compiler knows all addresses to be uniform.
///
/// Every other wave goes through k backwards: it begins with what the wave before has left in L2.
template <copies Which, class Shape, major A, major B, class Scheduler, class Tiles, class Machine, class Arguments>
__device__ void produce(wgmma_smem<Shape, Scheduler>& smem, Tiles place, Machine on, const Arguments& arguments,
                        int k_steps, bool loads) {
  const typename Shape::place_in_cluster here;
  hopper::place<Shape::stages> at;
  auto gate = arguments.gate_of_a;
  constexpr bool copies_a = Which != (Shape::transposed ? copies::a : copies::b);
  for (; place; ++place) {
    const auto part = part_of<Scheduler>(place, k_steps);
    auto [row, col] = begin_of<Shape>(part.tile);
    int end_of_a = arguments.m;
    if constexpr (has_shards<decltype(gate)>) {
      int& row_of_a = Shape::transposed ? col : row;
      row_of_a -= gate.at(part.tile).before_a;
      end_of_a = row_of_a + Shape::tile.rows;  // rows of the next shard make rows of C that are not stored
    }
    const bool backwards = static_cast<unsigned>(place.index()) / on.workers() % 2 == 1;
    const hopper::boxes<A, Shape::tile_m, Shape::cluster_n> a(arguments.a, row,
                                                              Shape::transposed ? arguments.n : end_of_a);
    const hopper::boxes<B, Shape::tile_n, Shape::cluster_m> b(arguments.b, col,
                                                              Shape::transposed ? end_of_a : arguments.n);
    const int rows = (Which != copies::b ? a.rows : 0) + (Which != copies::a ? b.rows : 0);
    if constexpr (copies_a || !has_gate<decltype(gate)>) heddle::wait_for_launch_before();
    if constexpr (copies_a) gate.wait(part.tile);
    for (int i = part.begin; i < part.end; ++i, at.advance()) {
      const int step = backwards ? part.begin + part.end - 1 - i : i;
      std::uint64_t& full = smem.ring.filled(at);
      smem.ring.wait_until_empty(at);
      if (!loads) continue;
      smem.ring.expect(at, static_cast<unsigned>(rows * Shape::tile_k * 2));
      const int k = step * Shape::tile_k;
      if constexpr (Which != copies::b) a.load(smem.a[at.stage], k, full, here.n, here.of_same_row);
      if constexpr (Which != copies::a) b.load(smem.b[at.stage], k, full, here.m, here.of_same_col);
    }
  }
}

/// A consumer, which a warpgroup runs: it multiplies 64 rows of every tile, or every other tile.
template <class Shape, class Element, major A, major B, class Scheduler, class Arguments>
class consumer {
 public:
  __device__ consumer(wgmma_smem<Shape, Scheduler>& smem, const Arguments& arguments, int number, int thread)
      : smem_(smem),
        arguments_(arguments),
        number_(number),
        thread_(thread),
        turn_{number},
        store_(smem, arguments, number, thread),
        shard_(smem, arguments, number, thread) {
    // A part without steps leaves them so. Along k every part has steps, and this would come between them.
    if constexpr (!is_along_k<Scheduler>) clear(sums_);
    with_ = {static_cast<unsigned>(thread), typename Shape::place_in_cluster().has_loads_of(thread)};
  }

  /// Multiplies the steps [begin, end) of a tile. A thread has sums of two rows, eight apart: for every eight columns,
  /// two sums of either row.
  __device__ void multiply(int begin, int end) {
    if constexpr (Shape::in_turn) {
      smem_.turns.wait(turn_);
    }
    hopper::multiply_stages<Element, A, B>(
        sums_, end - begin, smem_.ring, at_, with_,
        [&](int stage, int) -> hopper::operands_of_stage {
          return {hopper::operand<A>::matrix_at(smem_.a[stage] + first_row() * 128),
                  hopper::operand<B>::matrix_at(smem_.b[stage])};
        },
        [&] {
          if constexpr (Shape::in_turn) {
            if (thread_ == 0) smem_.turns.pass(turn_);
          }
        });
  }

  /// Skips the steps of a tile that the other warpgroup makes.
  __device__ void skip(int steps) { at_.skip(steps); }

  /// Stores the sums of a part of a tile in its slot. Returns true in the block that stores last, with the sums of all.
  template <class Share>
  __device__ bool has_sums_of_all(const Share& share) {
    const auto slot = [&](int i) { return slot_of_thread<Shape>(arguments_.sums, i, first_row(), thread_); };
    put(sums_, slot(share.slot));
    if (!is_last_of<Shape>(smem_, share, number_, thread_)) return false;
    clear(sums_);
    for (int i = share.first; i < share.first + share.count; ++i) add(sums_, slot(i));
    return true;
  }

  /// Stores the sums in the ring, for the blocks of the cluster.
  __device__ void put_in_ring() { gemm::put_in_ring<Shape>(smem_, sums_); }

  /// Adds to the sums of a tile of one's own shard of C what others have stored there, and returns true; or puts those
  /// of another shard in the room.
  template <class Gate, class Shard>
  __device__ bool has_added(place_of_tile begin, Gate& gate, const Shard& shard) {
    if (gate.is_sent(shard)) {
      shard_.put(sums_, first_row());
      return false;
    }
    begin.row += first_row();
    shard_.add(sums_, begin, gate.others(), [&](int i) { gate.wait_for(i, shard); });
    return true;
  }

  /// Stores the tile that begins at `begin`.
  __device__ void store(place_of_tile begin) {
    begin.row += first_row();
    store_.store(sums_, begin);
  }

  /// Waits until the last stores have read shared memory.
  __device__ void finish() { store_.finish(); }

 private:
  __device__ int first_row() const { return Shape::in_turn ? 0 : number_ * Shape::rows64 * 64; }

  wgmma_smem<Shape, Scheduler>& smem_;
  const Arguments& arguments_;
  int number_, thread_;
  hopper::sharer with_;
  hopper::place<Shape::stages> at_;
  hopper::turns::place turn_;
  store_c<Shape, Element, wgmma_smem<Shape, Scheduler>, Arguments> store_;
  shard_of_c<Shape, Element, wgmma_smem<Shape, Scheduler>, Arguments> shard_;
  float sums_[Shape::rows64][Shape::tile_n / 2];
};

}  // namespace detail

template <class Shape, class Element, major A, major B, class Scheduler, class Epilogue, class Gate>
__global__ void __launch_bounds__(Shape::threads, 1)
    gemm_wgmma(const __grid_constant__ Scheduler scheduler,
               const __grid_constant__ wgmma_arguments<Epilogue, Gate> arguments) {
  static_assert(
      !detail::has_gate<Gate> || (std::is_empty_v<typename Scheduler::storage> && !is_along_k<Scheduler>),
      "B is copied while the launch before may still use a scheduler's state, and parts along k wait for no C");
  auto& smem = hopper::shared_memory<wgmma_smem<Shape, Scheduler>>();
  const int warpgroup = hopper::warpgroup(), thread = hopper::thread_of_warpgroup();
  const int k_steps = (arguments.k + Shape::tile_k - 1) / Shape::tile_k;
  // A thread that copies A and B takes longer than a short step. Where tiles follow each other L2 is slower still.
  const bool copies_apart =
      Shape::has_short_steps &&
      (is_along_k<Scheduler> || scheduler.order().size() <= static_cast<int>(gridDim.x) / Shape::cluster);

  if (threadIdx.x == 0) {
    for (const hopper::operand_maps* maps : {&arguments.a, &arguments.b}) {
      hopper::ptx::prefetch_tensormap(maps->whole);
      hopper::ptx::prefetch_tensormap(maps->last);
    }
    smem.ring.init(copies_apart ? 2 : 1, Shape::consumers_of_tile * Shape::sharers);
    for (auto& of_warpgroup : smem.c_loaded) {
      for (auto& of_boxes : of_warpgroup) {
        for (auto& loaded : of_boxes) hopper::ptx::mbarrier_init(loaded, 1);
      }
    }
    if constexpr (has_shards<Gate>) {
      hopper::ptx::mbarrier_init(smem.room_is_full, Shape::consumers * 4);
      hopper::ptx::mbarrier_init(smem.room_is_empty, 1);
    }
    smem.turns.init();
    hopper::ptx::fence_mbarrier_init();
    scheduler.start(smem.scheduler, Shape::consumer_threads + (copies_apart ? 1 : 0));
  }
  // The next kernel of the stream may start as far as there is room. This one waits for the one before it as late as it
  // can: where a scheduler only computes, a block has found its first tile by then.
  heddle::let_next_launch_start();
  constexpr bool draws = !only_computes<Scheduler>();
  if constexpr (draws && !detail::has_gate<Gate>) heddle::wait_for_launch_before();
  hopper::sync_all<(Shape::cluster > 1)>();
  const auto on = arguments.seats.template take<true>(smem.seat);

  if (warpgroup == Shape::consumers) {
    if constexpr (Shape::consumers > 1) hopper::ptx::setmaxnreg_dec<Shape::template producer_registers<draws>>();
    using detail::copies, detail::has_gate, detail::produce;
    // A warp of which only one thread may draw tiles, or wait at a gate, leaves the others behind.
    constexpr bool is_alone = draws || has_gate<Gate>;
    const int warp = __shfl_sync(~0u, thread / 32, 0);
    const bool loads = thread % 32 == 0;
    if (!is_alone || loads) {
      if (warp == 0 && !copies_apart) {
        produce<copies::both, Shape, A, B>(smem, scheduler.lead(smem.scheduler, on), on, arguments, k_steps, loads);
      }
      if constexpr (Shape::has_short_steps) {
        if (warp == 0 && copies_apart) {
          produce<copies::a, Shape, A, B>(smem, scheduler.lead(smem.scheduler, on), on, arguments, k_steps, loads);
        }
        if (warp == 1 && copies_apart) {
          produce<copies::b, Shape, A, B>(smem, scheduler.follow(smem.scheduler, on), on, arguments, k_steps, loads);
        }
      }
    }
    if constexpr (has_shards<Gate>) {
      heddle::wait_for_launch_before();
      if (warp == 2) send<Shape>(smem, scheduler.follow(smem.scheduler, on), arguments, k_steps, thread % 32);
    }
  } else {
    if constexpr (Shape::consumers > 1) hopper::ptx::setmaxnreg_inc<Shape::template consumer_registers<draws>>();
    detail::consumer<Shape, Element, A, B, Scheduler, wgmma_arguments<Epilogue, Gate>> self(smem, arguments, warpgroup,
                                                                                            thread);
    heddle::wait_for_launch_before();
    if (threadIdx.x == 0) smem.arrivals = detail::enter(scheduler);  // while the first operands are on their way
    __syncwarp();
    int turn = 0;
    auto gate = arguments.gate_of_c;
    for (auto place = scheduler.follow(smem.scheduler, on); place; ++place) {
      const auto part = part_of<Scheduler>(place, k_steps);
      if (Shape::in_turn && turn++ % 2 != warpgroup) {
        self.skip(part.end - part.begin);
        continue;
      }
      self.multiply(part.begin, part.end);
      if constexpr (is_along_k<Scheduler>) {
        self.put_in_ring();
        continue;
      }
      if constexpr (heddle::split_scheduler<Scheduler>) {
        if (part.share.count > 1) {
          if (!self.has_sums_of_all(part.share)) continue;
        }
      }
      auto begin = begin_of<Shape>(part.tile);
      if constexpr (has_shards<Gate>) {
        const auto shard = gate.at(part.tile);
        (Shape::transposed ? begin.col : begin.row) -= shard.first_row;
        if (!self.has_added(begin, gate, shard)) continue;
      } else if constexpr (detail::has_gate<Gate>) {
        if (arguments.beta != 0 && thread % 32 == 0) gate.wait(part.tile);
        __syncwarp();
      }
      self.store(begin);
    }
    self.finish();
  }
  if constexpr (is_along_k<Scheduler>) {
    hopper::sync_all<true>();
    if (warpgroup < Shape::consumers) {
      for (auto place = scheduler.follow(smem.scheduler, on); place; ++place) {
        add_up_in_cluster<Shape, Element>(smem, arguments, begin_of<Shape>(*place));
      }
    }
  }
  // A block must not leave while another may still write to it, or read its sums.
  if constexpr (Shape::cluster > 1 || is_along_k<Scheduler>) hopper::sync_all<true>();
}

}  // namespace gemm
