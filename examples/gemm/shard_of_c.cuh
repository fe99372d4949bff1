#pragma once

#include "hopper/roles.cuh"
#include "hopper/store.cuh"
#include "shape.cuh"

// C in shards, each of which another GPU may own. A tile of one's own shard adds what others have stored there. One of
// another shard goes through memory of the block, its room, from where a warp stores it at the owner while the next
// tile is multiplied: stores that a full link holds up would keep the operands of that tile waiting.

namespace gemm {

/// Where the tiles of C lie whose rows are in shards, one of each rank. Shards are counted from that of the next rank
/// on, so that a rank's own is the last. A shard is in pieces of up to eight rows of clusters.
struct shards_of_c {
  struct shard {
    int owner, step, piece, first_row, before_a;  // rows of tiles before it, and how many more than rows of A before it
    int tiles_of_piece;
  };

  int rank, ranks, rows;           // of a shard
  heddle::extent tile;             // of a block
  heddle::extent tiles, of_piece;  // of a shard

  shards_of_c(int rank_, int ranks_, int rows_, heddle::extent tile_, heddle::extent cluster, int cols, int pieces)
      : rank(rank_),
        ranks(ranks_),
        rows(rows_),
        tile(tile_),
        tiles{parts(rows, tile.rows * cluster.rows) * cluster.rows,
              parts(cols, tile.cols * cluster.cols) * cluster.cols},
        of_piece(piece_of(tiles, 8 * cluster.rows, pieces)) {}

  /// Returns the shard of a tile, whose rows begin with those of the next rank.
  HEDDLE_FN shard at(heddle::coord its) const {
    const int step = its.row / tiles.rows, owner = (rank + 1 + step) % ranks, first_row = step * tiles.rows * tile.rows;
    const int row = its.row % tiles.rows / of_piece.rows, col = its.col / of_piece.cols;
    const int high = tiles.rows - row * of_piece.rows, wide = tiles.cols - col * of_piece.cols;
    return {owner,
            step,
            row * parts(tiles.cols, of_piece.cols) + col,
            first_row,
            first_row - owner * rows,
            (high < of_piece.rows ? high : of_piece.rows) * (wide < of_piece.cols ? wide : of_piece.cols)};
  }
  /// Returns how many others there are, each with sums of one's own shard.
  HEDDLE_FN int others() const { return ranks - 1; }
  HEDDLE_FN bool is_sent(const shard& its) const { return its.step < ranks - 1; }

 private:
  HEDDLE_FN static int parts(int whole, int part) { return (whole - 1) / part + 1; }
  static heddle::extent piece_of(heddle::extent tiles, int rows, int pieces) {
    const int high = parts(tiles.rows, rows), down = high < pieces ? high : pieces;
    return {parts(tiles.rows, down), parts(tiles.cols, pieces / down)};
  }
};

/// Adds to the sums of one's own shard, and puts those of others in the room, as one of the warpgroups that make a
/// block's tiles.
template <class Shape, class Element, class Smem, class Arguments>
class shard_of_c {
  using boxes = hopper::staged<Shape::c_box>;
  static constexpr int boxes16 = Shape::tile.rows / 16;  // below each other

 public:
  __device__ shard_of_c(Smem& smem, const Arguments& arguments, int number, int thread)
      : smem_(smem),
        boxes_(smem.c[number]),
        loaded_(smem.c_loaded[number]),
        arguments_(arguments),
        warp_(thread / 32),
        lane_(thread % 32),
        number_(number) {}

  /// Adds `count` matrices below each other, each of as many rows as C has, to the sums of a tile that begins at
  /// `begin`. `wait_for(i)` waits for a matrix.
  template <int Parts, int Sums, class WaitFor>
  __device__ void add(float (&sums)[Parts][Sums], place_of_tile begin, int count, const WaitFor& wait_for) {
    hopper::ptx::fence_proxy_async();  // threads have written the boxes
    __syncwarp();
    if (lane_ == 0) hopper::ptx::cp_async_bulk_wait_group_read<0>();
#pragma unroll
    for (int part = 0; part < Parts; ++part, begin.row += 64) {
      if constexpr (Shape::transposed) {
        add_columns(sums[part], begin.col, begin.row, count, wait_for);
      } else {
        add_rows(sums[part], begin.row, begin.col, count, wait_for);
      }
    }
  }

