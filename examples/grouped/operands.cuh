#pragma once

#include <heddle/order/batch.hpp>
#include <heddle/order/groups.hpp>

#include "hopper/element.cuh"
#include "hopper/store.cuh"

// What a tile of a group is, and the loads of its operands.

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
  static constexpr int stages = 4;
};

/// What a block makes: rows [begin, end) of C from a column on, as a sum over [k_begin, k_end).
struct part {
  int group, begin, end, col, k_begin, k_end;

  __device__ int steps() const { return (k_end - k_begin + 63) / 64; }
  /// Returns whether it has the lower body, if those of so many rows or fewer do.
  __device__ bool is_low(int low_m) const { return end - begin <= low_m; }
};
constexpr int no_group = -1;  // of the part that tells consumers to end

struct arguments {
  CUtensorMap a, b;
  int low_m;  // a tile of so many rows or fewer has the lower body
  int n, k;   // n: columns of C
  void* matrix_c;

  // Of products by k.
  int m = 0;
  const int* ends = nullptr;

  // Of products of rows: row i of the groups is that row of A, of zeros if there is none, and that row of C; or row i
  // without an index.
  const int* rows_of_a = nullptr;
  const void* matrix_a = nullptr;
  int a_rows = 0;
  const int* rows_of_c = nullptr;
  int c_rows = 0;                  // an index outside of these is not stored
  const float* weights = nullptr;  // row i is multiplied by its own
};

/// Returns x / (1 + e^-x).
__device__ inline float silu(float x) {
  return __fdividef(x, 1 + ptx::ex2(-1.4426950408889634f * x));
}

/// Products in which a group has rows of A and of C, and a matrix B of a stack. If it `IsGated`, B has 2 n columns, and
/// C = silu(A B's first n) x (A B's others): a tile has 64 columns of either by turns.
template <class Shape, major B, bool IsGated = false>
struct by_rows {
  static constexpr major a = major::k, b = B;
  static constexpr bool has_tails = false;  // past the last k the copies fill up with zeros
  static constexpr bool is_gated = IsGated;

  template <class Order>
  __device__ static part part_of(const Order& order, heddle::group_coord tile, const arguments& arguments) {
    const auto [begin, end] = groups_of(order).rows_of(tile);
    return {tile.group, begin, end, tile.col * Shape::tile_n, 0, arguments.k};
  }

  /// Loads a step of A, unless its rows are gathered, and of B. Each block of a cluster loads a part of A for all of
  /// them.
  __device__ static void load(unsigned char* to_a, unsigned char* to_b, const arguments& arguments, const part& of,
                              int rows, int k, std::uint64_t& full) {
    const int rank = Shape::cluster > 1 ? static_cast<int>(ptx::cluster_ctarank()) : 0;
    for (int row = rank * Shape::a_box; row < rows && arguments.rows_of_a == nullptr; row += 64) {
      if constexpr (Shape::cluster > 1) {
        constexpr unsigned all_blocks = (1u << Shape::cluster) - 1;
        ptx::cp_async_bulk_tensor_multicast(to_a + row * 128, arguments.a, k, of.begin + row, full, all_blocks);
      } else {
        ptx::cp_async_bulk_tensor_load(to_a + row * 128, arguments.a, k, of.begin + row, full);
      }
    }
    if constexpr (B == major::k && !IsGated) {
      ptx::cp_async_bulk_tensor_load(to_b, arguments.b, k, of.col, of.group, full);
    } else {
      for (int col = 0; col < Shape::tile_n; col += 64) {
        int from = of.col + col;
        if constexpr (IsGated) from = (of.col + col / 128 * 128) / 2 + col / 64 % 2 * arguments.n;
        const int x = B == major::k ? k : from, y = B == major::k ? from : k;
        ptx::cp_async_bulk_tensor_load(to_b + col * 128, arguments.b, x, y, of.group, full);
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
  static constexpr bool is_gated = false;

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

}  // namespace grouped
