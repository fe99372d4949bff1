// One line in a kernel that is launched as before: a block's place is the typed order's tile, and clusters stay whole.

#include <cooperative_groups.h>

#include <algorithm>
#include <vector>

#include <heddle/order/in_bands.hpp>

#include "schedule.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

/// What a block sees: its place in bands, the grid, and its rank in its cluster.
struct seen {
  uint3 place, grid;
  unsigned rank;
};

__device__ unsigned number_of_block() {
  return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

/// Only the last thread writes, so that it has the place of the others.
template <int Width, axis Axis>
__global__ void by_template(seen* all) {
  const auto blockIdx = in_bands<Width, Axis>();
  if (threadIdx.x == blockDim.x - 1) all[number_of_block()] = {blockIdx, gridDim, detail::ptx::cluster_ctarank()};
}
__global__ void by_width(seen* all, int width, axis axis) {
  const auto blockIdx = in_bands(width, axis);
  if (threadIdx.x == blockDim.x - 1) all[number_of_block()] = {blockIdx, gridDim, detail::ptx::cluster_ctarank()};
}
__global__ void by_walk(seen* all, band_walk by) {
  const auto blockIdx = in_bands(by);
  if (threadIdx.x == blockDim.x - 1) all[number_of_block()] = {blockIdx, gridDim, detail::ptx::cluster_ctarank()};
}

/// Launches blocks in clusters, and returns what each saw, in the order of their numbers.
template <class... Params, class... Arguments>
std::vector<seen> launched(dim3 blocks, dim3 cluster, void (*kernel)(seen*, Params...), Arguments... arguments) {
  device_array<seen> all(std::size_t{1} * blocks.x * blocks.y * blocks.z, 0xff);
  cudaLaunchAttribute shape{};
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim.x = cluster.x, shape.val.clusterDim.y = cluster.y, shape.val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(33);
  config.attrs = &shape;
  config.numAttrs = cluster.x * cluster.y * cluster.z > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, all.data(), Params(arguments)...));
  finish(nullptr);
  return all.read();
}

/// Returns how many blocks have another place than the order's, plane by plane, or see another grid.
template <class Order>
int others(const std::vector<seen>& all, dim3 blocks, const Order& order) {
  int count = 0;
  for (unsigned number = 0; number < all.size(); ++number) {
    const auto [place, grid, rank] = all[number];
    const unsigned tiles = blocks.x * blocks.y;
    const coord tile = order(static_cast<int>(number % tiles));
    count += place.x != static_cast<unsigned>(tile.col) || place.y != static_cast<unsigned>(tile.row) ||
             place.z != number / tiles || grid.x != blocks.x || grid.y != blocks.y || grid.z != blocks.z;
  }
  return count;
}

/// Returns how many blocks of a launch in clusters have another place than their rank in the order's cluster.
template <class Order>
int others_in_clusters(const std::vector<seen>& all, dim3 blocks, extent cluster, const Order& order) {
  const auto cols = static_cast<unsigned>(cluster.cols), rows = static_cast<unsigned>(cluster.rows);
  int count = 0;
  for (unsigned number = 0; number < all.size(); ++number) {
    const auto [place, grid, rank] = all[number];
    const unsigned x = number % blocks.x, y = number / blocks.x;
    const unsigned index = y / rows * (blocks.x / cols) + x / cols;
    const coord tile = order.tile(static_cast<int>(index), static_cast<int>(rank));
    count += rank != y % rows * cols + x % cols || place.x != static_cast<unsigned>(tile.col) ||
             place.y != static_cast<unsigned>(tile.row);
  }
  return count;
}

/// Sees CUDA's own variable: the name in the kernel is not this one.
__device__ uint3 read_by_itself() {
  return blockIdx;
}
__device__ uint3 read_as_given(uint3 blockIdx) {
  return blockIdx;
}

struct three_places {
  uint3 by_itself, as_given, of_group;
};

__global__ void sees_both(three_places* all) {
  const auto blockIdx = heddle::in_bands<2>();
  all[blockIdx.y * gridDim.x + blockIdx.x] = {read_by_itself(), read_as_given(blockIdx),
                                              cooperative_groups::this_thread_block().group_index()};
}

}  // namespace

