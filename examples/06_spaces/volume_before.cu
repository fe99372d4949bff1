// A blur of a volume as a first version has it: one block per tile, and a slice per blockIdx.z. volume_after.cu is the
// same program with heddle.

#include "volume.hpp"

__global__ void blur(const float* in, float* out) {
  const int slice = blockIdx.z, tile_row = blockIdx.y, tile_col = blockIdx.x;
  const int row = tile_row * tile_rows + threadIdx.y, col = tile_col * tile_cols + threadIdx.x;
  if (row >= rows || col >= cols) return;
  float sum = 0;
  for (int z = -radius; z <= radius; ++z) {
    for (int y = -radius; y <= radius; ++y) {
      for (int x = -radius; x <= radius; ++x) sum += in[place_of(slice + z, row + y, col + x)];
    }
  }
  out[place_of(slice, row, col)] = sum;
}

int main() {
  return run("volume_before", [](const float* in, float* out) {
    blur<<<dim3(col_tiles, row_tiles, slices), dim3(tile_cols, tile_rows)>>>(in, out);
  });
}