  /// Puts the sums of a tile in the room.
  template <int Parts, int Sums>
  __device__ void put(const float (&sums)[Parts][Sums], int first_row) {
    hopper::ptx::mbarrier_wait(smem_.room_is_empty, (turns_++ + 1) & 1);
    auto* const room = static_cast<Element*>(arguments_.gate_of_c.room(2 * Shape::tile.size()));
    const auto pair = [&](int part, int sum) { return hopper::pack<Element>(sums[part][sum], sums[part][sum + 1]); };
#pragma unroll
    for (int part = 0; part < Parts; ++part) {
#pragma unroll
      for (int at = 0; at < (Shape::transposed ? 1 : Shape::tile_n / Shape::c_box); ++at) {
        auto& box = boxes_[at % Shape::c_boxes];
        int row = 0;
        if constexpr (Shape::transposed) {
#pragma unroll
          for (int b = 0; b < boxes16; ++b) {
            hopper::stage_columns<false>(box[b], lane_, warp_ * 16,
                                         [&](int, int, int i) { return pair(part, b * 8 + i); });
          }
          hopper::sync(hopper::of_warpgroup, number_, 128);
          row = warp_ * 16;
        } else {
          hopper::stage_rows<Shape::c_box, false>(
              box[warp_], lane_, [&](int, int, int i) { return pair(part, at * (Shape::c_box / 2) + i); });
          __syncwarp();
          row = first_row + part * 64 + warp_ * 16;
        }
        const int col = Shape::transposed ? first_row + part * 64 : at * Shape::c_box;
        if (!Shape::transposed || warp_ < boxes16) {
          hopper::store_rows<Shape::c_box>(
              box[warp_], lane_, [&](int i) { return room + (row + i) * Shape::tile.cols + col; }, 16, Shape::c_box);
        }
        if constexpr (Shape::transposed) hopper::sync(hopper::of_warpgroup, number_, 128);
        __syncwarp();  // the box may be staged again
      }
    }
    if (lane_ == 0) hopper::ptx::mbarrier_arrive(smem_.room_is_full);
  }

 private:
  using sums_of_rows = float[Shape::tile_n / 2];  // of 64 rows

  __device__ void load(std::uint64_t& loaded, unsigned char* box, int row, int col, bool is_inside) const {
    hopper::ptx::mbarrier_arrive_expect_tx(loaded, is_inside ? boxes::bytes : 0);
    if (is_inside) hopper::ptx::cp_async_bulk_tensor_load(box, arguments_.gate_of_c.map, col, row, loaded);
  }

  /// Adds 64 rows, a box of columns at a time, while the next ones are loaded.
  template <class WaitFor>
  __device__ void add_rows(sums_of_rows& sums, int row, int col, int count, const WaitFor& wait_for) {
    constexpr int parts = Shape::tile_n / Shape::c_box;
    row += warp_ * 16;
    const auto load_box = [&](int i) {
      if (lane_ != 0 || i >= count * parts) return;
      const int from = i / parts, part = i % parts;
      if (part == 0) wait_for(from);
      load(loaded_[i % Shape::c_boxes][warp_], boxes_[i % Shape::c_boxes][warp_], from * arguments_.m + row,
           col + part * Shape::c_box, true);
    };
    for (int i = 0; i < Shape::c_boxes; ++i) load_box(i);
    for (int from = 0; from < count; ++from) {
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        const int i = from * parts + part, b = i % Shape::c_boxes;
        hopper::ptx::mbarrier_wait(loaded_[b][warp_], loads_ >> b & 1);
        loads_ ^= 1u << b;
#pragma unroll
        for (int of = 0; of < Shape::c_box / 4; ++of) {  // pairs, as stage_rows has them
          const int at = boxes::at(lane_ / 4 + of % 2 * 8, of / 2 * 8 + lane_ % 4 * 2);
          const float2 pair = hopper::unpack<Element>(*reinterpret_cast<const unsigned*>(boxes_[b][warp_] + at));
          const int sum = part * (Shape::c_box / 2) + of * 2;
          sums[sum] += pair.x, sums[sum + 1] += pair.y;
        }
        __syncwarp();  // all lanes have read the box
        load_box(i + Shape::c_boxes);
      }
    }
  }

