// Transposes a matrix tile by tile, in one of heddle's orders. Compiled from Python: by CuPy with NVRTC
// (cupy_order.py), by PyTorch with nvcc (torch_inline.py).

#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/tile_of_block.hpp>

constexpr int side = 32;  // of a tile; a block has one thread per element of a tile

extern "C" __global__ void transpose(const __grid_constant__ heddle::cta_swizzle order, const float* in, float* out,
                                     long long rows, long long cols) {
  __shared__ float tile[side][side + 1];
  const auto [tile_row, tile_col] = heddle::tile_of_block(order);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);

  const long long row = 1LL * tile_row * side + y, col = 1LL * tile_col * side + x;
  if (row < rows && col < cols) tile[y][x] = in[row * cols + col];
  __syncthreads();
  const long long out_row = 1LL * tile_col * side + y, out_col = 1LL * tile_row * side + x;
  if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[x][y];
}

#if defined(__CUDACC_RTC__)
/// Builds the order on the device, once, since NVRTC compiles nothing for the host. Python passes its bytes to every
/// launch.
extern "C" __global__ void build(heddle::cta_swizzle* order, long long rows, long long cols, long long width) {
  *order = heddle::cta_swizzle{heddle::ceil_div(rows, cols, {side, side}), width, heddle::axis::x};
}
static_assert(sizeof(heddle::cta_swizzle) == 64);  // cupy_order.py allocates this
#else
/// Launches the kernel for PyTorch. A wrong value throws, and Python sees a RuntimeError with its text.
void launch_transpose(const float* in, float* out, long long rows, long long cols, long long width,
                      cudaStream_t stream) {
  const heddle::cta_swizzle order{heddle::ceil_div(rows, cols, {side, side}), width, heddle::axis::x};
  if (order.size() > 0) {
    transpose<<<static_cast<unsigned>(order.size()), dim3(side, side), 0, stream>>>(order, in, out, rows, cols);
  }
}
#endif
