#pragma once

#include <cuda_runtime.h>

#include <string>

#include <heddle/heddle.hpp>

#include "atrous.cuh"
#include "blur.cuh"
#include "dense.cuh"

// The passes by any order and any schedule that is picked at run time: by the order's table, so that a kernel is
// compiled once for all orders.

namespace convolution {

enum class schedule { one_shot, strided, ticket, sm_affine };

/// An order of the tiles of a pass, and who takes them.
struct composition {
  heddle::predict::order_choice order;
  convolution::schedule schedule = schedule::one_shot;
};

/// A composition made ready for images of one extent: its table and its state, on the device. For one stream.
class placed {
 public:
  placed(const composition& chosen, heddle::extent tiles);
  placed(const placed&) = delete;
  ~placed();

  cudaError_t error() const { return error_; }

  /// `launch(scheduler)` with a scheduler of the kind that was chosen.
  template <class Launch>
  cudaError_t with(Launch launch) const {
    const heddle::tile_table order{tiles_, table_};
    switch (schedule_) {
      case schedule::one_shot:
        return launch(heddle::one_shot{order});
      case schedule::strided:
        return launch(heddle::strided{order});
      case schedule::ticket:
        return launch(heddle::ticket{order, state_});
      case schedule::sm_affine:
        return launch(heddle::sm_affine{order, state_, run_});
    }
    return cudaErrorInvalidValue;
  }

 private:
  heddle::extent tiles_;
  convolution::schedule schedule_;
  int run_ = 1;
  cudaError_t error_ = cudaSuccess;
  heddle::tile_table::entry* table_ = nullptr;
  void* state_ = nullptr;
};

constexpr heddle::extent atrous_tile{8, 16};

inline heddle::extent tiles_of(int width, int height, heddle::extent tile) {
  return heddle::ceil_div(heddle::extent{height, width}, tile);
}

template <class Source, class Pixel>
cudaError_t enqueue_atrous(const placed& by, const atrous_inputs<Source>& in, image<Pixel> out, cudaStream_t stream) {
  return by.with([&]<class Scheduler>(const Scheduler& scheduler) {
    const auto kernel = atrous<atrous_tile.rows, atrous_tile.cols, Scheduler, Source, Pixel>;
    const dim3 threads(atrous_tile.cols, atrous_tile.rows);
    return heddle::launch(scheduler.grid(kernel, threads), stream, kernel, scheduler, in, out);
  });
}

constexpr heddle::extent rows_tile{1, tile_cols_of_rows}, columns_tile{16, tile_cols_of_columns};

template <class Source, class Pixel>
cudaError_t enqueue_blur_rows(const placed& by, const blur_weights& weights, Source in, image<Pixel> out,
                              cudaStream_t stream) {
  return by.with([&]<class Scheduler>(const Scheduler& scheduler) {
    const auto kernel = blur_rows<Scheduler, Source, Pixel>;
    return heddle::launch(scheduler.grid(kernel, tile_cols_of_rows), stream, kernel, scheduler, weights, in, out);
  });
}

template <class Source, class Pixel>
cudaError_t enqueue_blur_columns(const placed& by, const blur_weights& weights, Source in, image<Pixel> out,
                                 cudaStream_t stream) {
  return by.with([&]<class Scheduler>(const Scheduler& scheduler) {
    const auto kernel = blur_columns<columns_tile.rows, Scheduler, Source, Pixel>;
    return heddle::launch(scheduler.grid(kernel, tile_cols_of_columns), stream, kernel, scheduler, weights, in, out);
  });
}

constexpr heddle::extent dense_tile{dense_tile_rows, dense_tile_cols};

template <class Source, class Pixel>
cudaError_t enqueue_dense(const placed& by, const dense_weights& weights, Source in, image<Pixel> out,
                          cudaStream_t stream) {
  return by.with([&]<class Scheduler>(const Scheduler& scheduler) {
    const auto kernel = dense<Scheduler, Source, Pixel>;
    const dim3 threads(dense_tile_cols, dense_threads_y);
    const heddle::launch_config grid = scheduler.grid(kernel, threads, dense_smem_bytes(weights.radius));
    return heddle::launch(grid, stream, kernel, scheduler, weights, in, out);
  });
}

inline placed::placed(const composition& chosen, heddle::extent tiles) : tiles_(tiles), schedule_(chosen.schedule) {
  const auto entries =
      heddle::predict::with_order(chosen.order, tiles, [](auto order) { return make_tile_table(order); });
  // A run of sm_affine is what a strip of a class has in common: some lines of it.
  run_ = chosen.order.kind == heddle::predict::order_kind::dilated ? 16 * chosen.order.width : 64;
  const std::size_t bytes[] = {entries.bytes(), heddle::ticket<>::state_bytes(), heddle::sm_affine<>::state_bytes()};
  error_ = cudaMalloc(&table_, bytes[0] + 1);
  if (error_ == cudaSuccess) error_ = cudaMemcpy(table_, entries.data(), bytes[0], cudaMemcpyHostToDevice);
  if (error_ == cudaSuccess) error_ = cudaMalloc(&state_, bytes[1] + bytes[2]);
  if (error_ == cudaSuccess) error_ = cudaMemset(state_, 0, bytes[1] + bytes[2]);
}

inline placed::~placed() {
  cudaFree(table_);
  cudaFree(state_);
}

}  // namespace convolution