TEST_CASE("A block in bands has the typed order's tile in a launch of any shape on the GPU", "[gpu][order]") {
  if (no_gpu()) return;
  for (const dim3 blocks : {dim3(13, 7), dim3(1, 97), dim3(97, 1), dim3(8, 8, 3), dim3(300, 211, 2), dim3(3, 5, 9)}) {
    const extent grid{blocks.y, blocks.x};
    CAPTURE(blocks.x, blocks.y, blocks.z);
    const auto seen_by = [&](auto kernel, auto... arguments) {
      return launched(blocks, dim3(1), kernel, arguments...);
    };
    CHECK(others(seen_by(by_template<4, axis::x>), blocks, thread_group_tiling{grid, 4, axis::x}) == 0);
    CHECK(others(seen_by(by_template<64, axis::y>), blocks, thread_group_tiling{grid, 64, axis::y}) == 0);
    for (const int width : {1, 3, 8, 0x7fffffff}) {
      for (const axis axis : {axis::x, axis::y}) {
        const thread_group_tiling plain{grid, width, axis};
        const cta_swizzle serpentine{grid, width, axis};
        CHECK(others(seen_by(by_width, width, axis), blocks, plain) == 0);
        CHECK(others(seen_by(by_walk, band_walk{width, axis, true}), blocks, serpentine) == 0);
        CHECK(others(seen_by(by_walk, band_walk{width, axis, false, true}), blocks, reversed{plain}) == 0);
        CHECK(others(seen_by(by_walk, band_walk{width, axis, true, true}), blocks, reversed{serpentine}) == 0);
      }
    }
  }
}

TEST_CASE("A launch in clusters has each cluster whole in bands of clusters on the GPU", "[gpu][order]") {
  if (no_clusters()) return;
  const dim3 blocks(24, 20);
  const extent grid{20, 24};
  for (const extent cluster : {extent{1, 2}, extent{2, 1}, extent{2, 2}, extent{1, 4}, extent{4, 1}}) {
    const dim3 of(static_cast<unsigned>(cluster.cols), static_cast<unsigned>(cluster.rows));
    const extent clusters = ceil_div(grid, cluster);
    CAPTURE(cluster.rows, cluster.cols);
    CHECK(others_in_clusters(launched(blocks, of, by_template<8, axis::x>), blocks, cluster,
                             clustered{thread_group_tiling{clusters, 8 / cluster.cols, axis::x}, cluster, grid}) == 0);
    for (const int width : {4, 12, 64}) {
      for (const axis axis : {axis::x, axis::y}) {
        const int side = axis == axis::x ? cluster.cols : cluster.rows;
        const cta_swizzle order{clusters, width / side, axis};
        CHECK(others_in_clusters(launched(blocks, of, by_walk, band_walk{width, axis, true}), blocks, cluster,
                                 clustered{order, cluster, grid}) == 0);
      }
    }
  }
}

TEST_CASE(
    "A function that reads blockIdx by itself, and a cooperative group, see CUDA's, not that in bands, on the GPU",
    "[gpu][order]") {
  if (no_gpu()) return;
  device_array<three_places> all(35, 0xff);
  sees_both<<<dim3(7, 5), 32>>>(all.data());
  check(cudaGetLastError());
  finish(nullptr);
  const thread_group_tiling order{{5, 7}, 2, axis::x};
  int as_given = 0, by_itself = 0, of_group = 0;
  for (int number = 0; number < 35; ++number) {
    const coord tile{number / 7, number % 7};
    const auto [own, given, group] = all.read()[static_cast<std::size_t>(number)];
    const int started = order.index(tile);  // the block's number for CUDA
    as_given += coord{static_cast<int>(given.y), static_cast<int>(given.x)} == tile;
    by_itself += static_cast<int>(own.y * 7 + own.x) == started;
    of_group += static_cast<int>(group.y * 7 + group.x) == started;
  }
  CHECK(as_given == 35);
  CHECK(by_itself == 35);
  CHECK(of_group == 35);
  CHECK(order.index({4, 1}) != 4 * 7 + 1);  // so that the two differ
}
