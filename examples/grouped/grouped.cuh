#pragma once

#include <heddle/launch/programmatic.hpp>

#include "gather.cuh"
#include "hopper/multiply.cuh"
#include "hopper/relay.cuh"
#include "hopper/roles.cuh"
#include "hopper/store.cuh"
#include "operands.cuh"

// The product of examples/gemm over groups. A tile knows the rows of C that it has, and stores no others; if it has 64
// rows or fewer it has a lower body, in which each warpgroup makes half of the columns. One thread leads the scheduler
// and tells the others what to make, so that one thread alone waits for the loads that find a tile, and for those of
// the next tile while the operands of this one are copied. Rows of A that an index names are copied by warps.

namespace grouped {

/// The shared memory of a block.
template <class Shape, class Scheduler>
struct smem {
  alignas(1024) unsigned char a[Shape::stages][Shape::a_bytes];
  unsigned char b[Shape::stages][Shape::b_bytes];
  unsigned char c[Shape::consumers][4][Shape::c_box_bytes];
  hopper::ring<Shape::stages, Shape::cluster> ring;
  hopper::relay<part> parts;
  hopper::ring<2> told;  // to the warps that gather
  typename Scheduler::storage scheduler;
};

/// The producer, which one thread runs: it leads the scheduler and keeps the ring full.
template <class Shape, class Operands, class Scheduler>
__device__ void produce(smem<Shape, Scheduler>& smem, const Scheduler& scheduler, const arguments& arguments) {
  hopper::place<Shape::stages> at;
  hopper::relay<part>::turn turn;
  const auto tell = [&](const part& what) {
    std::uint64_t& is_told = smem.told.filled(turn);
    smem.parts.tell(turn, what);
    ptx::mbarrier_arrive(is_told);
  };
  const bool gathers = arguments.rows_of_a != nullptr;
  auto place = scheduler.lead(smem.scheduler);
  const auto find = [&]() -> part {
    if (!place) return {no_group, 0, 0, 0, 0, 0};
    return Operands::part_of(scheduler.order(), *place, arguments);
  };
  for (part next = find(); next.group != no_group;) {
    const part here = next;
    const int rows = here.is_low(arguments.low_m) ? 64 : Shape::tile_m, steps = here.steps();
    const int draw_at = steps > Shape::steps_to_draw ? steps - Shape::steps_to_draw : 0;
    for (int step = 0; step < steps || step == 0; ++step, at.advance()) {
      if (step == draw_at) {
        ++place;
        next = find();
      }
      std::uint64_t& full = smem.ring.filled(at);
      smem.ring.wait_until_empty(at);
      if (step == 0) tell(here);                // consumers hear it when the stage is full
      if (Operands::has_tails && steps == 0) {  // consumers wait for the part alone
        ptx::mbarrier_arrive(full);
      } else {
        smem.ring.expect(at, static_cast<unsigned>((gathers ? 0 : rows) * Shape::tile_k * 2 + Shape::b_bytes));
        Operands::load(smem.a[at.stage], smem.b[at.stage], arguments, here, rows, here.k_begin + step * Shape::tile_k,
                       full);
      }
    }
  }
  smem.ring.wait_until_empty(at);
  tell({no_group, 0, 0, 0, 0, 0});
  ptx::mbarrier_arrive(smem.ring.filled(at));
}

/// A consumer, which a warpgroup runs: it makes 64 rows of a tile, or 128 columns of a low one.
template <class Shape, class Element, class Operands, class Scheduler>
class consumer {
 public:
  __device__ consumer(smem<Shape, Scheduler>& smem, const arguments& arguments, int number, int thread)
      : smem_(smem),
        arguments_(arguments),
        number_(number),
        thread_(thread),
        with_{static_cast<unsigned>(thread), thread < Shape::cluster} {}

  /// Makes the next part. Returns false if there is none.
  __device__ bool make() {
    smem_.ring.wait_until_full(at_);
    const part here = smem_.parts.hear(turn_);
    if (here.group == no_group) return false;
    if (here.is_low(arguments_.low_m)) {
      const int first = number_ * (Shape::tile_n / 2);
      float sums[1][Shape::tile_n / 4] = {};
      multiply(sums, here, 0, first * 128);
      finish(sums[0], here.begin, here.end, here.col + first);
    } else {
      float sums[1][Shape::tile_n / 2] = {};
      multiply(sums, here, number_ * 64 * 128, 0);
      finish(sums[0], here.begin + number_ * 64, here.end, here.col);
    }
    return true;
  }

 private:
  /// Multiplies all steps of a part. The matrices begin so many bytes behind the beginning of a stage's A and B.
  template <int Sums>
  __device__ __forceinline__ void multiply(float (&sums)[1][Sums], const part& of, int behind_a, int behind_b) {
    const int steps = of.steps();
    if constexpr (Operands::has_tails) {
      if (steps == 0) {  // nothing is multiplied, and so no warp has waited for one that has not seen the stage full
        hopper::sync(hopper::of_warpgroup, number_, 128);
        smem_.ring.release(at_.stage, with_);
        at_.advance();
        return;
      }
    }
    hopper::multiply_stages<Element, Operands::a, Operands::b>(
        sums, steps, smem_.ring, at_, with_,
        [&](int stage, int step) -> hopper::operands_of_stage {
          if constexpr (Operands::has_tails) {
            const int left = of.k_end - of.k_begin - step * Shape::tile_k;
            if (left < Shape::tile_k) clear_tail(left);
          } else if (arguments_.rows_of_a != nullptr) {
            ptx::fence_proxy_async();  // what warps copied is not written by bulk copies
          }
          return {hopper::operand<Operands::a>::matrix_at(smem_.a[stage] + behind_a),
                  hopper::operand<Operands::b>::matrix_at(smem_.b[stage] + behind_b)};
        },
        [] {});
  }

