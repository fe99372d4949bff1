#pragma once

#include <algorithm>
#include <cmath>

#include "hopper/last_box.hpp"
#include "variant.hpp"

// How long a product is expected to take with a choice. Only comparisons matter: a plan takes the choice that is
// expected to be fastest, and `tune` times the first few.
//
// A step of a tile lasts as long as the matrix unit needs, or the copies of its operands. A tile is its steps and a
// rest, which is mostly the storing of C. A launch is waves of tiles, of which the last may be split; and it is no
// faster than DRAM. All figures were fitted to 143 products in captured graphs on an H200, most of random shapes.

namespace gemm {

/// Returns the workers that are resident at once: blocks, or clusters of so many blocks.
inline int workers_of(const variant& v, const device& device, int blocks) {
  int workers = device.chip.multiprocessors * v.blocks_per_multiprocessor / blocks;
  if (blocks > 2 && device.map.multiprocessors > 0) {  // a cluster lies in one group
    workers = 0;
    for (int group = 0; group < heddle::chip_map::nowhere; ++group) {
      workers +=
          static_cast<int>(std::count(device.map.group, device.map.group + device.map.multiprocessors, group)) / blocks;
    }
  }
  return (std::min)(workers, heddle::stream_k<>::most_sharers);
}

inline int workers_of(const variant& v, const device& device) {
  return workers_of(v, device, v.blocks_in_cluster());
}

/// Returns the workers that can share tiles: `stream_k` gives each a part of 8 steps or more.
inline int worth_sharing(int tiles, int k_steps, int sharers) {
  return static_cast<int>((std::min)(1LL * tiles * k_steps / 8, static_cast<long long>(sharers)));
}

/// Returns the number of workers that share the `rest` of the waves: 0 if each of its tiles has a worker of its own.
inline int sharers_of(int rest, int k_steps, int most) {
  const int sharers = worth_sharing(rest, k_steps, most);
  return sharers > rest ? sharers : 0;
}

/// Returns the parts of at most so many that make a whole.
inline int parts_of(int whole, int most) {
  return (whole + most - 1) / most;
}

/// Where the rows of a packed matrix begin: at a line of L2, at a sector of 32 bytes, or at 16 bytes.
enum class row_begin { line, sector, piece };

inline row_begin begin_of_rows(long long elements) {
  const long long bytes = elements * 2 % 128;
  return bytes == 0 ? row_begin::line : bytes % 32 == 0 ? row_begin::sector : row_begin::piece;
}

/// Returns one of three figures.
inline double at(row_begin begin, double line, double sector, double piece) {
  return begin == row_begin::line ? line : begin == row_begin::sector ? sector : piece;
}

/// Returns whether a product takes as long as storing C in memory, which is more than L2 keeps.
inline bool is_mostly_stored(const problem& p, const device& device) {
  return p.k < 400 && 2.0 * p.m * p.n > 0.5 * static_cast<double>(device.chip.l2_bytes);
}

constexpr double clock_rate = 1.75e9;  // of an H200 at work

/// Returns what a step of a tile takes if `active` of all workers are at work, 0 to 1, for so many waves.
inline double step_clocks(const problem& p, const variant& v, double active, int waves) {
  // A chip slows down to keep its power, and few workers leave each more of it.
  const double seconds = 1.0 * waves * v.k_steps(p.k) * v.step_clocks / clock_rate;
  const double is_long = std::clamp(std::log((std::max)(seconds, 1e-9) / 150e-6) / std::log(800.0 / 150), 0.0, 1.0);
  const double unit = v.step_clocks * (1 + v.loss_when_long * is_long) * (1 - v.gain_alone * (1 - active));
  if (!v.is_wgmma()) return unit;

  // The rows of 64 elements that a block copies, in the mean of all blocks. Of the last tile what is left is copied.
  const auto rows_of = [](int extent, int tile, int sharers, int tiles) {
    const int left = extent % tile;
    return (1.0 * (extent - left) / sharers + hopper::rows_of_last_box(left, sharers)) / (std::max)(1, tiles);
  };
  const heddle::extent places = places_of(p, {&v});
  const double a = rows_of(p.m, v.tile.rows, v.cluster.cols, places.rows * v.cluster.rows);
  const double b = rows_of(p.n, v.tile.cols, v.cluster.rows, places.cols * v.cluster.cols);
  const row_begin of_a = begin_of_rows(p.a == layout::row_major ? p.k : p.m);
  const row_begin of_b = begin_of_rows(p.b == layout::column_major ? p.k : p.n);
  // Two multiprocessors share a way to L2, which is enough for both only while others are idle. The blocks of a cluster
  // are two such neighbours; blocks without one spread. Rows that do not begin at a line take two requests.
  const double few = a * at(of_a, 1.19, 1.43, 2.43) + b * at(of_b, 1.19, 1.43, 2.43);
  const double all = a * at(of_a, 1.89, 2.68, 4.15) + b * at(of_b, 1.89, 2.68, 4.15);
  if (v.blocks_in_cluster() == 1) return (std::max)({unit, 1.11 * few, 1.04 * all * active});
  return (std::max)(unit, active <= 0.5 ? few : all);
}

/// Returns the seconds that a product is expected to take.
inline double expected_seconds(const problem& p, const choice& c, const device& device) {
  const variant& v = *c.variant;
  const int clusters = places_of(p, c).size(), steps = v.k_steps(p.k);
  const int in_cluster = v.is_along_k() ? parts_along_k(clusters, steps, c.sharers) : v.blocks_in_cluster();
  const int workers = (std::max)(1, workers_of(v, device, in_cluster)), rest = clusters % workers;
  const int sharers = v.is_along_k() ? 0 : sharers_of(rest, steps, (std::min)(workers, c.sharers));
  const int waves = sharers > 0 ? clusters / workers : parts_of(clusters, workers);
  // No more workers than the waves need: see `launch_of`.
  const int working_at_once = waves == 0 ? sharers : sharers > 0 ? workers : parts_of(clusters, waves);
  const double active = working_at_once == 0 ? 1 : 1.0 * working_at_once / workers;
  const double step = step_clocks(p, v, active, waves);
  const double storing = at(begin_of_rows(p.n), 1, 1.29, 1.63);
  // Kernels that store a tile while they multiply the next one lose where there is little to multiply.
  const double least = v.least_tile_clocks * storing * (is_mostly_stored(p, device) ? 2.4 : 1);
  double tile = (std::max)(steps * step + v.tile_clocks * storing, least);
  if (v.is_along_k())
    tile += (parts_of(steps, in_cluster) - steps) * step + 0.0377 * static_cast<double>(v.slot_bytes());
  // The next launch begins beside this one if no more than half of the multiprocessors are taken.
  const int blocks = sharers > 0 ? sharers * v.blocks_in_cluster() : (std::min)(clusters, workers) * in_cluster;
  const bool leaves_room = 2 * blocks <= device.chip.multiprocessors;
  double clocks = v.launch_clocks + (v.is_wgmma() && !leaves_room ? 608 : 0) + waves * tile;
  const bool is_even = sharers > 0 && sharers % rest == 0;
  if (sharers > 0) {
    // A worker has a part of one tile; if the parts are not even, the end of one and the beginning of another. The last
    // of a tile's workers reads what the others stored.
    const double parts = 1.0 * sharers / rest;
    const double storing_parts = is_even ? 0.032 : 0.09,
                 reading_parts = 0.0216 * std::ceil(is_even ? parts : parts + 1);
    clocks += steps / parts * step + v.tile_clocks * storing + v.sharing_clocks + (is_even ? 0 : 755) +
              static_cast<double>(v.slot_bytes()) * (storing_parts + reading_parts);
  }
  const double working = clocks / clock_rate;

  // What does not stay in L2 from one launch to the next comes from DRAM. Fewer multiprocessors draw less from it.
  constexpr double launch_seconds = 0.47e-6;
  const double a_and_b = 2.0 * p.k * (1.0 * p.m + p.n), bytes = a_and_b + 2.0 * p.m * p.n;
  const double l2 = static_cast<double>(device.chip.l2_bytes), rate = 1.1 * device.chip.dram_bytes_per_second;
  if (rate == 0) return launch_seconds + working;
  double reading = bytes / (rate * std::pow(active, 0.25)) * (std::min)(bytes / (0.6 * l2), 1.0);
  // Large tiles read it faster if the blocks of a cluster share the larger operand.
  const bool shares_larger = (p.m > p.n ? v.cluster.cols : v.cluster.rows) > 1;
  if (!shares_larger && v.tile.size() > 64 * 64) reading *= 1.14;
  if (sharers > 0 && !is_even) {
    // Workers with uneven parts are at different steps from then on, and read again what others have read before.
    const heddle::extent places = places_of(p, c);
    const double copied = 2.0 * p.k * (1.0 * places.cols * p.m + 1.0 * places.rows * p.n);
    reading += 0.13 * (std::max)(copied - a_and_b, 0.0) / rate;
  }
  const double seconds = launch_seconds + std::cbrt(std::pow(working, 3) + std::pow(reading, 3));
  return sharers > 0 ? 1.032 * seconds : seconds;
}

}  // namespace gemm