  /// Adds 64 columns. Each warp loads a box of 16 rows of them, or none.
  template <class WaitFor>
  __device__ void add_columns(sums_of_rows& sums, int row, int col, int count, const WaitFor& wait_for) {
    static_assert(!Shape::transposed || boxes16 <= 4);
    for (int from = 0; from < count; ++from) {
      hopper::sync(hopper::of_warpgroup, number_, 128);  // all warps have read the boxes
      if (lane_ == 0) {
        wait_for(from);
        load(loaded_[0][warp_], boxes_[0][warp_], from * arguments_.m + row + warp_ * 16, col, warp_ < boxes16);
      }
      for (auto& loaded : loaded_[0]) hopper::ptx::mbarrier_wait(loaded, loads_ & 1);
      loads_ ^= 1;
#pragma unroll
      for (int i = 0; i < Shape::tile_n / 4; ++i) {  // pairs, as stage_columns has them
        const int at_row = i % 4 / 2 * 8 + lane_ % 4 * 2, at_col = warp_ * 16 + i % 2 * 8 + lane_ / 4;
        for (const int below : {0, 1}) {
          const auto* const element = boxes_[0][i / 4] + boxes::at(at_row + below, at_col);
          sums[i * 2 + below] += static_cast<float>(*reinterpret_cast<const Element*>(element));
        }
      }
    }
    hopper::sync(hopper::of_warpgroup, number_, 128);
  }

  Smem& smem_;
  unsigned char (&boxes_)[Shape::c_boxes][4][Shape::c_box_bytes];
  std::uint64_t (&loaded_)[Shape::c_boxes][4];
  const Arguments& arguments_;
  int warp_, lane_, number_;
  unsigned loads_ = 0, turns_ = 0;  // a bit for each box of a warp; tiles that were put in the room
};

/// The sender, which a warp runs: it stores the tiles of other shards at their owners, 2 kB at a time. It takes four
/// fifths of the time in which the matrix unit can make a tile, 32 cycles a step for 2 kB, so that a link is not full.
template <class Shape, class Smem, class Tiles, class Arguments>
__device__ void send(Smem& smem, Tiles place, const Arguments& arguments, int k_steps, int lane) {
  const unsigned cycles = static_cast<unsigned>(k_steps) * 26;
  constexpr int in_row = Shape::tile.cols / 8, rows_of_warp = 32 / in_row, at_once = 4;
  static_assert(Shape::tile.rows % (at_once * rows_of_warp) == 0);
  const auto& gate = arguments.gate_of_c;
  for (unsigned turn = 0; place; ++place) {
    const heddle::coord tile = *place;
    const auto shard = gate.at(tile);
    if (!gate.is_sent(shard)) continue;
    const int row = tile.row * Shape::tile.rows - shard.first_row, col = tile.col * Shape::tile.cols;
    const int rows = min(Shape::tile.rows, arguments.m - row), rows_apart = rows_of_warp * arguments.n * 2;
    const auto* from = static_cast<const uint4*>(gate.room(2 * Shape::tile.size())) + lane;
    char* to = gate.owned_by(shard.owner) +
               (static_cast<long long>(row + lane / in_row) * arguments.n + col + lane % in_row * 8) * 2;
    hopper::ptx::mbarrier_wait(smem.room_is_full, turn++ & 1);
    auto last = static_cast<unsigned>(clock());
    for (int first = lane / in_row; first < rows; first += at_once * rows_of_warp) {
      while (static_cast<unsigned>(clock()) - last < cycles) __nanosleep(100);
      last += cycles;
      uint4 sums[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) sums[i] = __ldcg(from + i * 32);
#pragma unroll
      for (int i = 0; i < at_once; ++i, to += rows_apart) {
        const bool is_inside = first + i * rows_of_warp < rows && col + lane % in_row * 8 < arguments.n;
        if (is_inside) *reinterpret_cast<uint4*>(to) = sums[i];
      }
      from += at_once * 32;
    }
    __syncwarp();
    if (lane == 0) hopper::ptx::mbarrier_arrive(smem.room_is_empty);
    __threadfence_system();
    __syncwarp();
    if (lane == 0) gate.tell(shard);
  }
}

}  // namespace gemm
