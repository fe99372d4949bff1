#pragma once

#include <cub/device/device_scan.cuh>

#include <heddle/device/current_device.hpp>
#include <heddle/expand/ordered_levels.hpp>
#include <heddle/predict/makespan.hpp>

#include <numeric>
#include <tuple>

#include "lists.cuh"

// Kernels whose work is small or even, or comes level by level: each with an even input and a skewed one.

namespace wild {

// Voting: each point of an outline votes for some circles that it may be on, 8 per point or by a power law.

constexpr unsigned outline_points = 150'000, votes_side = 512, most_votes = 4096;

struct outline {
  const float* places;
  const unsigned* counts;
  unsigned* votes;

  __device__ unsigned parts_of(unsigned point) const { return point < outline_points ? counts[point] : 0; }
  __device__ void visit(unsigned point, unsigned rank) const {
    const float angle = static_cast<float>(rank) * 0.7853982f, radius = 8 + static_cast<float>(rank / 8 % 32);
    const float x = places[2 * point] * votes_side + radius * __cosf(angle);
    const float y = places[2 * point + 1] * votes_side + radius * __sinf(angle);
    const auto row = static_cast<unsigned>(static_cast<int>(y)), col = static_cast<unsigned>(static_cast<int>(x));
    if (row < votes_side && col < votes_side) atomicAdd(&votes[row * votes_side + col], 1u);
  }
};

inline contest of_votes(bool even) {
  std::vector<unsigned> of_each(blocks_for(outline_points) * 256);
  for (unsigned i = 0; i < outline_points; ++i) of_each[i] = even ? 8 : skewed(i + 3, most_votes);
  const auto counts = make_words(of_each.size()), votes = make_words(votes_side * votes_side);
  counts->copy_from(of_each.data(), of_each.size());
  const auto places = make_floats(2 * of_each.size());
  const outline of{floats(places), counts->data(), votes->data()};
  return contest_of_lists(
      even ? "voting, even" : "voting", even ? "150,000 points of 8 votes" : "150,000 points of 1 to 4096 votes", votes,
      forms_of(
          outline_points, std::accumulate(of_each.begin(), of_each.end(), 0u), of, [=] { votes->set_bytes(0); },
          [=, keep = std::pair{counts, places}] { walk<<<blocks_for(outline_points), 256>>>(of); }),
      list_method::warp_dealt);
}

// Rays through an octree, ten levels: a ray in a node goes on into 0 to 8 of its children, one in the mean, and the
// hits come in the order of the rays. Before, each level decides, scans and subdivides, over as many pairs of a ray and
// a node as there is room for.

constexpr unsigned rays = 4096, roots = 1 << 18, most_pairs = 1 << 19, depth_of_tree = 10;

struct octree {
  bool even;
  unsigned* hits;

  /// A ray is in the upper bits of a pair; the lower ones stand for a node.
  __device__ static unsigned root(unsigned i) { return i / (roots / rays) << 20 | mix(i) >> 12; }
  __device__ static unsigned child(unsigned pair, unsigned rank) {
    return (pair & ~0xfffffu) | mix(pair * 8 + rank) >> 12;
  }
  __device__ unsigned children(unsigned pair) const {
    const unsigned drawn = mix(pair ^ 0x5bd1e995u);
    return even ? 1 : drawn % 9 < 2 ? 1 + (drawn >> 8) % 8 : 0;
  }
};

/// The pairs of a level, and how many they are; how many children each has, and how many come before them.
struct level_of_pairs {
  unsigned *pairs, *next, *count, *next_count, *children, *before;
};
__global__ void fill_roots(unsigned* pairs, unsigned* count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  pairs[i] = octree::root(i);
  if (i == 0) *count = roots;
}
__global__ void decide(level_of_pairs at, octree of) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  at.children[i] = i < *at.count ? of.children(at.pairs[i]) : 0;
}
__global__ void subdivide(level_of_pairs at) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == gridDim.x * blockDim.x - 1) *at.next_count = at.before[i] + at.children[i];
  if (i >= *at.count) return;
  for (unsigned rank = 0; rank < at.children[i]; ++rank) {
    const unsigned place = at.before[i] + rank;
    if (place < most_pairs) at.next[place] = octree::child(at.pairs[i], rank);
  }
}
__device__ void shade(const unsigned* pairs, unsigned count, octree of) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    of.hits[i] = mix(pairs[i] + i);
  }
}
__global__ void shade_pairs(const unsigned* pairs, const unsigned* count, octree of) {
  shade(pairs, *count, of);
}

using ordered = heddle::ordered_levels<unsigned>;

