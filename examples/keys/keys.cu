// Pairs of a key and a source, as a rasteriser sorts them: each splat adds one for every tile that it covers. They are
// in the order of the splats, each where an exclusive scan of the counts would put it.

#include <cstdio>
#include <vector>

#include <heddle/expand/scanned.hpp>
#include <heddle/expand/source_in_order.hpp>

#include "../common/measure.hpp"

constexpr unsigned tile_cols = 240, tile_rows = 135, in_block = 128, of_each = 4;

/// A rectangle of tiles, and how far it is from the camera.
struct splat {
  unsigned col, row, cols, rows, depth;

  __host__ __device__ unsigned tiles() const { return cols * rows; }
  __host__ __device__ unsigned long long key(unsigned rank) const {
    const unsigned tile = (row + rank / cols) * tile_cols + col + rank % cols;
    return static_cast<unsigned long long>(tile) << 32 | depth;
  }
};

__global__ void count(const __grid_constant__ heddle::scanned work, const splat* splats, unsigned size) {
  __shared__ heddle::static_shared<heddle::scanned::push_storage> smem;
  unsigned sources[of_each], tiles[of_each];
  for (unsigned i = 0; i < of_each; ++i) {
    sources[i] = heddle::source_in_order(of_each, i);
    tiles[i] = sources[i] < size ? splats[sources[i]].tiles() : 0;
  }
  work.push(smem, sources, tiles);
}
__global__ void write(const __grid_constant__ heddle::scanned work, const splat* splats, unsigned long long* keys,
                      unsigned* values) {
  __shared__ heddle::static_shared<heddle::scanned::storage> smem;
  for (auto place = work.items(smem); place; ++place) {
    const auto [source, rank] = *place;
    keys[place.slot()] = splats[source].key(rank);
    values[place.slot()] = source;
  }
}

int main() try {
  if (!has_gpu("keys")) return skipped;
  std::vector<splat> splats(1'000'003);
  std::vector<unsigned long long> keys;  // the pairs, on the host
  std::vector<unsigned> values;
  for (unsigned i = 0; i < splats.size(); ++i) {
    const unsigned bits = i * 2654435761u, cols = i % 50'000 == 7 ? 100 : bits >> 8 & 3, rows = cols == 100 ? 100 : 2;
    splats[i] = {bits % (tile_cols - cols), bits % (tile_rows - rows), cols, rows, bits};
    for (unsigned rank = 0; rank < splats[i].tiles(); ++rank) {
      keys.push_back(splats[i].key(rank));
      values.push_back(i);
    }
  }
  const auto size = static_cast<unsigned>(splats.size()), blocks = (size - 1) / (in_block * of_each) + 1;
  const device_array<splat> all(splats);
  const device_array<unsigned long long> keys_found(keys.size());
  const device_array<unsigned> values_found(keys.size());
  const heddle::expansion room = heddle::room_for_launch(blocks, in_block, of_each, keys.size());
  const device_array<char> state(heddle::scanned::state_bytes(room));
  const heddle::scanned work{room, state.data()};

  const float milliseconds = median_time(11, [&] {
    check(work.begin_async(nullptr));
    count<<<blocks, in_block>>>(work, all.data(), size);
    check(cudaGetLastError());
    return heddle::launch({.threads = 256}, write, work, all.data(), keys_found.data(), values_found.data());
  });
  const bool is_right = keys_found.read() == keys && values_found.read() == values;
  std::printf("keys: %zu pairs of %u splats in %.3f ms, %s\n", keys.size(), size, static_cast<double>(milliseconds),
              is_right ? "right" : "wrong");
  return is_right ? 0 : 1;
} catch (const std::exception& error) {
  return failed("keys", error);
}
