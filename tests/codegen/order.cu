// Compiled to PTX only: instructions.cpp counts in it what each order costs.

#include <heddle/order.hpp>

using namespace heddle;

/// The least that a kernel does with an order.
template <class Order>
__device__ void map(const Order& order, tile_of<Order>* tiles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tiles[i] = order(i);
}

using interleaved_bands = decltype(batched{thread_group_tiling{{8, 8}, 2}, 3, 2});

extern "C" {
__global__ void nothing(coord* tiles) {
  tiles[blockIdx.x * blockDim.x + threadIdx.x] = {1, 2};
}
__global__ void with_row_major(const __grid_constant__ row_major order, coord* tiles) {
  map(order, tiles);
}
__global__ void with_thread_group_tiling(const __grid_constant__ thread_group_tiling order, coord* tiles) {
  map(order, tiles);
}
__global__ void with_cta_swizzle(const __grid_constant__ cta_swizzle order, coord* tiles) {
  map(order, tiles);
}
__global__ void with_hilbert(const __grid_constant__ hilbert order, coord* tiles) {
  map(order, tiles);
}
__global__ void with_morton(const __grid_constant__ morton order, coord* tiles) {
  map(order, tiles);
}
__global__ void with_dilated(const __grid_constant__ dilated order, coord* tiles) {
  map(order, tiles);
}
__global__ void with_tile_table(const __grid_constant__ tile_table order, coord* tiles) {
  map(order, tiles);
}
__global__ void with_batched_bands(const __grid_constant__ batched<thread_group_tiling> order, batch_coord* tiles) {
  map(order, tiles);
}
__global__ void with_interleaved_bands(const __grid_constant__ interleaved_bands order, batch_coord* tiles) {
  map(order, tiles);
}
__global__ void with_triangular(const __grid_constant__ triangular<row_major> order, coord* tiles) {
  map(order, tiles);
}
__global__ void with_full_rows(const __grid_constant__ triangular<row_major, row_major> order, coord* tiles) {
  map(order, tiles);
}
__global__ void with_constant_row_major(coord* tiles) {
  map(constant_order<row_major, 60, 75>{}, tiles);
}
__global__ void with_constant_thread_group_tiling(coord* tiles) {
  map(constant_order<thread_group_tiling, 60, 75, 7, axis::x>{}, tiles);
}
__global__ void with_constant_cta_swizzle(coord* tiles) {
  map(constant_order<cta_swizzle, 60, 75, 7, axis::x>{}, tiles);
}
}
