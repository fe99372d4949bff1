// Orders map on the device as on the host, in both directions.

#include "schedule.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

struct mapped {
  coord tile;
  int index;
};

template <class Order>
__global__ void map(const __grid_constant__ Order order, const int* indices, int count, mapped* results) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const coord tile = order(indices[i]);
  results[i] = {tile, order.index(tile)};
}

/// Returns how many indices the device maps differently from the host, or not at all.
template <class Order>
int differences(const Order& on_host, const Order& on_device, const std::vector<int>& indices) {
  const int count = static_cast<int>(indices.size());
  device_array device_indices(indices);
  device_array<mapped> device_results(indices.size(), 0xff);
  map<<<(count + 255) / 256, 256>>>(on_device, device_indices.data(), count, device_results.data());
  check(cudaGetLastError());
  const std::vector<mapped> results = device_results.read();
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    wrong += !(results[i].tile == on_host(indices[i])) || results[i].index != indices[i];
  }
  return wrong;
}

template <class Order>
int differences(const Order& order, const std::vector<int>& indices) {
  return differences(order, order, indices);
}

/// Every index of a small grid; random ones of a large grid, with both ends.
std::vector<int> indices_of(extent grid, std::mt19937& random) {
  std::vector<int> indices;
  if (grid.size() <= 5000) {
    for (int i = 0; i < grid.size(); ++i) indices.push_back(i);
    return indices;
  }
  indices = {0, grid.size() - 1};
  for (int i = 0; i < 3000; ++i) indices.push_back(static_cast<int>(random() % static_cast<unsigned>(grid.size())));
  return indices;
}

}  // namespace

GPU_TEST("On a GPU every order maps as on the host on random grids", "[order]") {
  std::mt19937 random(7);
  std::vector<extent> grids{{1, 1},   {1, 97},        {97, 1},         {7, 5},
                            {64, 64}, {46340, 46341}, {0x7fffffff, 1}, {1, 0x7fffffff}};
  for (int turn = 0; turn < 20; ++turn) {
    const int rows = 1 + static_cast<int>(random() % (1u << random() % 31));
    grids.push_back({rows, 1 + static_cast<int>(random() % (0x7fffffffu / static_cast<unsigned>(rows)))});
  }
  for (const extent grid : grids) {
    CAPTURE(grid.rows, grid.cols);
    const std::vector<int> indices = indices_of(grid, random);
    const auto small = [&] { return 1 + static_cast<int>(random() % 40); };
    for (recipe by : recipes) {
      if (by.has_width()) by.width = small();
      if (by.has_step()) by.step = {small(), small()};
      if (by.first > 0) by.first = grid.size() / 3;
      CAPTURE(to_string(by));
      CHECK(with_recipe(by, grid, [&](const auto& order) { return differences(order, indices); }) == 0);
    }
  }
}

GPU_TEST("On a GPU constant maps as the order that it names", "[order]") {
  std::mt19937 random(8);
  CHECK(differences(constant_order<row_major, 60, 75>{}, indices_of({60, 75}, random)) == 0);
  CHECK(differences(constant_order<thread_group_tiling, 60, 75, 7, axis::x>{}, indices_of({60, 75}, random)) == 0);
  CHECK(differences(constant_order<cta_swizzle, 61, 73, 8, axis::y>{}, indices_of({61, 73}, random)) == 0);
  CHECK(differences(constant_order<hilbert, 61, 73>{}, indices_of({61, 73}, random)) == 0);
}

GPU_TEST("On a GPU tile_table maps as the order it was made of", "[order]") {
  std::mt19937 random(9);
  for (const extent grid : {extent{1, 1}, extent{5, 7}, extent{64, 33}, extent{1000, 1000}}) {
    const tile_table::entries entries = make_tile_table(hilbert{grid});
    tile_table::entry* device = nullptr;
    check(cudaMalloc(&device, entries.bytes()));
    check(cudaMemcpy(device, entries.data(), entries.bytes(), cudaMemcpyHostToDevice));
    const tile_table order{grid, device};
    CHECK(differences(tile_table{grid, entries.data()}, order, indices_of(grid, random)) == 0);
    check(cudaFree(device));
  }
}

namespace {

template <class Order>
__global__ void cover(const __grid_constant__ clustered<Order> order, int* visits) {
  const int blocks = order.blocks_in_cluster();
  const coord tile = order.tile(static_cast<int>(blockIdx.x) / blocks, static_cast<int>(blockIdx.x) % blocks);
  if (order.contains(tile) && threadIdx.x == 0) atomicAdd(&visits[tile.row * order.tiles().cols + tile.col], 1);
}

}  // namespace

GPU_TEST("On a GPU the blocks of clustered visit every tile once", "[order]") {
  for (const extent grid : {extent{1, 1}, extent{5, 7}, extent{17, 65}, extent{33, 33}}) {
    for (const extent cluster : {extent{2, 1}, extent{1, 2}, extent{2, 2}, extent{4, 3}}) {
      const clustered order{cta_swizzle{ceil_div(grid, cluster), 4, axis::x}, cluster, grid};
      device_array<int> visits(static_cast<std::size_t>(grid.size()), 0);
      cover<<<order.size() * order.blocks_in_cluster(), 32>>>(order, visits.data());
      check(cudaGetLastError());
      CHECK(wrong(visits, 1) == "");
    }
  }
}
