#pragma once

#include <cub/device/device_scan.cuh>

#include <heddle/expand/append.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/list_probe.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/scanned.hpp>
#include <heddle/expand/warp_dealt.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/bench.hpp"
#include "counts.hpp"

// The same work by each method.

namespace lists {

using namespace heddle;
using namespace heddle_bench;

enum class body { store, gather, add };
constexpr const char* names_of_bodies[] = {"store", "gather", "atomic"};

/// What the methods work on. The begins of the items are known beforehand, as where the original scans.
struct arrays {
  const unsigned *n, *begin;
  unsigned size;
  item* out;
  const item* table;
  unsigned* bins;
};

constexpr unsigned of_table = 1 << 24, of_bins = 1 << 20;

template <body Body>
__device__ void use(const arrays& of, unsigned slot, item each) {
  if constexpr (Body == body::store) {
    of.out[slot] = each;
  } else {
    const unsigned where = mix(each.source * 0x9e3779b1u ^ each.rank);
    if constexpr (Body == body::add) {
      atomicAdd(&of.bins[where % of_bins], 1u);
    } else if (of.table[where % of_table].source == ~0u) {  // never
      of.out[slot] = each;
    }
  }
}

template <body Body>
__global__ void loop(arrays of) {
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  if (source >= of.size) return;
  const unsigned n = of.n[source], begin = Body == body::store ? of.begin[source] : 0;
  for (unsigned rank = 0; rank < n; ++rank) use<Body>(of, begin + rank, {source, rank});
}

/// A warp per source walks its items.
template <body Body>
__global__ void loop_of_warps(arrays of) {
  const unsigned source = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (source >= of.size) return;
  const unsigned n = of.n[source], begin = Body == body::store ? of.begin[source] : 0;
  for (unsigned rank = threadIdx.x % 32; rank < n; rank += 32) use<Body>(of, begin + rank, {source, rank});
}

template <body Body>
__global__ void dealt(const __grid_constant__ warp_dealt work, arrays of) {
  __shared__ static_shared<warp_dealt::storage> smem;
  const auto count = [&](unsigned source) { return of.n[source]; };
  if constexpr (Body == body::store) {
    work.run_in_rows(smem, count, [&](unsigned source, unsigned rank) {
      use<Body>(of, __ldg(&of.begin[source]) + rank, {source, rank});
    });
  } else {
    work.run(smem, count, [&](unsigned source, unsigned rank) { use<Body>(of, 0, {source, rank}); });
  }
}

constexpr int of_pass_1 = 128, of_pass_2 = 256;

template <unsigned AtOnce, class Work>
__global__ void __launch_bounds__(of_pass_1, 10) push_all(const __grid_constant__ Work work, arrays of) {
  __shared__ static_shared<typename Work::push_storage> smem;
  unsigned sources[AtOnce], n[AtOnce];
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x / 32 * 32) * AtOnce + threadIdx.x % 32;
#pragma unroll
  for (unsigned i = 0; i < AtOnce; ++i) {
    sources[i] = first + i * 32;
    n[i] = sources[i] < of.size ? of.n[sources[i]] : 0;
  }
  work.push(smem, sources, n);
}
template <body Body, class Work>
__global__ void visit_all(const __grid_constant__ Work work, arrays of) {
  __shared__ static_shared<typename Work::storage> smem;
  for (auto place = work.items(smem); place; ++place) {
    const item each = *place;
    unsigned slot = 0;
    if constexpr (requires { place.slot(); }) {
      slot = place.slot();
    } else if constexpr (Body == body::store) {
      slot = of.begin[each.source] + each.rank;
    }
    use<Body>(of, slot, each);
  }
}

struct method {
  std::string name;
  std::function<void()> run;
  std::vector<double> times{};
  int at_once = 1;
};

inline unsigned blocks_for(unsigned long long count, unsigned each) {
  return static_cast<unsigned>((count + each - 1) / each);
}

/// All methods that a row can take. `state` has room for each of them.
template <body Body>
std::vector<method> methods_of(const arrays& of, const list_counts& counts, char* state, char* dealt_state) {
  std::vector<method> all;
  const unsigned size = of.size;
  all.push_back({"loop", [=] { loop<Body><<<blocks_for(size, 256), 256>>>(of); }});
  {
    const warp_dealt work{size, counts.items / 65, dealt_state};
    const launch_config grid = work.grid(dealt<Body>, work.threads());
    check(grid.error);
    all.push_back({"warp_dealt", [=] { check(launch(grid, nullptr, dealt<Body>, work, of)); }});
  }
  if (counts.items > 8 * counts.sources) {
    all.push_back({"warp_per_source", [=] { loop_of_warps<Body><<<blocks_for(32ull * size, 256), 256>>>(of); }});
  }
  const auto add = [&](const char* name, auto work) {
    using Work = decltype(work);
    const launch_config grid = work.grid(visit_all<Body, Work>, of_pass_2);
    check(grid.error);
    all.push_back({name, [=] {
                     check(work.begin_async(nullptr));
                     size < 1u << 20 ? push_all<4><<<blocks_for(size, 4 * of_pass_1), of_pass_1>>>(work, of)
                                     : push_all<8><<<blocks_for(size, 8 * of_pass_1), of_pass_1>>>(work, of);
                     check(launch(grid, nullptr, visit_all<Body, Work>, work, of));
                   }});
  };
  const expansion room{(size + 1023ull) / 1024 * 1024, counts.items};
  add("packed_prefix", packed_prefix{room, state});
  add("scanned", scanned{room, state});
  if (counts.items < 4 * counts.sources) add("append", append{room, state});
  if (counts.longest <= 32 && counts.longest > 0) add("fixed", fixed<32>{room, state});
  return all;
}

std::vector<method> stores(const arrays& of, const list_counts& counts, char* state, char* dealt_state);
std::vector<method> gathers(const arrays& of, const list_counts& counts, char* state, char* dealt_state);
std::vector<method> additions(const arrays& of, const list_counts& counts, char* state, char* dealt_state);

}  // namespace lists