__global__ void __launch_bounds__(1024) traverse(const __grid_constant__ ordered work, octree of) {
  __shared__ heddle::static_shared<ordered::storage> shared;
  work.run(
      shared, roots, depth_of_tree, [](unsigned i) { return octree::root(i); },
      [&](unsigned pair, unsigned) { return of.children(pair); },
      [](unsigned pair, unsigned rank, unsigned) { return octree::child(pair, rank); });
}
__global__ void shade_last(const __grid_constant__ ordered work, octree of) {
  const auto [pairs, count] = work.last();
  shade(pairs, count, of);
}

inline contest of_octree(bool even) {
  const auto hits = make_words(most_pairs), pairs = make_words(4 * most_pairs + 2),
             state = make_words(ordered::state_bytes(most_pairs) / 4);
  const ordered work{most_pairs, state->data()};
  const octree of{even, hits->data()};
  unsigned *const all = pairs->data(), *const children = all + 2 * most_pairs, *const counts = all + 4 * most_pairs;
  std::size_t bytes = 0;
  check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, children, children, most_pairs));
  const auto scratch = make_words(bytes / 4 + 1);
  constexpr unsigned blocks_of_hits = 256;
  return {even ? "octree traversal, even" : "octree traversal",
          even ? "2¹⁸ rays in ten levels, one child each, hits in order"
               : "2¹⁸ rays in ten levels, 0 to 8 children each, hits in order",
          "ordered_levels",
          hits,
          replayed([=, keep = pairs](cudaStream_t on) {
            fill_roots<<<roots / 256, 256, 0, on>>>(all, counts);
            for (unsigned level = 0; level < depth_of_tree; ++level) {
              const unsigned odd = level % 2;
              const level_of_pairs at{
                  all + odd * most_pairs, all + (1 - odd) * most_pairs, counts + odd, counts + 1 - odd, children,
                  children + most_pairs};
              decide<<<most_pairs / 256, 256, 0, on>>>(at, of);
              std::size_t size = bytes;
              check(cub::DeviceScan::ExclusiveSum(scratch->data(), size, at.children, at.before, most_pairs, on));
              subdivide<<<most_pairs / 256, 256, 0, on>>>(at);
            }
            shade_pairs<<<blocks_of_hits, 512, 0, on>>>(all, counts, of);
          }),
          replayed([=, keep = state](cudaStream_t on) {
            check(work.begin_async(on));
            check(heddle::launch({.threads = 1024, .stream = on}, traverse, work, of));
            shade_last<<<blocks_of_hits, 512, 0, on>>>(work, of);
          })};
}

/// The first of its levels alone: it scans, and its children do no more than to be counted.
struct first_level {
  octree of;

  __device__ unsigned parts_of(unsigned i) const { return i < roots ? of.children(octree::root(i)) : 0; }
  __device__ void visit(unsigned i, unsigned rank) const { hit(octree::child(octree::root(i), rank)); }
  __device__ void hit(unsigned pair) const { atomicAdd(&of.hits[pair % rays], pair); }
};
__global__ void hit_children(level_of_pairs at, first_level of) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned rank = 0; rank < at.children[i]; ++rank) of.hit(octree::child(at.pairs[i], rank));
}
inline contest of_level(bool even) {
  const auto hits = make_words(rays), pairs = make_words(3 * roots + 2);
  const octree of{even, hits->data()};
  unsigned *const all = pairs->data(), *const children = all + roots, *const counts = all + 3 * roots;
  std::size_t bytes = 0;
  check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, children, children, roots));
  const auto scratch = make_words(bytes / 4 + 1);
  fill_roots<<<roots / 256, 256>>>(all, counts);
  check(cudaGetLastError());
  const level_of_pairs at{all, nullptr, counts, counts + 1, children, children + roots};
  return contest_of_lists(even ? "octree level, even" : "octree level",
                          even ? "a level of 2¹⁸ rays, one child each" : "a level of 2¹⁸ rays, 0 to 8 children each",
                          hits,
                          forms_of(
                              roots, 8 * roots, first_level{of}, [=] { hits->set_bytes(0); },
                              [=, keep = pairs] {
                                decide<<<roots / 256, 256>>>(at, of);
                                std::size_t size = bytes;
                                check(cub::DeviceScan::ExclusiveSum(scratch->data(), size, children, at.before, roots));
                                hit_children<<<roots / 256, 256>>>(at, first_level{of});
                              },
                              true),
                          list_method::scanned);
}

// Decoding with the keys of a sequence split: 128 sequences of 4096 keys each, or one of 131072 and short ones. Before,
// sixteen blocks share a sequence; afterwards a block takes 256 keys. Sums are whole numbers, so that their order does
// not matter.

