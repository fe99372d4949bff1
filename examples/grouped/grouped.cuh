#pragma once

#include <heddle/launch/programmatic.hpp>

#include "hopper/multiply.cuh"
#include "hopper/relay.cuh"
#include "hopper/roles.cuh"
#include "hopper/store.cuh"

// The product of examples/gemm over groups. A tile knows the rows of C that it has, and stores no others; if it has 64
// rows or fewer it has a lower body, in which each warpgroup makes half of the columns. One thread leads the scheduler
// and tells the others what to make, so that one thread alone waits for the loads that find a tile, and for those of
// the next tile while the operands of this one are copied.

namespace grouped {

using hopper::major;
namespace ptx = hopper::ptx;

/// Blocks that make 128 x 256 elements of C, in clusters of blocks beside each other, which share the rows of A.
template <int Cluster>
struct shape {
  static constexpr int tile_m = 128, tile_n = 256, tile_k = 64, cluster = Cluster;
  static constexpr int consumers = 2, consumer_threads = 128 * consumers, threads = 128 + consumer_threads;
  static constexpr int a_box = 64 / Cluster;  // rows of A that a block loads at once
  static constexpr int a_bytes = tile_m * tile_k * 2, b_bytes = tile_n * tile_k * 2;
  static constexpr int c_cols = 128,
                       c_box_bytes = hopper::staged<c_cols>::bytes;  // columns of C that a warp stores at once
  static constexpr int steps_to_draw = Cluster == 1 ? 8 : 32;  // from the draw of the next tile to the end of this one
  static constexpr int smem_limit = 227 * 1024, stages = 4;
};

/// What a block makes: rows [begin, end) of C from a column on, as a sum over [k_begin, k_end).
struct part {
  int group, begin, end, col, k_begin, k_end;

  __device__ int steps() const { return (k_end - k_begin + 63) / 64; }
};
constexpr int no_group = -1;  // of the part that tells consumers to end

/// The shared memory of a block.
template <class Shape, class Scheduler>
struct smem {
  alignas(1024) unsigned char a[Shape::stages][Shape::a_bytes];
  unsigned char b[Shape::stages][Shape::b_bytes];
  unsigned char c[Shape::consumers][4][Shape::c_box_bytes];
  hopper::ring<Shape::stages, Shape::cluster> ring;
  hopper::relay<part> parts;
  typename Scheduler::storage scheduler;
};

struct arguments {
  CUtensorMap a, b;
  int low_m;        // a tile of so many rows or fewer has the lower body
  int m, n, k;      // m: of products by k alone
  const int* ends;  // of products by k alone
  void* matrix_c;
};

/// Products in which a group has rows of A and of C, and a matrix B of a stack.
template <class Shape, major B>
struct by_rows {
  static constexpr major a = major::k, b = B;
  static constexpr bool has_tails = false;  // past the last k the copies fill up with zeros

  template <class Order>
  __device__ static part part_of(const Order& order, heddle::group_coord tile, const arguments& arguments) {
    const auto [begin, end] = groups_of(order).rows_of(tile);
    return {tile.group, begin, end, tile.col * Shape::tile_n, 0, arguments.k};
  }

  /// Loads a step of A and B. Each block of a cluster loads a part of A for all of them.
  __device__ static void load(unsigned char* to_a, unsigned char* to_b, const arguments& arguments, const part& of,
                              int rows, int k, std::uint64_t& full) {
    const int rank = Shape::cluster > 1 ? static_cast<int>(ptx::cluster_ctarank()) : 0;
    for (int row = rank * Shape::a_box; row < rows; row += 64) {
      if constexpr (Shape::cluster > 1) {
        constexpr unsigned all_blocks = (1u << Shape::cluster) - 1;
        ptx::cp_async_bulk_tensor_multicast(to_a + row * 128, arguments.a, k, of.begin + row, full, all_blocks);
      } else {
        ptx::cp_async_bulk_tensor_load(to_a + row * 128, arguments.a, k, of.begin + row, full);
      }
    }
    if constexpr (B == major::k) {
      ptx::cp_async_bulk_tensor_load(to_b, arguments.b, k, of.col, of.group, full);
    } else {
      for (int col = 0; col < Shape::tile_n; col += 64) {
        ptx::cp_async_bulk_tensor_load(to_b + col * 128, arguments.b, of.col + col, k, of.group, full);
      }
    }
  }

 private:
  template <class Order>
  __device__ static const heddle::groups& groups_of(const Order& order) {
    if constexpr (heddle::cluster_order<Order>) {
      return order.tiles();
    } else {
      return order.space();
    }
  }
};

/// Products in which a group has rows of A and of B, over which the sums go, and a matrix C of a stack.
template <class Shape>
struct by_k {
  static constexpr major a = major::mn, b = major::mn;
  static constexpr bool has_tails = true;  // past the end of a group are the rows of another

  /// A group ends at its end, and no group before the one before it.
  template <class Order>
  __device__ static part part_of(const Order&, heddle::batch_coord tile, const arguments& arguments) {
    const int begin = tile.batch * arguments.m + tile.row * Shape::tile_m, last = (tile.batch + 1) * arguments.m;
    const int k_begin = tile.batch == 0 ? 0 : arguments.ends[tile.batch - 1], k_end = arguments.ends[tile.batch];
    const bool is_right = 0 <= k_begin && k_begin <= k_end && k_end <= arguments.k;
    return {tile.batch,
            begin,
            begin + Shape::tile_m < last ? begin + Shape::tile_m : last,
            tile.col * Shape::tile_n,
            is_right ? k_begin : 0,
            is_right ? k_end : 0};
  }

