#pragma once

#include <heddle/launch/programmatic.hpp>
#include <heddle/schedule/arrival_gate.hpp>
#include <heddle/schedule/seats.hpp>

#include "hopper/load.cuh"
#include "hopper/multiply.cuh"
#include "kernel.cuh"

// C = epilogue(alpha A B + beta C) on Hopper. A thread takes tiles and has their operands copied to a ring in shared
// memory; where tiles are small and few, a second thread has B copied. Up to three warpgroups multiply what is there,
// 64 rows each or a tile each in turn, and store C by way of shared memory while the next tile is being loaded.
//
// Order and scheduler are policies: the kernel does not know which block works on which tile. Over `clustered` the
// blocks of a cluster work on neighbours, and each loads for all of them a share of the operands that they have in
// common. Over `along_k` they work on one tile, a part of k each.

namespace gemm {

/// The shape of a kernel: blocks that make `TileM` x `TileN` elements of C, in clusters of `ClusterM` x `ClusterN`.
///
/// `InTurn`: each of two warpgroups makes every other tile, and stores it while the other multiplies. `Transposed`: A
/// and B change places, so that M are the columns of C and N its rows: a tile may have any multiple of 8 rows.
template <int TileM, int TileN, int ClusterM, int ClusterN, bool InTurn = false, bool Transposed = (TileN < 64)>
struct wgmma_shape {
  static constexpr int tile_m = TileM, tile_n = TileN, tile_k = 64;  // 64 elements are the 128 bytes of a swizzle
  static constexpr int cluster_m = ClusterM, cluster_n = ClusterN, cluster = ClusterM * ClusterN;
  static constexpr bool in_turn = InTurn, transposed = Transposed;
  static constexpr heddle::extent tile = Transposed ? heddle::extent{TileN, TileM} : heddle::extent{TileM, TileN};
  static constexpr heddle::extent tiles_of_cluster =
      Transposed ? heddle::extent{ClusterN, ClusterM} : heddle::extent{ClusterM, ClusterN};
  static constexpr int consumers = InTurn || TileM == 256 ? 2 : TileM / 64, consumers_of_tile = InTurn ? 1 : consumers;
  static constexpr int rows64 = TileM / 64 / consumers_of_tile;  // per consumer, in units of 64
  static constexpr int consumer_threads = 128 * consumers, threads = 128 + consumer_threads;
  static constexpr bool has_short_steps = tile_m == 64;

  // A block with two consumers has 64512 registers, with three 65536. Large tiles leave a producer 40, which is too few
  // if it draws tiles.
  template <bool Draws>
  static constexpr int consumer_registers = consumers == 3                                       ? 160
                                            : !Draws && (tile_n == 256 || rows64 * tile_n > 320) ? 232
                                                                                                 : 224;
  template <bool Draws>
  static constexpr int producer_registers = consumers == 3                     ? 32
                                            : consumer_registers<Draws> == 232 ? 40
                                                                               : 56;

