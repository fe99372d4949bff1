#pragma once

#include <heddle/launch/programmatic.hpp>
#include <heddle/schedule/arrival_gate.hpp>
#include <heddle/schedule/seats.hpp>

#include "hopper/load.cuh"
#include "hopper/multiply.cuh"
#include "hopper/roles.cuh"
#include "hopper/turns.cuh"
#include "kernel.cuh"
#include "shape.cuh"
#include "store_c.cuh"

// C = epilogue(alpha A B + beta C) on Hopper. A thread takes tiles and has their operands copied to a ring in shared
// memory; where tiles are small and few, a second thread has B copied. Up to three warpgroups multiply what is there,
// 64 rows each or a tile each in turn, and store C by way of shared memory while the next tile is being loaded.
//
// Order and scheduler are policies: the kernel does not know which block works on which tile. Over `clustered` the
// blocks of a cluster work on neighbours, and each loads for all of them a share of the operands that they have in
// common. Over `along_k` they work on one tile, a part of k each.

namespace gemm {

/// The shared memory of a block.
template <class Shape, class Scheduler>
struct wgmma_smem {
  alignas(1024) unsigned char a[Shape::stages][Shape::a_bytes];
  unsigned char b[Shape::stages][Shape::b_bytes];
  unsigned char c[Shape::consumers][Shape::c_boxes][4][Shape::c_box_bytes];
  hopper::ring<Shape::stages, Shape::cluster> ring;
  std::uint64_t c_loaded[Shape::consumers][4];
  hopper::turns turns;
  int is_last[Shape::consumers];
  typename detail::arriving<Scheduler>::type arrivals;
  heddle::seats::storage seat;
  typename Scheduler::storage scheduler;
};

template <class Epilogue, class Gate>
struct wgmma_arguments {
  hopper::operand_maps a, b;
  CUtensorMap c;
  int m, n, k;
  float alpha, beta;
  void* matrix_c;
  long long ldc;
  heddle::seats seats;
  float4* sums;  // of tiles that are split along k
  Epilogue epilogue;
  [[no_unique_address]] Gate gate;  // of the rows of A
};

namespace detail {

/// Whether the blocks of a cluster share a tile.
template <class Scheduler>
inline constexpr bool is_along_k = requires(const Scheduler& scheduler) {
  scheduler.order().parts();
};

/// Returns whether any thread may ask for tiles at any time: nothing is drawn, and nothing is noted.
template <class Scheduler>
__host__ __device__ constexpr bool only_computes() {
  if (!std::is_empty_v<typename Scheduler::storage>) return false;
  return heddle::split_scheduler<Scheduler> || is_along_k<Scheduler>;
}

/// Returns the part of a tile that a block is to do.
template <class Scheduler, class Place>
__device__ auto part_of(const Place& place, int k_steps) {
  auto part = part_at(place, k_steps);
  if constexpr (is_along_k<Scheduler>) {
    const int rank = part.tile.batch, parts = static_cast<int>(hopper::ptx::cluster_nctarank());
    part.begin = k_steps * rank / parts, part.end = k_steps * (rank + 1) / parts;
  }
  return part;
}

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
  auto gate = arguments.gate;
  for (; place; ++place) {
    const auto part = part_of<Scheduler>(place, k_steps);
    const auto [row, col] = begin_of<Shape>(part.tile);
    const bool backwards = static_cast<unsigned>(place.index()) / on.workers() % 2 == 1;
    const hopper::boxes<A, Shape::tile_m, Shape::cluster_n> a(arguments.a, row,
                                                              Shape::transposed ? arguments.n : arguments.m);
    const hopper::boxes<B, Shape::tile_n, Shape::cluster_m> b(arguments.b, col,
                                                              Shape::transposed ? arguments.m : arguments.n);
    const int rows = (Which != copies::b ? a.rows : 0) + (Which != copies::a ? b.rows : 0);
    heddle::wait_for_launch_before();
    if constexpr (Which != (Shape::transposed ? copies::a : copies::b)) gate.wait(part.tile);
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
        store_(smem, arguments, number, thread) {
    // A part without steps leaves them so. Along k every part has steps, and this would come between them.
    if constexpr (!is_along_k<Scheduler>) clear();
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

  /// Stores the sums of a part of a tile in its slot. Returns true in the block that stores last, which adds up the
  /// tile.
  template <class Sums>
  __device__ bool put(const Sums& share) {
    float4* const mine = slot_of_thread(share.slot);
#pragma unroll
    for (int i = 0; i < fours; ++i) {
      const float* const four = &sums_[i / fours_of_64][i % fours_of_64 * 4];
      __stcg(mine + i * 128, make_float4(four[0], four[1], four[2], four[3]));
    }
    const int group = Shape::in_turn ? number_ : 0;  // of the warpgroups that made the tile
    hopper::sync(hopper::of_tile, group, 128 * Shape::consumers_of_tile);
    if (number_ == group && thread_ == 0) smem_.is_last[group] = smem_.arrivals.arrive(share);
    hopper::sync(hopper::of_tile, group, 128 * Shape::consumers_of_tile);
    return smem_.is_last[group] != 0;
  }

  /// Adds up the sums of all parts of a tile, in the order of k.
  __device__ void add_up(int first_slot, int count) {
    clear();
    for (int slot = first_slot; slot < first_slot + count; ++slot) {
      const float4* const theirs = slot_of_thread(slot);
#pragma unroll
      for (int i = 0; i < fours; ++i) {
        const float4 four = __ldcg(theirs + i * 128);
        float* const sums = &sums_[i / fours_of_64][i % fours_of_64 * 4];
        sums[0] += four.x, sums[1] += four.y, sums[2] += four.z, sums[3] += four.w;
      }
    }
  }

  /// Stores the sums in shared memory, in place of the operands: what the ring holds has been multiplied. A row is a
  /// float4 per thread of a warp.
  __device__ void put_in_ring() {
    static_assert(sizeof smem_.a + sizeof smem_.b >= Shape::tile_m * Shape::tile_n * 4 && !Shape::in_turn);
    const int warp = number_ * 4 + thread_ / 32;
    hopper::sync(hopper::of_tile, 0, 128 * Shape::consumers);  // until the other warpgroups have multiplied, too
    float4* const mine = reinterpret_cast<float4*>(smem_.a) + warp * fours * 32 + thread_ % 32;
#pragma unroll
    for (int i = 0; i < fours; ++i) {
      const float* const four = &sums_[i / fours_of_64][i % fours_of_64 * 4];
      mine[i * 32] = make_float4(four[0], four[1], four[2], four[3]);
    }
  }

  /// Stores the tile that begins at `begin`.
  __device__ void store(place_of_tile begin) {
    begin.row += first_row();
    store_.store(sums_, begin);
  }

  /// Waits until the last stores have read shared memory.
  __device__ void finish() {
    store_.finish();
  }

 private:
  static constexpr int fours_of_64 = Shape::tile_n / 8, fours = Shape::rows64 * fours_of_64;
  using sums = float[Shape::tile_n / 2];  // of 64 rows

  __device__ void clear() {
#pragma unroll
    for (auto& sums : sums_) {
#pragma unroll
      for (float& sum : sums) sum = 0;
    }
  }

  __device__ float4* slot_of_thread(int slot) const {
    return arguments_.sums + static_cast<std::size_t>(slot) * (Shape::tile_m * Shape::tile_n / 4) +
           first_row() * (Shape::tile_n / 4) + thread_;
  }

  __device__ int first_row() const {
    return Shape::in_turn ? 0 : number_ * Shape::rows64 * 64;
  }

  wgmma_smem<Shape, Scheduler>& smem_;
  const Arguments& arguments_;
  int number_, thread_;
  hopper::sharer with_;
  hopper::place<Shape::stages> at_;
  hopper::turns::place turn_;
  store_c<Shape, Element, wgmma_smem<Shape, Scheduler>, Arguments> store_;
  sums sums_[Shape::rows64];
};

/// Returns an element of C, of which `before` is in memory, from its sum.
template <class Element, class Arguments>
__device__ float value_of(const Arguments& arguments, const Element& before, int m, int n, float sum) {
  sum *= arguments.alpha;
  if (arguments.beta != 0) sum += arguments.beta * static_cast<float>(before);
  return arguments.epilogue(sum, m, n);
}

/// Stores an element of C.
template <class Element, class Arguments>
__device__ void store_one(const Arguments& arguments, int m, int n, float sum) {
  if (m >= arguments.m || n >= arguments.n) return;
  Element& c = static_cast<Element*>(arguments.matrix_c)[m * arguments.ldc + n];
  c = static_cast<Element>(value_of(arguments, c, m, n, sum));
}

/// Stores two elements of a row of C, the first of which has an even column.
template <class Element, class Arguments>
__device__ void store_pair(const Arguments& arguments, int m, int n, float low, float high) {
  if (m >= arguments.m || n >= arguments.n) return;
  Element* const c = static_cast<Element*>(arguments.matrix_c) + m * arguments.ldc + n;
  const auto value = [&](float sum, int i) { return value_of(arguments, c[i], m, n + i, sum); };
  if (n + 1 < arguments.n) {
    *reinterpret_cast<unsigned*>(c) = hopper::pack<Element>(value(low, 0), value(high, 1));
  } else {
    *c = static_cast<Element>(value(low, 0));
  }
}

/// Adds up what the blocks of a cluster have put in their rings, in the order of k, and stores the tile that begins at
/// `begin`: each block a share of it.
///
/// **Preconditions**: all threads of the consumers call it, after a barrier of the cluster.
template <class Shape, class Element, class Smem, class Arguments>
__device__ void add_up_in_cluster(Smem& smem, const Arguments& arguments, place_of_tile begin) {
  constexpr int warps = Shape::consumers * 4, rows = Shape::tile_m * Shape::tile_n / 128, of_warp = rows / warps;
  constexpr int of_64 = Shape::tile_n / 8, rows_at_once = 2, blocks_at_once = 4;  // loads that are on their way
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int rank = static_cast<int>(hopper::ptx::cluster_ctarank()),
            parts = static_cast<int>(hopper::ptx::cluster_nctarank());
  const unsigned memory = hopper::ptx::shared_address(smem.a) + static_cast<unsigned>(lane) * 16;
  const int end = rows * (rank + 1) / parts;
  for (int first = rows * rank / parts + warp; first < end; first += warps * rows_at_once) {
    float4 sums[rows_at_once] = {};
    for (int block = 0; block < parts; block += blocks_at_once) {
      float4 fours[blocks_at_once][rows_at_once] = {};
#pragma unroll
      for (int b = 0; b < blocks_at_once; ++b) {
#pragma unroll
        for (int i = 0; i < rows_at_once; ++i) {
          const int row = first + i * warps;
          if (row >= end || block + b >= parts) continue;
          fours[b][i] = hopper::ptx::ld_shared_cluster(memory + static_cast<unsigned>(row) * 512, block + b);
        }
      }
#pragma unroll
      for (const auto& of_block : fours) {
#pragma unroll
        for (int i = 0; i < rows_at_once; ++i) {
          sums[i].x += of_block[i].x, sums[i].y += of_block[i].y;
          sums[i].z += of_block[i].z, sums[i].w += of_block[i].w;
        }
      }
    }
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i) {
      const int row = first + i * warps, from = row / of_warp, four = row % of_warp;
      if (row >= end) break;
      const int y = begin.row + from / 4 * Shape::rows64 * 64 + four / of_64 * 64 + from % 4 * 16 + lane / 4;
      const int x = begin.col + four % of_64 * 8 + lane % 4 * 2;
      if constexpr (Shape::transposed) {
        store_one<Element>(arguments, x, y, sums[i].x), store_one<Element>(arguments, x + 1, y, sums[i].y);
        store_one<Element>(arguments, x, y + 8, sums[i].z), store_one<Element>(arguments, x + 1, y + 8, sums[i].w);
      } else {
        store_pair<Element>(arguments, y, x, sums[i].x, sums[i].y);
        store_pair<Element>(arguments, y + 8, x, sums[i].z, sums[i].w);
      }
    }
  }
}

}  // namespace detail

template <class Shape, class Element, major A, major B, class Scheduler, class Epilogue, class Gate>
__global__ void __launch_bounds__(Shape::threads, 1)
    gemm_wgmma(const __grid_constant__ Scheduler scheduler,
               const __grid_constant__ wgmma_arguments<Epilogue, Gate> arguments) {
  auto& smem = hopper::shared_memory<wgmma_smem<Shape, Scheduler>>();
  const int warpgroup = hopper::warpgroup(), thread = hopper::thread_of_warpgroup();
  const int k_steps = (arguments.k + Shape::tile_k - 1) / Shape::tile_k;
  // A thread that copies A and B takes longer than a short step. Where tiles follow each other L2 is slower still.
  const bool copies_apart =
      Shape::has_short_steps &&
      (detail::is_along_k<Scheduler> || scheduler.order().size() <= static_cast<int>(gridDim.x) / Shape::cluster);

  if (threadIdx.x == 0) {
    for (const hopper::operand_maps* maps : {&arguments.a, &arguments.b}) {
      hopper::ptx::prefetch_tensormap(maps->whole);
      hopper::ptx::prefetch_tensormap(maps->last);
    }
    smem.ring.init(copies_apart ? 2 : 1, Shape::consumers_of_tile * Shape::sharers);
    for (auto& of_warps : smem.c_loaded) {
      for (auto& loaded : of_warps) hopper::ptx::mbarrier_init(loaded, 1);
    }
    smem.turns.init();
    hopper::ptx::fence_mbarrier_init();
    scheduler.start(smem.scheduler, Shape::consumer_threads + (copies_apart ? 1 : 0));
  }
  // The next kernel of the stream may start as far as there is room. This one waits for the one before it as late as it
  // can: where a scheduler only computes, a block has found its first tile by then.
  heddle::let_next_launch_start();
  constexpr bool draws = !detail::only_computes<Scheduler>();
  if constexpr (draws) heddle::wait_for_launch_before();
  hopper::sync_all<(Shape::cluster > 1)>();
  const auto on = arguments.seats.template take<true>(smem.seat);

  if (warpgroup == Shape::consumers) {
    if constexpr (Shape::consumers > 1) hopper::ptx::setmaxnreg_dec<Shape::template producer_registers<draws>>();
    using detail::copies, detail::produce;
    // A warp of which only one thread may draw tiles, or wait at a gate, leaves the others behind.
    constexpr bool is_alone = draws || !std::is_same_v<Gate, heddle::open_gate>;
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
  } else {
    if constexpr (Shape::consumers > 1) hopper::ptx::setmaxnreg_inc<Shape::template consumer_registers<draws>>();
    detail::consumer<Shape, Element, A, B, Scheduler, wgmma_arguments<Epilogue, Gate>> self(smem, arguments, warpgroup,
                                                                                            thread);
    heddle::wait_for_launch_before();
    if (threadIdx.x == 0) smem.arrivals = detail::enter(scheduler);  // while the first operands are on their way
    __syncwarp();
    int turn = 0;
    for (auto place = scheduler.follow(smem.scheduler, on); place; ++place) {
      const auto part = detail::part_of<Scheduler>(place, k_steps);
      if (Shape::in_turn && turn++ % 2 != warpgroup) {
        self.skip(part.end - part.begin);
        continue;
      }
      self.multiply(part.begin, part.end);
      if constexpr (detail::is_along_k<Scheduler>) {
        self.put_in_ring();
        continue;
      }
      if constexpr (heddle::split_scheduler<Scheduler>) {
        if (part.share.count > 1) {
          if (!self.put(part.share)) continue;
          self.add_up(part.share.first, part.share.count);
        }
      }
      self.store(begin_of<Shape>(part.tile));
    }
    self.finish();
  }
  if constexpr (detail::is_along_k<Scheduler>) {
    hopper::sync_all<true>();
    if (warpgroup < Shape::consumers) {
      for (auto place = scheduler.follow(smem.scheduler, on); place; ++place) {
        detail::add_up_in_cluster<Shape, Element>(smem, arguments, begin_of<Shape>(*place));
      }
    }
  }
  // A block must not leave while another may still write to it, or read its sums.
  if constexpr (Shape::cluster > 1 || detail::is_along_k<Scheduler>) hopper::sync_all<true>();
}

}  // namespace gemm