  /// Clears the rows of the stage's A and B past the end of the group: a row of 64 elements has 128 bytes. All
  /// consumers call it, and wait for each other.
  __device__ void clear_tail(int left) {
    const int thread = number_ * 128 + thread_, pieces = (Shape::tile_k - left) * 8;
    for (int i = thread; i < (Shape::tile_m + Shape::tile_n) / 64 * pieces; i += Shape::consumer_threads) {
      const int box = i / pieces, at = (box * Shape::tile_k + left) * 128 + i % pieces * 16;
      unsigned char* const begin =
          at < Shape::a_bytes ? smem_.a[at_.stage] + at : smem_.b[at_.stage] + at - Shape::a_bytes;
      *reinterpret_cast<uint4*>(begin) = uint4{};
    }
    ptx::fence_proxy_async();
    hopper::sync(hopper::of_tile, 0, Shape::consumer_threads);
  }

  /// Makes elements of C of the sums of rows up to `end`, and stores them.
  template <int Sums>
  __device__ __forceinline__ void finish(float (&sums)[Sums], int row, int end, int col) {
    row += thread_ / 32 * 16;
    if (row >= end) return;
    if constexpr (Operands::is_gated) {
      float gated[Sums / 2];
#pragma unroll
      for (int i = 0; i < Sums / 2; ++i) {
        const int gate = i / 32 * 64 + i % 32;
        gated[i] = silu(sums[gate]) * sums[gate + 32];
      }
      store(gated, row, end, col / 2);
    } else {
      store(sums, row, end, col);
    }
  }

  /// A warp has 16 rows, which pass through shared memory, some columns at a time, so that its threads store 16 bytes
  /// each. A bulk store would have to be waited for before its box is written again.
  template <int Sums>
  __device__ __forceinline__ void store(float (&sums)[Sums], int row, int end, int col) {
    constexpr int cols = Sums * 2 < Shape::c_cols ? Sums * 2 : Shape::c_cols;
    const int warp = thread_ / 32, lane = thread_ % 32;
    if (arguments_.weights != nullptr) {
      for (int half = 0; half < 2; ++half) {
        const int of = row + lane / 4 + half * 8;
        const float weight = of < end ? arguments_.weights[of] : 0;
#pragma unroll
        for (int i = 0; i < Sums; i += 4) sums[i + half * 2] *= weight, sums[i + half * 2 + 1] *= weight;
      }
    }
    unsigned char* const box = smem_.c[number_][warp];
    Element* const c = static_cast<Element*>(arguments_.matrix_c);
#pragma unroll
    for (int part = 0; part < Sums * 2 / cols; ++part, col += cols) {
      __syncwarp();  // all have read the box
      hopper::stage_rows<cols, false>(box, lane, [&](int, int, int i) {
        const int sum = part * (cols / 2) + i;
        return hopper::pack<Element>(sums[sum], sums[sum + 1]);
      });
      __syncwarp();
      hopper::store_rows<cols>(
          box, lane,
          [&](int in_box) -> Element* {
            int to = row + in_box;
            if (arguments_.rows_of_c != nullptr) {
              to = arguments_.rows_of_c[to];
              if (to < 0 || to >= arguments_.c_rows) return nullptr;
            }
            return c + static_cast<long long>(to) * arguments_.n + col;
          },
          end - row, arguments_.n - col);
    }
  }

  smem<Shape, Scheduler>& smem_;
  const arguments& arguments_;
  int number_, thread_;
  hopper::sharer with_;
  hopper::place<Shape::stages> at_;
  hopper::relay<part>::turn turn_;
};

template <class Shape, class Element, class Operands, class Scheduler>
__global__ void __launch_bounds__(Shape::threads, 1)
    multiply(const __grid_constant__ Scheduler scheduler, const __grid_constant__ arguments arguments) {
  auto& shared = hopper::shared_memory<smem<Shape, Scheduler>>();
  const int warpgroup = hopper::warpgroup(), thread = hopper::thread_of_warpgroup();

  if (threadIdx.x == 0) {
    ptx::prefetch_tensormap(arguments.a);
    ptx::prefetch_tensormap(arguments.b);
    const int gathering = arguments.rows_of_a != nullptr ? gathering_warps : 0;
    shared.ring.init(1 + gathering * 32, Shape::consumers * Shape::cluster);
    shared.parts.init(Shape::consumer_threads / 32 + gathering);
    shared.told.init(1, 1);
    ptx::fence_mbarrier_init();
    scheduler.start(shared.scheduler, /*followers*/ 0);
  }
  heddle::wait_for_launch_before();  // the preparation
  hopper::sync_all<(Shape::cluster > 1)>();

  if (warpgroup == Shape::consumers) {
    ptx::setmaxnreg_dec<72>();
    if (thread == 0) produce<Shape, Operands>(shared, scheduler, arguments);
    if (thread >= 32 && arguments.rows_of_a != nullptr) {
      gather<Shape>(shared, arguments, thread / 32 - 1, thread % 32);
    }
  } else {
    static_assert(hopper::can_have_registers(Shape::consumers, 216, 72));
    ptx::setmaxnreg_inc<216>();
    consumer<Shape, Element, Operands, Scheduler> self(shared, arguments, warpgroup, thread);
    while (self.make()) continue;
  }
  if constexpr (Shape::cluster > 1) hopper::sync_all<(Shape::cluster > 1)>();  // others may still write to this block
}

}  // namespace grouped
