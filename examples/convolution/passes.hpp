#pragma once

#include <cuda_runtime.h>

#include <string>
#include <type_traits>

#include <heddle/order/row_major.hpp>
#include <heddle/order/tile_table.hpp>
#include <heddle/predict/order_choice.hpp>
#include <heddle/predict/schedule_kind.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/predict/with_schedule.hpp>
#include <heddle/schedule.hpp>

#include "atrous.cuh"
#include "blur.cuh"
#include "dense.cuh"

// The passes by any order and any schedule that is picked at run time. Orders are tables, so that a kernel is compiled
// once for all orders.

namespace convolution {

using heddle::predict::schedule_kind;

/// An order of the tiles of a pass, and a schedule.
struct composition {
  heddle::predict::order_choice order;
  schedule_kind schedule = schedule_kind::one_shot;
  int run = 64;  // of sm_affine, in tiles
};

/// An order and a schedule on the device: the table of the one, the state of the other. It serves one stream.
class placed {
 public:
  template <heddle::grid_order Order>
  placed(const Order& order, schedule_kind schedule, int run);
  placed(const composition& chosen, heddle::extent tiles);
  placed(const placed&) = delete;
  ~placed();

  cudaError_t error() const { return error_; }

  /// Calls `launch(scheduler)` with a scheduler of the kind that was chosen.
  template <class Launch>
  cudaError_t with(Launch launch) const {
    if (is_raster_) return launch(heddle::one_shot{heddle::row_major{tiles_}});  // a table costs up to 4 %
    return heddle::predict::with_schedule<heddle::predict::advised_schedules>(
        {schedule_, run_}, heddle::tile_table{tiles_, table_}, state_, launch);
  }

 private:
  placed(heddle::extent tiles, const heddle::tile_table::entries& entries, schedule_kind schedule, int run);

