#pragma once

#include "hopper/roles.cuh"
#include "hopper/store.cuh"
#include "shape.cuh"

namespace gemm {

/// Stores C = epilogue(alpha sums + beta C), as one of the warpgroups that make a block's tiles. C passes through boxes
/// in shared memory, from where bulk copies store it while the warpgroup goes on.
template <class Shape, class Element, class Smem, class Arguments>
class store_c {
  using boxes = hopper::staged<Shape::c_box>;

 public:
  __device__ store_c(Smem& smem, const Arguments& arguments, int number, int thread)
      : boxes_(smem.c[number]),
        loaded_(smem.c_loaded[number][0]),
        arguments_(arguments),
        warp_(thread / 32),
        lane_(thread % 32),
        number_(number) {}

  /// Stores 64 rows of a tile for every part of the sums, from `begin` on.
  template <int Parts, int Sums>
  __device__ void store(const float (&sums)[Parts][Sums], place_of_tile begin) {
#pragma unroll
    for (int part = 0; part < Parts; ++part, begin.row += 64) {
      if (arguments_.beta != 0) {
        store_part<true>(sums[part], begin);
      } else {
        store_part<false>(sums[part], begin);
      }
    }
  }

  /// Waits until the last stores have read shared memory.
  __device__ void finish() {
    if (lane_ == 0) hopper::ptx::cp_async_bulk_wait_group_read<0>();
  }

 private:
  using sums_of_rows = float[Shape::tile_n / 2];  // of 64 rows

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
  __device__ void store_part(const sums_of_rows& sums, place_of_tile begin) {
    if constexpr (Shape::transposed) {
      store_columns<ReadsC>(sums, begin.col, begin.row);
    } else {
      store_rows<ReadsC>(sums, begin.row, begin.col);
    }
  }

  /// Stores 64 rows of C, a box of columns at a time. Each warp has 16 rows, and boxes of shared memory to itself.
  template <bool ReadsC>
  __device__ void store_rows(const sums_of_rows& sums, int row, int col) {
    row += warp_ * 16;
    std::uint64_t& loaded = loaded_[warp_];
    constexpr int parts = Shape::tile_n / Shape::c_box;
#pragma unroll
    for (int part = 0; part < parts; ++part, col += Shape::c_box) {
      unsigned char* const box = boxes_[part % Shape::c_boxes][warp_];
      if (lane_ == 0) {
        wait_for_box<parts>(part);
        if constexpr (ReadsC) {
          hopper::ptx::mbarrier_arrive_expect_tx(loaded, boxes::bytes);
          hopper::ptx::cp_async_bulk_tensor_load(box, arguments_.c, col, row, loaded);
        }
      }
      __syncwarp();
      if constexpr (ReadsC) {
        hopper::ptx::mbarrier_wait(loaded, loads_);
        loads_ ^= 1;
      }
      hopper::stage_rows<Shape::c_box, ReadsC>(box, lane_, [&](int at_row, int at_col, int i) {
        const int sum = part * (Shape::c_box / 2) + i;
        float low = arguments_.alpha * sums[sum], high = arguments_.alpha * sums[sum + 1];
        if constexpr (ReadsC) {
          const auto before = reinterpret_cast<const unsigned*>(box + boxes::at(at_row, at_col));
          const float2 c = hopper::unpack<Element>(*before);
          low += arguments_.beta * c.x, high += arguments_.beta * c.y;
        }
        const int m = row + at_row, n = col + at_col;
        if (m < arguments_.m && n < arguments_.n) low = arguments_.epilogue(low, m, n);
        if (m < arguments_.m && n + 1 < arguments_.n) high = arguments_.epilogue(high, m, n + 1);
        return hopper::pack<Element>(low, high);
      });
      hopper::ptx::fence_proxy_async();
      __syncwarp();
      if (lane_ == 0) hopper::store_box(arguments_.c, col, row, box, row < arguments_.m && col < arguments_.n);
    }
  }

  /// Stores 64 columns of C, up to four boxes of 16 rows at a time. Each warp has 16 columns of all boxes, and loads
  /// and stores one box.
  template <bool ReadsC>
  __device__ void store_columns(const sums_of_rows& sums, int row, int col) {
    constexpr int rows16 = Shape::tile_n / 16, parts = (rows16 + 3) / 4;
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      auto& box = boxes_[part % Shape::c_boxes];
      const int first = part * 4, count = rows16 - first < 4 ? rows16 - first : 4;
      if (lane_ == 0) {
        wait_for_box<parts>(part);
        if constexpr (ReadsC) {
          hopper::ptx::mbarrier_arrive_expect_tx(loaded_[warp_], warp_ < count ? Shape::c_box_bytes : 0);
          if (warp_ < count) {
            hopper::ptx::cp_async_bulk_tensor_load(box[warp_], arguments_.c, col, row + (first + warp_) * 16,
                                                   loaded_[warp_]);
          }
        }
      }
      hopper::sync(hopper::of_warpgroup, number_, 128);
      if constexpr (ReadsC) {
        for (auto& loaded : loaded_) hopper::ptx::mbarrier_wait(loaded, loads_);
        loads_ ^= 1;
      }
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        if (b >= count) break;
        hopper::stage_columns<ReadsC>(box[b], lane_, warp_ * 16, [&](int at_row, int at_col, int i) {
          const int sum = (first + b) * 8 + i;
          float upper = arguments_.alpha * sums[sum], lower = arguments_.alpha * sums[sum + 1];
          if constexpr (ReadsC) {
            const auto before = [&](int r) {
              return static_cast<float>(
                  *reinterpret_cast<const Element*>(box[b] + hopper::staged<Shape::c_box>::at(r, at_col)));
            };
            upper += arguments_.beta * before(at_row), lower += arguments_.beta * before(at_row + 1);
          }
          const int m = row + (first + b) * 16 + at_row, n = col + at_col;
          if (m < arguments_.m && n < arguments_.n) upper = arguments_.epilogue(upper, m, n);
          if (m + 1 < arguments_.m && n < arguments_.n) lower = arguments_.epilogue(lower, m + 1, n);
          return hopper::pack<Element>(upper, lower);
        });
      }
      hopper::ptx::fence_proxy_async();
      hopper::sync(hopper::of_warpgroup, number_, 128);
      if (lane_ == 0) {
        const int box_row = row + (first + warp_) * 16;
        const bool is_inside = warp_ < count && box_row < arguments_.m && col < arguments_.n;
        hopper::store_box(arguments_.c, col, box_row, box[warp_], is_inside);
      }
    }
  }

  unsigned char (&boxes_)[Shape::c_boxes][4][Shape::c_box_bytes];
  std::uint64_t (&loaded_)[4];
  const Arguments& arguments_;
  int warp_, lane_, number_;
  unsigned loads_ = 0;
};

}  // namespace gemm