constexpr unsigned split_sequences = 128, splits = 16, of_split = 256, of_key = 128;

struct split_cache {
  const unsigned *begins, *keys, *values;
  unsigned* sums;

  __device__ unsigned parts_of(unsigned sequence) const {
    return sequence < split_sequences ? (begins[sequence + 1] - begins[sequence] - 1) / of_split + 1 : 0;
  }
  /// Adds what the keys from `first` to `end` give to the sums of a sequence, by a block of 128 threads.
  __device__ void attend(unsigned sequence, unsigned first, unsigned end) const {
    const unsigned lane = threadIdx.x % 32;
    unsigned mine[4] = {};
    for (unsigned key = first + threadIdx.x / 32; key < end; key += 4) {
      const auto* const row = reinterpret_cast<const uint4*>(keys + std::size_t{key} * of_key);
      const auto* const value = reinterpret_cast<const uint4*>(values + std::size_t{key} * of_key);
      const uint4 k = row[lane], v = value[lane];
      const unsigned score = __reduce_add_sync(~0u, k.x * (lane + sequence) + k.y * 3 + k.z * 5 + k.w * 7);
      mine[0] += score * v.x, mine[1] += score * v.y, mine[2] += score * v.z, mine[3] += score * v.w;
    }
    for (unsigned i = 0; i < 4; ++i) atomicAdd(&sums[sequence * of_key + 4 * lane + i], mine[i]);
  }
};
__global__ void __launch_bounds__(128) attend_splits(split_cache of) {
  const unsigned first = of.begins[blockIdx.y], count = of.begins[blockIdx.y + 1] - first;
  const unsigned each = (count - 1) / splits + 1, mine = blockIdx.x * each;
  if (mine < count) of.attend(blockIdx.y, first + mine, first + min(mine + each, count));
}
__global__ void __launch_bounds__(128) attend_pieces(const __grid_constant__ expand work, split_cache of) {
  __shared__ heddle::static_shared<expand::storage> shared;
  for (const auto [sequence, piece] : work.items<heddle::granularity::block>(shared)) {
    const unsigned first = of.begins[sequence] + piece * of_split;
    of.attend(sequence, first, min(first + of_split, of.begins[sequence + 1]));
  }
}

inline contest of_decode(bool even) {
  std::vector<unsigned> ends{0};
  for (unsigned i = 0; i < split_sequences; ++i)
    ends.push_back(ends.back() + (even ? 4096 : i == 77 ? 131'072 : 64 + mix(i) % 512));
  const unsigned count = ends.back();
  const auto begins = make_words(ends.size()), keys = make_floats(std::size_t{1} * count * of_key),
             values = make_floats(std::size_t{1} * count * of_key), sums = make_words(split_sequences * of_key);
  begins->copy_from(ends.data(), ends.size());
  const room in(256, split_sequences + count / of_split);
  const split_cache of{begins->data(), keys->data(), values->data(), sums->data()};
  const std::function<void()> before = [=] {
    sums->set_bytes(0);
    attend_splits<<<dim3(splits, split_sequences), 128>>>(of);
  };
  const std::function<void()> after = [=, keep = std::tuple{begins, keys, values}] {
    sums->set_bytes(0);
    const expand work = in.work();
    check(work.begin_async(nullptr));
    push_parts<<<1, 256>>>(work, of);
    check(heddle::launch({.threads = 128}, attend_pieces, work, of));
  };
  const std::string policy = "packed_prefix, by block";
  return {even ? "split decode, even" : "split decode",
          even ? "128 sequences of 4096 keys" : "128 sequences, one of 131,072 keys, others of 64 to 575",
          policy,
          sums,
          before,
          after,
          [=] {
            // What the blocks before leave idle is what a list can gain, less its two launches and its counter.
            const auto card = heddle::current_device();
            check(card.error);
            int resident = 0;
            check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, attend_splits, 128, 0));
            const heddle::row_major tiles{{split_sequences, splits}};
            const auto ahead = heddle::predict::makespan(
                heddle::one_shot{tiles},
                [&](heddle::coord tile) {
                  const unsigned all = ends[tile.row + 1] - ends[tile.row], each = (all - 1) / splits + 1;
                  return std::clamp(1.0 * all - 1.0 * each * tile.col, 0.0, 1.0 * each);
                },
                {card.value.multiprocessors * resident, resident});
            const double seconds = seconds_of(before);
            const bool is_better = seconds * (1 - ahead.idle_share()) + 10e-6 < 0.9 * seconds;
            return is_better ? advice{policy, after} : advice{"loop", before};
          }};
}

}  // namespace wild
