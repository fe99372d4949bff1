#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include <heddle/order/row_major.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/recipe/with.hpp>
#include <heddle/schedule.hpp>

#include "atrous.cuh"
#include "blur.cuh"
#include "dense.cuh"

// The passes by any recipe that is picked at run time: a kernel is compiled once for all orders.

namespace convolution {

/// The schedulers that `advise` returns for passes.
using schedules = heddle::recipe::schedules<heddle::recipe::one_shot, heddle::recipe::strided, heddle::recipe::ticket,
                                            heddle::recipe::sm_affine>;

/// An order and a scheduler on the device: the table of the one, the state of the other. It serves one stream.
class placed {
 public:
  placed(const heddle::recipe& by, heddle::extent tiles)
      : placed(by, tiles,
               heddle::any_order<>::needs_table(by) ? heddle::make_tile_table(by, tiles)
                                                    : heddle::tile_table::entries(0)) {}
  placed(const heddle::recipe& by, heddle::extent tiles, const heddle::tile_table::entries& entries);
  placed(const placed&) = delete;
  ~placed();

  cudaError_t error() const { return error_; }

  /// Calls `launch(scheduler)` with the scheduler of the recipe.
  template <class Launch>
  cudaError_t with(Launch launch) const {
    if (by_ == heddle::recipe{}) return launch(heddle::one_shot{heddle::row_major{tiles_}});  // 4 % faster
    const heddle::any_order order{by_, tiles_, table_};
    return heddle::with_recipe<schedules>(by_, order, state_, launch);
  }

 private:
  heddle::recipe by_;
  heddle::extent tiles_;
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
                                    : sizeof(Pixel) == sizeof(half4)       ? 960
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

inline placed::placed(const heddle::recipe& by, heddle::extent tiles, const heddle::tile_table::entries& entries)
    : by_(by), tiles_(tiles) {
  const std::size_t bytes = schedules::state_bytes();
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
