#pragma once

#include <heddle/order/in_bands.hpp>

#include <type_traits>

#include "tiles.cuh"

// Kernels of a block per tile by the typed order, and by one line in the kernel.

namespace wild {

/// The product of docs/start.md: 512 queries by half a million vectors, 8 × 512 per block.
struct start_tile {
  static constexpr int threads = 128, rows = 512, cols = 524288, depth = 512;

  __device__ static void make(const float* a, const float4* b, float4* c, heddle::coord tile) {
    const int column = tile.col * threads + static_cast<int>(threadIdx.x);
    float4 sums[8] = {};
#pragma unroll 4
    for (int i = 0; i < depth; ++i) {
      const float4 y = b[i * (cols / 4) + column];
      for (int p = 0; p < 8; ++p) {
        const float x = a[(tile.row * 8 + p) * depth + i];
        sums[p].x += x * y.x, sums[p].y += x * y.y, sums[p].z += x * y.z, sums[p].w += x * y.w;
      }
    }
    for (int p = 0; p < 8; ++p) c[(tile.row * 8 + p) * (cols / 4) + column] = sums[p];
  }
};
struct product_of_tile {
  static constexpr int threads = 256;
  __device__ static void make(const float* a, const float* b, float* c, heddle::coord tile) { multiply(a, b, c, tile); }
};
struct filter_of_tile {
  static constexpr int threads = filter_cols;
  __device__ static void make(const float4* in, float4* out, heddle::coord tile) { blur(in, out, tile); }
};

template <class Body, class Order, class... Arguments>
__global__ __launch_bounds__(Body::threads) void by_order(const __grid_constant__ Order order, Arguments... arguments) {
  Body::make(arguments..., heddle::tile_of_block(order));
}
template <class Body, int Width, bool IsSerpentine, class... Arguments>
__global__ __launch_bounds__(Body::threads) void by_line(Arguments... arguments) {
  const auto blockIdx = heddle::in_bands({.width = Width, .serpentine = IsSerpentine});
  Body::make(arguments..., {static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)});
}

template <class Body, int Width, class Order, class... Arguments>
contest of_line(const char* kind, const std::shared_ptr<words>& result, const Order& order, Arguments... arguments) {
  const dim3 blocks(static_cast<unsigned>(order.space().cols), static_cast<unsigned>(order.space().rows));
  constexpr bool is_serpentine = std::is_same_v<Order, heddle::cta_swizzle>;
  return {kind,
          "the typed order, and one line",
          "in_bands, width " + std::to_string(Width),
          result,
          [=] { by_order<Body><<<order.size(), Body::threads>>>(order, arguments...); },
          [=] { by_line<Body, Width, is_serpentine><<<blocks, Body::threads>>>(arguments...); }};
}

/// Calls f with each contest, whose memory lasts as long as the call.
template <class F>
void each_line(const F& f) {
  {
    constexpr int rows = start_tile::rows, cols = start_tile::cols;
    const auto a = make_floats(std::size_t{1} * rows * start_tile::depth);
    const auto b = make_floats(std::size_t{1} * cols * start_tile::depth), c = make_words(std::size_t{1} * rows * cols);
    const heddle::cta_swizzle order{{rows / 8, cols / 512}, 8, heddle::axis::x};
    f(of_line<start_tile, 8>("start.md", c, order, floats(a), reinterpret_cast<const float4*>(b->data()),
                             reinterpret_cast<float4*>(c->data())));
  }
  {
    const auto a = make_floats(std::size_t{1} * side * side), b = make_floats(a->size()), c = make_words(a->size());
    const heddle::cta_swizzle order{{side / product_tile, side / product_tile}, 8, heddle::axis::x};
    f(of_line<product_of_tile, 8>("product", c, order, floats(a), floats(b), floats(c)));
  }
  const auto in = make_floats(std::size_t{4} * image_rows * image_cols), out = make_words(in->size());
  const heddle::thread_group_tiling order{{image_rows / filter_rows, image_cols / filter_cols}, 64, heddle::axis::x};
  f(of_line<filter_of_tile, 64>("filter", out, order, reinterpret_cast<const float4*>(in->data()),
                                reinterpret_cast<float4*>(out->data())));
}

}  // namespace wild