  __device__ static void load(unsigned char* to_a, unsigned char* to_b, const arguments& arguments, const part& of,
                              int rows, int k, std::uint64_t& full) {
    const int first = of.begin - of.group * arguments.m;
    for (int row = 0; row < rows; row += 64) {
      ptx::cp_async_bulk_tensor_load(to_a + row * 128, arguments.a, first + row, k, full);
    }
    for (int col = 0; col < Shape::tile_n; col += 64) {
      ptx::cp_async_bulk_tensor_load(to_b + col * 128, arguments.b, of.col + col, k, full);
    }
  }
};

/// The producer, which one thread runs: it leads the scheduler and keeps the ring full.
template <class Shape, class Operands, class Scheduler>
__device__ void produce(smem<Shape, Scheduler>& smem, const Scheduler& scheduler, const arguments& arguments) {
  hopper::place<Shape::stages> at;
  hopper::relay<part>::turn turn;
  auto place = scheduler.lead(smem.scheduler);
  const auto find = [&]() -> part {
    if (!place) return {no_group, 0, 0, 0, 0, 0};
    return Operands::part_of(scheduler.order(), *place, arguments);
  };
  for (part next = find(); next.group != no_group;) {
    const part here = next;
    const int rows = here.end - here.begin <= arguments.low_m ? 64 : Shape::tile_m, steps = here.steps();
    const int draw_at = steps > Shape::steps_to_draw ? steps - Shape::steps_to_draw : 0;
    for (int step = 0; step < steps || step == 0; ++step, at.advance()) {
      if (step == draw_at) {
        ++place;
        next = find();
      }
      std::uint64_t& full = smem.ring.filled(at);
      smem.ring.wait_until_empty(at);
      if (step == 0) smem.parts.tell(turn, here);  // consumers hear it when the stage is full
      if (steps == 0) {                            // consumers wait for the part alone
        ptx::mbarrier_arrive(full);
      } else {
        smem.ring.expect(at, static_cast<unsigned>(rows * Shape::tile_k * 2 + Shape::b_bytes));
        Operands::load(smem.a[at.stage], smem.b[at.stage], arguments, here, rows, here.k_begin + step * Shape::tile_k,
                       full);
      }
    }
  }
  smem.ring.wait_until_empty(at);
  smem.parts.tell(turn, {no_group, 0, 0, 0, 0, 0});
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
    if (here.end - here.begin <= arguments_.low_m) {
      const int first = number_ * (Shape::tile_n / 2);
      float sums[1][Shape::tile_n / 4] = {};
      multiply(sums, here, 0, first * 128);
      store(sums[0], here.begin, here.end, here.col + first);
    } else {
      float sums[1][Shape::tile_n / 2] = {};
      multiply(sums, here, number_ * 64 * 128, 0);
      store(sums[0], here.begin + number_ * 64, here.end, here.col);
    }
    return true;
  }

 private:
  /// Multiplies all steps of a part. The matrices begin so many bytes behind the beginning of a stage's A and B.
  template <int Sums>
  __device__ __forceinline__ void multiply(float (&sums)[1][Sums], const part& of, int behind_a, int behind_b) {
    const int steps = of.steps();
    if (steps == 0) {
      smem_.ring.release(at_.stage, with_);
      at_.advance();
      return;
    }
    hopper::multiply_stages<Element, Operands::a, Operands::b>(
        sums, steps, smem_.ring, at_, with_,
        [&](int stage, int step) -> hopper::operands_of_stage {
          if constexpr (Operands::has_tails) {
            const int left = of.k_end - of.k_begin - step * Shape::tile_k;
            if (left < Shape::tile_k) clear_tail(left);
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

  /// Stores rows up to `end`. A warp has 16 rows, which pass through shared memory, some columns at a time, so that its
  /// threads store 16 bytes each. A bulk store would have to be waited for before its box is written again.
  template <int Sums>
  __device__ __forceinline__ void store(const float (&sums)[Sums], int row, int end, int col) {
    const int warp = thread_ / 32, lane = thread_ % 32;
    row += warp * 16;
    if (row >= end) return;
    unsigned char* const box = smem_.c[number_][warp];
    Element* const c = static_cast<Element*>(arguments_.matrix_c) + static_cast<long long>(row) * arguments_.n;
#pragma unroll
    for (int part = 0; part < Sums * 2 / Shape::c_cols; ++part, col += Shape::c_cols) {
      __syncwarp();  // all have read the box
      hopper::stage_rows<Shape::c_cols, false>(box, lane, [&](int, int, int i) {
        const int sum = part * (Shape::c_cols / 2) + i;
        return hopper::pack<Element>(sums[sum], sums[sum + 1]);
      });
      __syncwarp();
      hopper::store_rows<Shape::c_cols>(box, lane, c + col, static_cast<unsigned>(arguments_.n), end - row,
                                        arguments_.n - col);
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
    shared.ring.init(1, Shape::consumers * Shape::cluster);
    shared.parts.init(Shape::consumer_threads / 32);
    ptx::fence_mbarrier_init();
    scheduler.start(shared.scheduler, /*followers*/ 0);
  }
  heddle::wait_for_launch_before();  // the preparation
  hopper::sync_all<(Shape::cluster > 1)>();

  if (warpgroup == Shape::consumers) {
    ptx::setmaxnreg_dec<40>();
    if (thread == 0) produce<Shape, Operands>(shared, scheduler, arguments);
  } else {
    ptx::setmaxnreg_inc<232>();
    consumer<Shape, Element, Operands, Scheduler> self(shared, arguments, warpgroup, thread);
    while (self.make()) continue;
  }
  if constexpr (Shape::cluster > 1) hopper::sync_all<(Shape::cluster > 1)>();  // others may still write to this block
}

}  // namespace grouped
