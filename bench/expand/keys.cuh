#pragma once

#include <cub/device/device_scan.cuh>

#include <heddle/expand/scanned.hpp>
#include <heddle/expand/source_in_order.hpp>

#include "common/bench.hpp"

// Pairs of a key and a source, in the order of the sources.

namespace heddle_bench::pairs_of_keys {

using namespace heddle;

constexpr unsigned tile_cols = 256, in_block = 128, of_each = 4;

/// A rectangle of tiles, and how far it is from the camera.
struct alignas(16) splat {
  unsigned short col, row, cols, rows;
  unsigned depth;

  __device__ unsigned tiles() const { return unsigned{cols} * rows; }
  __device__ unsigned long long key(unsigned tile_row, unsigned tile_col) const {
    return 1ull * ((row + tile_row) * tile_cols + col + tile_col) << 32 | depth;
  }
};

struct pairs {
  const splat* splats;
  unsigned size;
  unsigned long long* keys;
  unsigned* values;
};

__global__ void count(pairs of, unsigned* n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < of.size) n[i] = of.splats[i].tiles();
}
__global__ void write_loops(pairs of, const unsigned* ends) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= of.size) return;
  const splat its = of.splats[i];
  unsigned slot = i == 0 ? 0 : ends[i - 1];
  for (unsigned row = 0; row < its.rows; ++row) {
    for (unsigned col = 0; col < its.cols; ++col, ++slot) {
      of.keys[slot] = its.key(row, col);
      of.values[slot] = i;
    }
  }
}

__global__ void __launch_bounds__(in_block) push(const __grid_constant__ scanned work, pairs of) {
  __shared__ static_shared<scanned::push_storage> smem;
  unsigned sources[of_each], tiles[of_each];
  for (unsigned i = 0; i < of_each; ++i) {
    sources[i] = source_in_order(of_each, i);
    tiles[i] = sources[i] < of.size ? of.splats[sources[i]].tiles() : 0;
  }
  work.push(smem, sources, tiles);
}
__global__ void write_items(const __grid_constant__ scanned work, pairs of) {
  __shared__ static_shared<scanned::storage> smem;
  for (auto place = work.items(smem); place; ++place) {
    const auto [source, rank] = *place;
    const splat its = of.splats[source];
    const unsigned row = rank / its.cols;
    of.keys[place.slot()] = its.key(row, rank - row * its.cols);
    of.values[place.slot()] = source;
  }
}

/// Adds up pairs with their places.
__global__ void add_up(pairs of, unsigned items, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < items; i += gridDim.x * blockDim.x) {
    mine += (of.keys[i] + of.values[i] * 0x9e3779b97f4a7c15ull) * (2ull * i + 1);
  }
  atomicAdd(sum, mine);
}

inline void measure(const std::string& name, const std::vector<splat>& splats, json_file& json, int rounds) {
  const auto size = static_cast<unsigned>(splats.size()), blocks = (size - 1) / (in_block * of_each) + 1;
  unsigned items = 0;
  for (const splat& each : splats) items += unsigned{each.cols} * each.rows;
  const device_array<splat> all(size);
  all.copy_from(splats.data(), size);
  const device_array<unsigned long long> keys(items), sum(1);
  const device_array<unsigned> values(items), n(size), ends(size);
  const pairs of{all.data(), size, keys.data(), values.data()};
  std::size_t bytes = 0;
  check(cub::DeviceScan::InclusiveSum(nullptr, bytes, n.data(), ends.data(), size));
  const device_array<char> scratch(bytes);
  const expansion room = room_for_launch(blocks, in_block, of_each, items);
  const device_array<char> state(scanned::state_bytes(room));
  const scanned work{room, state.data()};
  const launch_config config = work.grid(write_items, 256);
  const auto expanded = [&] {
    check(work.begin_async(nullptr));
    push<<<blocks, in_block>>>(work, of);
    check(launch(config, nullptr, write_items, work, of));
  };
  const auto in_loops = [&] {
    count<<<(size - 1) / 256 + 1, 256>>>(of, n.data());
    check(cub::DeviceScan::InclusiveSum(scratch.data(), bytes, n.data(), ends.data(), size));
    write_loops<<<(size - 1) / 256 + 1, 256>>>(of, ends.data());
  };
  event_timer timer;
  std::vector<double> times[2];
  unsigned long long sums[2];
  for (int round = 0; round <= rounds; ++round) {
    for (const int form : {0, 1}) {
      keys.set_bytes(0xff);
      values.set_bytes(0xff);
      const double found = timer.milliseconds_of_each(4, [&] { form == 0 ? expanded() : in_loops(); });
      if (round > 0) times[form].push_back(found * 1000);
      sum.set_bytes(0);
      add_up<<<256, 256>>>(of, items, sum.data());
      sums[form] = sum.first();
    }
  }
  if (sums[0] != sums[1]) {
    std::fprintf(stderr, "bench_expand: %s: the pairs differ\n", name.c_str());
    std::exit(1);
  }
  const double ours = median(times[0]), loops = median(times[1]);
  std::printf("%-24s %9u splats %10u pairs: scanned %8.1f us, scan and loops %8.1f us, %5.2f times\n", name.c_str(),
              size, items, ours, loops, loops / ours);
  json.add(json_object()
               .add("row", name)
               .add("sources", size)
               .add("items", items)
               .add("scanned_us", ours, 1)
               .add("scan_and_loops_us", loops, 1));
}

/// Times pairs in the order of their sources: two passes, and CUB's scan with a loop per source.
inline void measure_all(json_file& json, int rounds) {
  std::mt19937 random(1);
  for (const unsigned log_size : {18u, 20u, 22u}) {
    std::vector<splat> splats(1u << log_size);
    for (splat& each : splats) {
      const auto tiles = static_cast<unsigned short>(random() % 7);  // in one row, or in two
      const unsigned short rows = tiles == 4 || tiles == 6 ? 2 : 1;
      each = {static_cast<unsigned short>(random() % 240), static_cast<unsigned short>(random() % 240),
              static_cast<unsigned short>(tiles / rows), rows, static_cast<unsigned>(random())};
    }
    const std::string name = "2^" + std::to_string(log_size);
    measure(name + " of 0 to 6", splats, json, rounds);
    for (int i = 0; i < 64; ++i) {
      splat& large = splats[random() % splats.size()];
      large = {0, 0, 100, 100, large.depth};
    }
    measure(name + ", 64 of 10^4", splats, json, rounds);
  }
}

}  // namespace heddle_bench::pairs_of_keys
