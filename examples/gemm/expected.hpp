#pragma once

#include <algorithm>
#include <cmath>

#include "hopper/last_box.hpp"
#include "variant.hpp"

// How long a product is expected to take with a choice. Only comparisons matter: a plan takes the choice that is
// expected to be fastest, and `tune` times the first few.
//
// A step of a tile lasts as long as the matrix unit needs, or the copies of its operands. A tile is its steps and the
// storing of C. A launch is waves of tiles, of which the last may be split; and it is no faster than DRAM.

namespace gemm {

/// What does not follow from the shape of a tile and the description of a card. Clocks are at `rate`, of an H200 at
/// work. Fitted to all kernels' times of 180 products on two H200s, so that the choice loses least (docs/gemm.md); an
/// H100 had no part.
struct figures {
  double rate = 1.65e9;
  // A step takes `unit` clocks for each of the matrix unit, `step` more, `least_step` at least, and `power` for each
  // row of 128 bytes that is copied, since the matrix unit lacks that power. A share `idle` falls away where all others
  // idle. It lasts `turn` times as long if warpgroups take turns.
  double unit = 0.962, step = 56, least_step = 197, power = 0.109, idle = 0.153, turn = 1.02;
  // A row's way from L2; times as long if it begins at a sector of a line of L2, or at a piece of 16 bytes.
  double row = 1.66, sector = 1.62, piece = 2.52;
  // A row if all multiprocessors copy; if they are at different k, so that no two ask for the same line at a time.
  double row_of_all = 1.9, row_apart = 2.6;
  // Storing C: per sum of a thread; times as long if a warp has one box, and while the other warpgroup multiplies.
  double store = 20.6, store_at_once = 1.15, store_in_turn = 1.35;
  double launch = 2250;                              // of clusters twice as long
  double share = 3510, share_late = 1.045;           // per launch that shares tiles; times as long
  double share_uneven = 0.256, share_read = 0.0437;  // per byte of a slot: if parts are not even; per part
  double unshared = 0.35;  // of the reading: for each further tile or cluster of a band that reads it
  double portable = 2;     // clocks of the matrix unit without Hopper's instructions
};
inline constexpr figures measured;

/// Returns how many times as long rows of A or of B take, packed, if they do not begin at a line of L2.
inline double by_alignment(long long elements) {
  const long long bytes = elements * 2 % 128;
  return bytes == 0 ? 1 : bytes % 32 == 0 ? measured.sector : measured.piece;
}
inline double row_of_a(const problem& p) {
  return by_alignment(p.a == layout::row_major ? p.k : p.m);
}
inline double row_of_b(const problem& p) {
  return by_alignment(p.b == layout::column_major ? p.k : p.n);
}

/// Returns the clocks of a step of a tile if `active` of all workers are at work, 0 to 1, `apart` along k or not.
inline double step_clocks(const problem& p, const variant& v, double active, bool apart) {
  const figures& f = measured;
  const double ideal =  // the matrix unit multiplies 2048 pairs per clock
      v.tile.size() * v.tile_k / 2048.0 * v.blocks_per_multiprocessor * (v.is_wgmma() ? 1 : f.portable);
  // The rows of 64 elements that a block copies, in the mean of all blocks. Of the last tile what is left is copied.
  const auto rows_of = [](int extent, int tile, int sharers, int tiles) {
    const int left = extent % tile;
    return (1.0 * (extent - left) / sharers + hopper::rows_of_last_box(left, sharers)) / (std::max)(1, tiles);
  };
  const heddle::extent places = places_of(p, {&v});
  const double of_a = rows_of(p.m, v.tile.rows, v.cluster.cols, places.rows * v.cluster.rows),
               of_b = rows_of(p.n, v.tile.cols, v.cluster.rows, places.cols * v.cluster.cols),
               rows = of_a * row_of_a(p) + of_b * row_of_b(p);
  // Copies take power from the matrix unit; few workers leave each more of it.
  const double unit =
      (std::max)(f.least_step, f.step + (f.unit * ideal + f.power * rows) * (1 - f.idle * (1 - active))) *
      (v.kind == kind::in_turn ? f.turn : 1);
  if (!v.is_wgmma()) return unit;
  return (std::max)({unit, rows * f.row, (of_a + of_b) * active * (apart ? f.row_apart : f.row_of_all)});
}

/// Returns the seconds that a product is expected to take.
inline double expected_seconds(const problem& p, const choice& c, const device& device) {
  const figures& f = measured;
  const variant& v = *c.variant;
  const heddle::extent places = places_of(p, c);
  const int clusters = places.size(), steps = v.k_steps(p.k);
  const int in_cluster = v.is_along_k() ? parts_along_k(clusters, steps, c.by.sharers) : v.blocks_in_cluster();
  const int workers = (std::max)(1, workers_of(v, device, in_cluster)), rest = clusters % workers;
  const int sharers = v.is_along_k() ? 0 : sharers_of(rest, steps, (std::min)(workers, c.by.sharers));
  const int waves = sharers > 0 ? clusters / workers : parts_of(clusters, workers);
  // No more workers than the waves need: see `launch_of`.
  const int working_at_once = waves == 0 ? sharers : sharers > 0 ? workers : parts_of(clusters, waves);
  const double active = working_at_once == 0 ? 1 : 1.0 * working_at_once / workers;
  const double step = step_clocks(p, v, active, v.is_along_k() || (sharers > 0 && waves == 0));
  // A thread stores its sums, and a multiprocessor those of two warpgroups at a time.
  const double storing =
      f.store * (std::max)(1.0 * v.sums, v.tile.size() / 256.0) * (v.stores_in_turns ? 1 : f.store_at_once);
  const double multiplying = parts_of(steps, v.is_along_k() ? in_cluster : 1) * step;
  double tile = multiplying + storing;
  if (v.kind == kind::in_turn) tile = (std::max)(multiplying, (multiplying + f.store_in_turn * storing) / 2);
  double clocks = f.launch * (in_cluster > 1 ? 2 : 1) + waves * tile + (v.kind == kind::in_turn ? storing : 0);
  const bool is_even = sharers > 0 && sharers % rest == 0;
  if (sharers > 0) {
    // A worker has a part of one tile; if the parts are not even, the end of one and the beginning of another. The last
    // of a tile's workers reads what the others stored.
    const double parts = 1.0 * sharers / rest;
    clocks += steps / parts * step + storing + f.share +
              static_cast<double>(v.slot_bytes()) *
                  ((is_even ? 0 : f.share_uneven) + f.share_read * std::ceil(is_even ? parts : parts + 1));
  }
  const double working = clocks / f.rate;

  // What does not stay in L2 from one launch to the next comes from DRAM; the larger operand comes from L2 at least.
  // Fewer multiprocessors draw less.
  const double bytes = 2.0 * p.k * (1.0 * p.m + p.n) + 2.0 * p.m * p.n;
  const auto& chip = device.chip;
  if (chip.dram_bytes_per_second == 0 || chip.l2_bytes_per_second == 0) return working;
  const double by_dram = (std::min)(bytes / static_cast<double>(chip.l2_bytes), 1.0) / chip.dram_bytes_per_second;
  const double by_l2 = (p.m > p.n ? row_of_a(p) : row_of_b(p)) / chip.l2_bytes_per_second;
  double reading = bytes * (std::max)(by_dram, by_l2) / std::pow(active, 0.35);
  // Tiles or clusters side by side read the larger operand one by one; bands have four at least. Large tiles read it
  // faster if the blocks of a cluster share it.
  const bool is_tall = p.m > p.n;
  const int readers = (std::min)(4, is_tall ? places.cols : places.rows);
  const bool shares = (is_tall ? v.cluster.cols : v.cluster.rows) > 1 || v.tile.size() <= 64 * 64;
  reading *= 1 + f.unshared * (readers - (shares ? 1 : 0.5));
  constexpr double of_both = 4;  // how the two overlap, as `overlap_of_units` says of others
  const double seconds = std::pow(std::pow(working, of_both) + std::pow(reading, of_both), 1 / of_both);
  return sharers > 0 ? f.share_late * seconds : seconds;
}

}  // namespace gemm