  heddle::extent tiles_;
  schedule_kind schedule_;
  int run_;
  bool is_raster_ = false;
  cudaError_t error_ = cudaSuccess;
  heddle::tile_table::entry* table_ = nullptr;
  void* state_ = nullptr;
};

constexpr heddle::extent atrous_tile{8, 16};

inline heddle::extent tiles_of(int width, int height, heddle::extent tile) {
  return heddle::ceil_div(height, width, tile);
}

template <heddle::extent Tile, class Scheduler, class Source, class Pixel>
cudaError_t launch_atrous(const Scheduler& scheduler, const atrous_inputs<Source>& in, image<Pixel> out,
                          cudaStream_t stream) {
  const auto kernel = atrous<Tile.rows, Tile.cols, Scheduler, Source, Pixel>;
  const dim3 threads(Tile.cols, Tile.rows);
  return heddle::launch(scheduler.grid(kernel, threads), stream, kernel, scheduler, in, out);
}

template <class Source, class Pixel>
cudaError_t enqueue_atrous(const placed& by, const atrous_inputs<Source>& in, image<Pixel> out, cudaStream_t stream) {
  return by.with([&](const auto& scheduler) { return launch_atrous<atrous_tile>(scheduler, in, out, stream); });
}

/// Returns the denoiser as `advise` wants it. The instructions of a pixel were counted on an H200.
///
/// Of textures the fetches are the limit: the texture units of a multiprocessor fetch two `float4` per clock, in which
/// it issues 128 threads' instructions. H200, 7680 x 4320: 1.99 per clock at any step.
template <class Pixel, class Source = memory_source<Pixel>>
heddle::predict::stencil_problem atrous_problem(int width, int height, heddle::extent tile, int step) {
  return {.rows = height,
          .cols = width,
          .tile_rows = tile.rows,
          .tile_cols = tile.cols,
          .bytes_per_pixel = 2 * sizeof(Pixel),
          .rows_radius = 2,
          .cols_radius = 2,
          .step = step,
          .written_bytes_per_pixel = sizeof(Pixel),
          .instructions_per_pixel = std::is_same_v<Source, texture_source> ? 2 * 25 * (128 / 2)
                                    : sizeof(Pixel) == sizeof(half4)       ? 912
                                                                           : 736};
}

constexpr heddle::extent rows_tile{1, tile_cols_of_rows}, columns_tile{16, tile_cols_of_columns};

template <class Scheduler, class Source, class Pixel>
cudaError_t launch_blur_rows(const Scheduler& scheduler, const blur_weights& weights, Source in, image<Pixel> out,
                             cudaStream_t stream) {
  const auto kernel = blur_rows<Scheduler, Source, Pixel>;
  return heddle::launch(scheduler.grid(kernel, tile_cols_of_rows), stream, kernel, scheduler, weights, in, out);
}

template <class Source, class Pixel>
cudaError_t enqueue_blur_rows(const placed& by, const blur_weights& weights, Source in, image<Pixel> out,
                              cudaStream_t stream) {
  return by.with([&](const auto& scheduler) { return launch_blur_rows(scheduler, weights, in, out, stream); });
}

template <int Rows, class Scheduler, class Source, class Pixel>
cudaError_t launch_blur_columns(const Scheduler& scheduler, const blur_weights& weights, Source in, image<Pixel> out,
                                cudaStream_t stream) {
  const auto kernel = blur_columns<Rows, Scheduler, Source, Pixel>;
  return heddle::launch(scheduler.grid(kernel, tile_cols_of_columns), stream, kernel, scheduler, weights, in, out);
}

template <class Source, class Pixel>
cudaError_t enqueue_blur_columns(const placed& by, const blur_weights& weights, Source in, image<Pixel> out,
                                 cudaStream_t stream) {
  return by.with([&](const auto& scheduler) {
    return launch_blur_columns<columns_tile.rows>(scheduler, weights, in, out, stream);
  });
}

/// Returns the blur along columns as `advise` wants it. A thread reads each row that its pixels need once.
template <class Pixel>
heddle::predict::stencil_problem blur_columns_problem(int width, int height, int radius) {
  const int rows_read = columns_tile.rows + 2 * radius;
  return {.rows = height,
          .cols = width,
          .tile_rows = columns_tile.rows,
          .tile_cols = columns_tile.cols,
          .bytes_per_pixel = sizeof(Pixel),
          .rows_radius = radius,
          .written_bytes_per_pixel = sizeof(Pixel),
          .requested_bytes_per_pixel = rows_read * static_cast<int>(sizeof(Pixel)) / columns_tile.rows,
          .instructions_per_pixel = 40 + 4 * (2 * radius + 1)};
}

/// Returns the blur along rows as `advise` wants it.
template <class Pixel>
heddle::predict::stencil_problem blur_rows_problem(int width, int height, int radius) {
  return {.rows = height,
          .cols = width,
          .tile_rows = rows_tile.rows,
          .tile_cols = rows_tile.cols,
          .bytes_per_pixel = sizeof(Pixel),
          .cols_radius = radius,
          .written_bytes_per_pixel = sizeof(Pixel),
          .requested_bytes_per_pixel = (2 * radius + 2) * static_cast<int>(sizeof(float4)),
          .instructions_per_pixel = 40 + 6 * (2 * radius + 1)};
}

constexpr heddle::extent dense_tile{dense_tile_rows, dense_tile_cols};

/// Returns the dense convolution as `advise` wants it. Most loads of a thread are from shared memory, which L1 serves
/// too: it loads each row of a column of taps once for four pixels.
template <class Pixel>
heddle::predict::stencil_problem dense_problem(int width, int height, int radius) {
  const int taps = (2 * radius + 1) * (2 * radius + 1);
  return {.rows = height,
          .cols = width,
          .tile_rows = dense_tile.rows,
          .tile_cols = dense_tile.cols,
          .bytes_per_pixel = sizeof(Pixel),
          .rows_radius = radius,
          .cols_radius = radius,
          .written_bytes_per_pixel = sizeof(Pixel),
          .requested_bytes_per_pixel =
              (2 * radius + 1) * dense_rows_read(radius) * static_cast<int>(sizeof(float4)) / dense_rows_of_thread,
          .instructions_per_pixel = 60 + 5 * taps};
}

template <class Scheduler, class Source, class Pixel>
cudaError_t launch_dense(const Scheduler& scheduler, const dense_weights& weights, Source in, image<Pixel> out,
                         cudaStream_t stream) {
  const auto kernel = dense<Scheduler, Source, Pixel>;
  const dim3 threads(dense_tile_cols, dense_threads_y);
  const heddle::launch_config grid = scheduler.grid(kernel, threads, dense_smem_bytes(weights.radius));
  return heddle::launch(grid, stream, kernel, scheduler, weights, in, out);
}

template <class Source, class Pixel>
cudaError_t enqueue_dense(const placed& by, const dense_weights& weights, Source in, image<Pixel> out,
                          cudaStream_t stream) {
  return by.with([&](const auto& scheduler) { return launch_dense(scheduler, weights, in, out, stream); });
}

template <heddle::grid_order Order>
placed::placed(const Order& order, schedule_kind schedule, int run)
    : placed(order.grid(), heddle::make_tile_table(order), schedule, run) {}

inline placed::placed(const composition& chosen, heddle::extent tiles)
    : placed(tiles, heddle::predict::with_order(chosen.order, tiles, [](auto order) { return make_tile_table(order); }),
             chosen.schedule, chosen.run) {
  is_raster_ = chosen.order.kind == heddle::predict::order_kind::row_major && schedule_ == schedule_kind::one_shot;
}

inline placed::placed(heddle::extent tiles, const heddle::tile_table::entries& entries, schedule_kind schedule, int run)
    : tiles_(tiles), schedule_(schedule), run_(run) {
  const std::size_t bytes = heddle::predict::schedule_state_bytes();
  error_ = cudaMalloc(&table_, entries.bytes() + 1);
  if (error_ == cudaSuccess) error_ = cudaMemcpy(table_, entries.data(), entries.bytes(), cudaMemcpyHostToDevice);
  if (error_ == cudaSuccess) error_ = cudaMalloc(&state_, bytes);
  if (error_ == cudaSuccess) error_ = cudaMemset(state_, 0, bytes);
}

inline placed::~placed() {
  cudaFree(table_);
  cudaFree(state_);
}

}  // namespace convolution
