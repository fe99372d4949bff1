#pragma once

#include <algorithm>
#include <vector>

#include "expected.hpp"

// What a plan chooses from: kernels, orders, parts of tiles and seats.

namespace gemm {

/// Returns the tiles, or clusters, from one edge to the other across the bands.
inline int across_bands(const problem& p, const choice& c) {
  return c.by.axis == heddle::axis::x ? places_of(p, c).cols : places_of(p, c).rows;
}

/// Returns a choice in another order that may be better: wider bands, or bands along the other axis.
inline choice in_other_order(const problem& p, choice c) {
  if (across_bands(p, c) >= 12) {
    c.by.width = c.by.width == 16 ? 8 : 16;
  } else {
    c.by.axis = c.by.axis == heddle::axis::x ? heddle::axis::y : heddle::axis::x, c.by.width = 8;
  }
  if (c.seats > 0) c.seats = c.by.width;
  return c;
}

/// Returns a choice of whole tiles in the bands of its kernel.
inline choice in_own_order(const problem& p, const variant& v, const device& device) {
  // The hardware deals block numbers round the 8 GPCs: in bands of 8 the blocks of a GPC share the operand that the
  // blocks of a cluster do not share. A last band of less than 4 is none. Without clusters bands of 4 are 3 % faster in
  // a single wave, and with clusters in a row bands of 16 always 1 % (H200, 117 products).
  choice whole{&v};
  if (v.cluster.rows > v.cluster.cols) whole.by.axis = heddle::axis::x;
  whole.by.schedule = v.draws()        ? heddle::recipe::work_stealing
                      : v.is_along_k() ? heddle::recipe::one_shot
                                       : heddle::recipe::strided;
  if (const int across = across_bands(p, whole); across > 8 && across < 12) whole.by.width = across;
  if (v.cluster.cols > 1) whole.by.width = 16;
  if (v.blocks_in_cluster() == 1 && places_of(p, whole).size() <= workers_of(v, device)) {
    whole.by.width = 4;
    if (places_of(p, whole).cols <= 4) whole.by.axis = heddle::axis::x;
  }
  // Where storing C in memory takes half as long as all products or more, tiles that run at once then store whole rows:
  // H200, up to 11 % less time.
  const auto& chip = device.chip;
  const bool leaves_l2 = 4.0 * p.m * p.n > static_cast<double>(chip.l2_bytes);
  if (leaves_l2 && p.k * chip.dram_bytes_per_second < 2 * chip.matrix_operations_per_second) {
    whole.by.width = 4, whole.by.axis = heddle::axis::y;
  }
  return whole;
}

/// Returns the choices of a kernel that differ in more than the order: whole tiles, tiles shared by all workers, and
/// tiles shared by as many as give each tile the same number of parts. Kernels along k have clusters of two to eight.
inline std::vector<choice> choices_of(const variant& v, const problem& p, const device& device) {
  const choice whole = in_own_order(p, v, device);
  const int workers = (std::max)(1, workers_of(v, device)), clusters = places_of(p, whole).size(),
            rest = clusters % workers;
  std::vector<choice> all;
  if (v.is_along_k()) {
    for (const int parts : {2, 3, 4, 6, 8}) {
      if (clusters > workers_of(v, device, parts) || v.k_steps(p.k) < 2 * parts) break;
      choice along = whole;
      along.by.width = 8, along.by.axis = heddle::axis::x, along.by.sharers = clusters * parts;
      all.push_back(along);
    }
    return all;
  }
  all.push_back(whole);
  if (v.draws() || rest == 0) return all;
  if (v.kind == kind::in_turn && clusters < workers) return all;  // warpgroups that take turns need tiles to take
  // Larger tiles than 64x64 of blocks without clusters lost by sharing in all products that were measured, and the
  // portable kernel but for a single wave.
  if (v.is_wgmma() ? v.blocks_in_cluster() == 1 && v.tile.size() > 64 * 64 : clusters > workers) return all;
  for (const int most : {workers, workers / rest * rest, 2 * rest}) {
    const int sharers = sharers_of(rest, v.k_steps(p.k), (std::min)(workers, most));
    const auto is_same = [&](const choice& each) { return each.by.sharers == sharers; };
    choice shared = whole;
    shared.by.schedule = heddle::recipe::stream_k, shared.by.sharers = sharers;
    if (std::none_of(all.begin(), all.end(), is_same)) all.push_back(shared);
  }
  return all;
}

/// Returns the choices of some kernels, those that are expected to be fastest first.
inline std::vector<heddle::candidate<choice>> in_order_of_time(const problem& p, const device& device,
                                                               const std::vector<const variant*>& variants) {
  std::vector<heddle::candidate<choice>> all;
  for (const variant* each : variants) {
    for (const choice& one : choices_of(*each, p, device)) {
      const double seconds = expected_seconds(p, one, device);
      all.push_back({one, seconds});
      // Seats take time at the beginning. H200: they lose 5 % of 0.2 ms, and gain 1 % from 0.8 ms on.
      if (each->blocks_in_cluster() != 2 || one.by.sharers > 0 || seconds < 8e-4 || device.map.multiprocessors == 0) {
        continue;
      }
      choice seated = one;
      // Bands of 8 columns that last six waves are halved. H200, two cards: 16384³ 1.2 and 1.7 % faster, 14336³ 0.5;
      // 8192³, whose bands last four, 0.6 and 0.7 slower.
      if (one.by.axis == heddle::axis::x && 8 * places_of(p, one).rows > 6 * workers_of(*each, device)) {
        seated.by.width = 4;
      }
      seated.seats = seated.by.width;
      all.push_back({seated, 0.99 * seconds});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& one, const auto& other) { return one.seconds < other.seconds; });
  return all;
}

}  // namespace gemm