  static constexpr int a_bytes = tile_m * tile_k * 2, b_bytes = tile_n * tile_k * 2;
  // Boxes of 16 rows of C. Their rows are swizzled, or begin at odd multiples of 16 bytes, so that no banks conflict.
  static constexpr int c_box = transposed || tile_n % 64 == 0 ? 64 : tile_n % 32 == 0 ? 32 : 88;  // columns
  static constexpr int c_box_bytes = 16 * c_box * 2;
  // Per warp. Of two, one is filled while the other is stored.
  static constexpr int c_boxes = consumers > 2 || in_turn || transposed ? 1 : 2;
  static_assert(transposed ? tile_n % 16 == 0 : tile_n % c_box == 0);
  static constexpr int sharers = cluster_m + cluster_n - 1;  // blocks that load for this one
  using place_in_cluster = hopper::cluster_place<cluster_m, cluster_n, transposed>;
  static constexpr int c_bytes = consumers * 4 * c_boxes * c_box_bytes;
  static constexpr int smem_limit = 227 * 1024, smem_rest = 1024;
  static constexpr int stages = (smem_limit - smem_rest - c_bytes) / (a_bytes + b_bytes);
};

/// The shape of tiles of `TileN` rows and `TileM` columns.
template <int TileM, int TileN, int ClusterM, int ClusterN>
using transposed_shape = wgmma_shape<TileM, TileN, ClusterM, ClusterN, false, true>;

/// The shared memory of a block.
template <class Shape, class Scheduler>
struct wgmma_smem {
  alignas(1024) unsigned char a[Shape::stages][Shape::a_bytes];
  unsigned char b[Shape::stages][Shape::b_bytes];
  unsigned char c[Shape::consumers][Shape::c_boxes][4][Shape::c_box_bytes];
  hopper::ring<Shape::stages, Shape::cluster> ring;
  std::uint64_t c_loaded[Shape::consumers][4];
  std::uint64_t turn[2];
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

/// The first row of A and the first column of B of a tile.
struct place_of_tile {
  int row, col;
};

template <class Shape, class Tile>
__device__ place_of_tile begin_of(Tile tile) {
  if constexpr (Shape::transposed) return {tile.col * Shape::tile_m, tile.row * Shape::tile_n};
  return {tile.row * Shape::tile_m, tile.col * Shape::tile_n};
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
      : smem_(smem), arguments_(arguments), number_(number), thread_(thread) {
    // A part without steps leaves them so. Along k every part has steps, and this would come between them.
    if constexpr (!is_along_k<Scheduler>) clear();
    with_ = {static_cast<unsigned>(thread), typename Shape::place_in_cluster().has_loads_of(thread)};
  }

  /// Multiplies the steps [begin, end) of a tile. A thread has sums of two rows, eight apart: for every eight columns,
  /// two sums of either row.
  __device__ void multiply(int begin, int end) {
    if constexpr (Shape::in_turn) {  // the ring may be two rounds ahead, which its barriers' parity cannot show
      hopper::ptx::mbarrier_wait(smem_.turn[number_], turn_ ^ (number_ == 0));
      turn_ ^= 1;
    }
    hopper::multiply_stages<Element, A, B>(
        sums_, end - begin, smem_.ring, at_, with_,
        [&](int stage, int) -> hopper::operands_of_stage {
          return {hopper::operand<A>::matrix_at(smem_.a[stage] + first_row() * 128),
                  hopper::operand<B>::matrix_at(smem_.b[stage])};
        },
        [&] {
          if constexpr (Shape::in_turn) {
            if (thread_ == 0) hopper::ptx::mbarrier_arrive(smem_.turn[1 - number_]);
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
    hopper::ptx::bar_sync(1 + group, 128 * Shape::consumers_of_tile);
    if (number_ == group && thread_ == 0) smem_.is_last[group] = smem_.arrivals.arrive(share);
    hopper::ptx::bar_sync(1 + group, 128 * Shape::consumers_of_tile);
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
    hopper::ptx::bar_sync(1, 128 * Shape::consumers);  // until the other warpgroups have multiplied, too
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
#pragma unroll
    for (int half = 0; half < Shape::rows64; ++half, begin.row += 64) {
      if (arguments_.beta != 0) {
        store<true>(sums_[half], begin);
      } else {
        store<false>(sums_[half], begin);
      }
    }
  }

  /// Waits until the last stores have read shared memory.
  __device__ void finish() {
    if (thread_ % 32 == 0) hopper::ptx::cp_async_bulk_wait_group_read<0>();
  }

 private:
  static constexpr int fours_of_64 = Shape::tile_n / 8, fours = Shape::rows64 * fours_of_64;
  using sums = float[Shape::tile_n / 2];  // of 64 rows

  /// Waits until the last store from the box of a part has read it: the last but one, or the last if the tile before
  /// had an odd number of parts.
  template <int Parts>
  __device__ static void wait_for_box(int part) {
    if (part == 0 && Parts % Shape::c_boxes != 0) {
      hopper::ptx::cp_async_bulk_wait_group_read<0>();
    } else {
      hopper::ptx::cp_async_bulk_wait_group_read<Shape::c_boxes - 1>();
    }
  }

  template <bool ReadsC>
  __device__ void store(const sums& sums, place_of_tile begin) {
    if constexpr (Shape::transposed) {
      store_columns<ReadsC>(sums, begin.col, begin.row);
    } else {
      store_rows<ReadsC>(sums, begin.row, begin.col);
    }
  }

  /// Stores 64 rows of C, a box of columns at a time. Each warp has 16 rows, and boxes of shared memory to itself.
  template <bool ReadsC>
  __device__ void store_rows(const sums& sums, int row, int col) {
    const int warp = thread_ / 32, lane = thread_ % 32;
    row += warp * 16;
    std::uint64_t& loaded = smem_.c_loaded[number_][warp];
    constexpr int parts = Shape::tile_n / Shape::c_box;
#pragma unroll
    for (int part = 0; part < parts; ++part, col += Shape::c_box) {
      unsigned char* const box = smem_.c[number_][part % Shape::c_boxes][warp];
      if (lane == 0) {
        wait_for_box<parts>(part);
        if constexpr (ReadsC) {
          hopper::ptx::mbarrier_arrive_expect_tx(loaded, Shape::c_box_bytes);
          hopper::ptx::cp_async_bulk_tensor_load(box, arguments_.c, col, row, loaded);
        }
      }
      __syncwarp();
      if constexpr (ReadsC) {
        hopper::ptx::mbarrier_wait(loaded, loads_);
        loads_ ^= 1;
      }
#pragma unroll
      for (int col16 = 0; col16 < Shape::c_box; col16 += 16) {
        unsigned pairs[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          if (col16 + i / 2 * 8 >= Shape::c_box) continue;
          const int at_row = lane / 4 + i % 2 * 8, at_col = col16 + i / 2 * 8 + lane % 4 * 2;
          const int sum = part * (Shape::c_box / 2) + col16 / 2 + i * 2;
          float low = arguments_.alpha * sums[sum], high = arguments_.alpha * sums[sum + 1];
          if constexpr (ReadsC) {
            const auto before = reinterpret_cast<const unsigned*>(box + swizzled(at_row, at_col));
            const float2 c = hopper::unpack<Element>(*before);
            low += arguments_.beta * c.x, high += arguments_.beta * c.y;
          }
          const int m = row + at_row, n = col + at_col;
          if (m < arguments_.m && n < arguments_.n) low = arguments_.epilogue(low, m, n);
          if (m < arguments_.m && n + 1 < arguments_.n) high = arguments_.epilogue(high, m, n + 1);
          pairs[i] = hopper::pack<Element>(low, high);
        }
        if constexpr (ReadsC) __syncwarp();
        if (Shape::c_box % 16 == 0 || col16 + 16 <= Shape::c_box) {
          hopper::ptx::stmatrix_x4(hopper::ptx::shared_address(box + swizzled(lane % 16, col16 + lane / 16 * 8)),
                                   pairs);
        } else {
          hopper::ptx::stmatrix_x2(hopper::ptx::shared_address(box + swizzled(lane % 16, col16)), pairs[0], pairs[1]);
        }
      }
      hopper::ptx::fence_proxy_async();
      __syncwarp();
      if (lane == 0) {
        if (row < arguments_.m && col < arguments_.n)
          hopper::ptx::cp_async_bulk_tensor_store(arguments_.c, col, row, box);
        hopper::ptx::cp_async_bulk_commit_group();
      }
    }
  }

  /// Stores 64 columns of C, up to four boxes of 16 rows at a time. Each warp has 16 columns of all boxes.
  template <bool ReadsC>
  __device__ void store_columns(const sums& sums, int row, int col) {
    const int warp = thread_ / 32, lane = thread_ % 32;
    constexpr int boxes = Shape::tile_n / 16, parts = (boxes + 3) / 4;
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      auto& box = smem_.c[number_][part % Shape::c_boxes];
      const int first = part * 4, count = boxes - first < 4 ? boxes - first : 4;
      // Warp i loads and stores box i.
      if (lane == 0) {
        wait_for_box<parts>(part);
        if constexpr (ReadsC) {
          std::uint64_t& loaded = smem_.c_loaded[number_][warp];
          hopper::ptx::mbarrier_arrive_expect_tx(loaded, warp < count ? Shape::c_box_bytes : 0);
          if (warp < count) {
            hopper::ptx::cp_async_bulk_tensor_load(box[warp], arguments_.c, col, row + (first + warp) * 16, loaded);
          }
        }
      }
      hopper::ptx::bar_sync(own_barrier(), 128);
      if constexpr (ReadsC) {
        for (auto& loaded : smem_.c_loaded[number_]) hopper::ptx::mbarrier_wait(loaded, loads_);
        loads_ ^= 1;
      }
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        if (b >= count) break;
        unsigned pairs[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int at_row = i / 2 * 8 + lane % 4 * 2, at_col = warp * 16 + i % 2 * 8 + lane / 4;
          const int sum = (first + b) * 8 + i * 2;
          float upper = arguments_.alpha * sums[sum], lower = arguments_.alpha * sums[sum + 1];
          if constexpr (ReadsC) {
            const auto before = [&](int r) {
              return static_cast<float>(*reinterpret_cast<const Element*>(box[b] + swizzled(r, at_col)));
            };
            upper += arguments_.beta * before(at_row), lower += arguments_.beta * before(at_row + 1);
          }
          const int m = row + (first + b) * 16 + at_row, n = col + at_col;
          if (m < arguments_.m && n < arguments_.n) upper = arguments_.epilogue(upper, m, n);
          if (m + 1 < arguments_.m && n < arguments_.n) lower = arguments_.epilogue(lower, m + 1, n);
          pairs[i] = hopper::pack<Element>(upper, lower);
        }
        if constexpr (ReadsC) __syncwarp();
        const int to_row = lane / 16 * 8 + lane % 8, to_col = warp * 16 + lane / 8 % 2 * 8;
        hopper::ptx::stmatrix_x4_transposed(hopper::ptx::shared_address(box[b] + swizzled(to_row, to_col)), pairs);
      }
      hopper::ptx::fence_proxy_async();
      hopper::ptx::bar_sync(own_barrier(), 128);
      if (lane == 0) {
        const int box_row = row + (first + warp) * 16;
        if (warp < count && box_row < arguments_.m && col < arguments_.n) {
          hopper::ptx::cp_async_bulk_tensor_store(arguments_.c, col, box_row, box[warp]);
        }
        hopper::ptx::cp_async_bulk_commit_group();
      }
    }
  }

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

  /// Returns the number of the barrier of this warpgroup alone.
  __device__ int own_barrier() const {
    return 4 + number_;
  }

  /// Returns the offset of an element in a box. The 16-byte pieces of a row are permuted by its line of 128 bytes.
  __device__ static int swizzled(int row, int col) {
    constexpr bool is_swizzled = Shape::c_box <= 64;
    constexpr int rows_of_line = is_swizzled ? 64 / Shape::c_box : 16, pieces = Shape::c_box / 8;
    if (!is_swizzled) return (row * Shape::c_box + col) * 2;
    return (row * Shape::c_box + (col / 8 ^ row / rows_of_line % pieces) * 8 + col % 8) * 2;
  }

  wgmma_smem<Shape, Scheduler>& smem_;
  const Arguments& arguments_;
  int number_, thread_;
  hopper::sharer with_;
  hopper::place<Shape::stages> at_;
  unsigned loads_ = 0, turn_ = 0;
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
  extern __shared__ __align__(1024) unsigned char wgmma_memory[];
  auto& smem = *reinterpret_cast<wgmma_smem<Shape, Scheduler>*>(wgmma_memory);
  static_assert(sizeof smem <= Shape::smem_limit);
  const int warpgroup = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0);  // known to be uniform in a warp
  const int thread = static_cast<int>(threadIdx.x) % 128;
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
    for (auto& turn : smem.turn) hopper::ptx::mbarrier_init(turn, 1);
    hopper::ptx::fence_mbarrier_init();
    scheduler.start(smem.scheduler, Shape::consumer_threads + (copies_apart ? 1 : 0));
  }
  // The next kernel of the stream may start as far as there is room. This one waits for the one before it as late as it
  // can: where a scheduler only computes, a block has found its first tile by then.
  heddle::let_next_launch_start();
  constexpr bool draws = !detail::only_computes<Scheduler>();
  if constexpr (draws) heddle::wait_for_launch_before();
  if constexpr (Shape::cluster > 1) {
    __syncwarp();
    hopper::ptx::barrier_cluster();
  } else {
    __syncthreads();
  }
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
      self.store(detail::begin_of<Shape>(part.tile));
    }
    self.finish();
  }
  if constexpr (detail::is_along_k<Scheduler>) {
    __syncwarp();
    hopper::ptx::barrier_cluster();
    if (warpgroup < Shape::consumers) {
      for (auto place = scheduler.follow(smem.scheduler, on); place; ++place) {
        detail::add_up_in_cluster<Shape, Element>(smem, arguments, detail::begin_of<Shape>(*place));
      }
    }
  }
  // A block must not leave while another may still write to it, or read its sums.
  if constexpr (Shape::cluster > 1 || detail::is_along_k<Scheduler>) {
    __syncwarp();
    hopper::ptx::barrier_cluster();
  }
}

}  // namespace gemm
