#pragma once

#include <heddle/device/current_device.hpp>
#include <heddle/expand/list_probe.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/scanned.hpp>
#include <heddle/expand/warp_dealt.hpp>
#include <heddle/launch/launch_shape.hpp>
#include <heddle/predict/advise_list.hpp>

#include <algorithm>
#include <vector>

#include "contest.cuh"

// Kernels in which a thing has some parts, few or many. Before, a thread or a warp per thing walks its parts;
// afterwards the first pass pushes things, and the second has a thread or a warp per part.

namespace wild {

using expand = heddle::packed_prefix;

using heddle::predict::list_method;

/// Where the parts of each thing begin, and where the last end: as many each, or by a power law.
struct parts {
  parts(unsigned things, unsigned most, unsigned each) {
    std::vector<unsigned> all{0};
    for (unsigned i = 0; i < things; ++i) all.push_back(all.back() + (each > 0 ? each : skewed(i + 1, most)));
    count = all.back();
    begins = make_words(all.size());
    begins->copy_from(all.data(), all.size());
  }
  unsigned count = 0;
  std::shared_ptr<words> begins;
};

/// Memory of an expansion.
struct room {
  room(unsigned things, unsigned items)
      : of{things, items}, state(make_words(expand::state_bytes(of) / sizeof(unsigned) + 1)) {}
  expand work() const { return {of, state->data()}; }
  heddle::expansion of;
  std::shared_ptr<words> state;
};

/// A thread per thing walks its parts.
template <class Things>
__global__ void walk(Things all) {
  const unsigned thing = blockIdx.x * blockDim.x + threadIdx.x, n = all.parts_of(thing);
  for (unsigned part = 0; part < n; ++part) all.visit(thing, part);
}

/// The first pass has a thread per thing, the second one per part.
template <class Things, class Work = expand>
__global__ void push_parts(const __grid_constant__ Work work, Things all) {
  const unsigned thing = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ heddle::static_shared<typename Work::push_storage> shared;
  work.push(shared, thing, all.parts_of(thing));
}
template <class Things, class Work = expand>
__global__ void visit_parts(const __grid_constant__ Work work, Things all) {
  __shared__ heddle::static_shared<typename Work::storage> shared;
  for (const auto [thing, part] : work.items(shared)) all.visit(thing, part);
}

/// Enqueues both passes.
template <class Work, class Things>
void two_passes(const Work& work, unsigned things, void (*visit)(Work, Things), const Things& all) {
  check(work.begin_async(nullptr));
  push_parts<<<blocks_for(things), 256>>>(work, all);
  check(heddle::launch({.threads = 256}, visit, work, all));
}

/// Both in one launch.
template <bool InRows, class Things>
__global__ void __launch_bounds__(1024, 2) visit_dealt(const __grid_constant__ heddle::warp_dealt work, Things all) {
  __shared__ heddle::static_shared<heddle::warp_dealt::storage> shared;
  const auto count = [&](unsigned thing) { return all.parts_of(thing); };
  const auto visit = [&](unsigned thing, unsigned part) { all.visit(thing, part); };
  if constexpr (InRows) {
    work.run_in_rows(shared, count, visit);
  } else {
    work.run(shared, count, visit);
  }
}

/// A warp per thing walks its parts.
template <class Things>
__global__ void walk_by_warps(Things all) {
  const unsigned thing = (blockIdx.x * blockDim.x + threadIdx.x) / 32, n = all.parts_of(thing);
  for (unsigned part = threadIdx.x % 32; part < n; part += 32) all.visit(thing, part);
}

template <class Things>
struct parts_of_things {
  Things all;
  __device__ unsigned operator()(unsigned thing) const { return all.parts_of(thing); }
};

/// A loop over the parts of things, by each method that `advise_list` may name.
struct list_forms {
  std::function<heddle::list_counts()> count;
  std::function<void()> clear;  // before each run
  std::function<void(list_method)> run;

  std::function<void()> form(list_method by) const {
    return [=, own = *this] { own.clear(), own.run(by); };
  }
  /// Asks `advise_list`, by the counts and the loop's time.
  advice ask() const {
    const auto card = heddle::current_device();
    check(card.error);
    const double seconds = seconds_of([&] { run(list_method::loop); });
    const list_method by = heddle::predict::advise_list(count(), card.value, seconds).method;
    return {name_of(by), form(by)};
  }
};

/// Returns the methods for some things, of at most so many parts; `loop` is the kernel before. `parts_of` may be asked
/// for a whole block of 256 things.
template <class Things>
list_forms forms_of(unsigned things, unsigned parts, const Things& all, std::function<void()> clear,
                    std::function<void()> loop, bool is_scanned = false) {
  const heddle::expansion of{blocks_for(things) * 256, parts};
  const auto state = make_words(std::max(heddle::scanned::state_bytes(of), expand::state_bytes(of)) / 4 + 1),
             dealt_state = make_words(heddle::warp_dealt::state_bytes(things) / 4);
  const auto counts = std::make_shared<device_array<heddle::list_counts>>(1);
  dealt_state->set_bytes(0);
  return {
      [=] {
        check(heddle::list_probe{counts->data()}.enqueue(nullptr, things, parts_of_things<Things>{all}));
        heddle::list_counts found = counts->first();
        found.is_scanned = is_scanned;
        return found;
      },
      clear,
      [=](list_method by) {
        switch (by) {
          case list_method::loop:
            return loop();
          case list_method::warp_per_source:
            return walk_by_warps<<<blocks_for(things) * 32, 256>>>(all);
          case list_method::warp_dealt: {
            const heddle::warp_dealt work{things, things, dealt_state->data()};
            auto* const kernel = is_scanned ? visit_dealt<true, Things> : visit_dealt<false, Things>;
            return check(heddle::launch({.threads = work.threads()}, kernel, work, all));
          }
          case list_method::packed_prefix:
            return two_passes(expand{of, state->data()}, things, visit_parts<Things>, all);
          case list_method::scanned:
            return two_passes(heddle::scanned{of, state->data()}, things, visit_parts<Things, heddle::scanned>, all);
        }
      }};
}

/// Returns the contest of the loop with one of its methods.
inline contest contest_of_lists(const std::string& kind, const std::string& what, std::shared_ptr<words> result,
                                const list_forms& forms, list_method by = list_method::packed_prefix) {
  return {kind,
          what,
          name_of(by),
          std::move(result),
          forms.form(list_method::loop),
          forms.form(by),
          [=] { return forms.ask(); }};
}

// A step of a graph's traversal: each edge of a node that was reached shortens the way to its other end.

constexpr unsigned nodes = 1 << 20, most_edges = 1 << 16, unreached = ~0u;

struct graph {
  const unsigned *begins, *ends, *distance;
  unsigned* next;

  __device__ unsigned parts_of(unsigned node) const {
    return distance[node] == unreached ? 0 : begins[node + 1] - begins[node];
  }
  __device__ void visit(unsigned node, unsigned rank) const {
    const unsigned edge = begins[node] + rank;
    atomicMin(&next[ends[edge]], distance[node] + 1 + edge % 64);
  }
};

__global__ void fill_graph(unsigned* ends, unsigned edges, unsigned* distance) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < edges) ends[i] = mix(i) % nodes;
  if (i < nodes) distance[i] = mix(~i) % 2 == 0 ? unreached : mix(i + 7) % 1024;
}
template <bool IsEven>
contest of_graph() {
  const parts edges(nodes, most_edges, IsEven ? 8 : 0);
  const auto ends = make_words(edges.count), distance = make_words(nodes), next = make_words(nodes);
  fill_graph<<<blocks_for(edges.count), 256>>>(ends->data(), edges.count, distance->data());
  check(cudaGetLastError());
  const graph of{edges.begins->data(), ends->data(), distance->data(), next->data()};
  return contest_of_lists(
      IsEven ? "graph traversal, even" : "graph traversal",
      IsEven ? "a step over half of 2²⁰ nodes, of 8 edges" : "a step over half of 2²⁰ nodes, degrees by a power law",
      next,
      forms_of(
          nodes, edges.count, of, [=] { next->copy_from(*distance); },
          [=, keep = std::pair{edges, ends}] { walk<<<nodes / 256, 256>>>(of); }));
}

// A sparse matrix by a vector, of whole numbers. Before, a warp per row; afterwards, a warp per 256 elements of a row.

constexpr unsigned sparse_rows = 1 << 20, most_in_row = 1 << 18, of_piece = 256;

struct sparse {
  const unsigned *begins, *cols, *values, *x;
  unsigned* y;

  __device__ unsigned parts_of(unsigned row) const { return (begins[row + 1] - begins[row] - 1) / of_piece + 1; }
  /// Returns the sum of a run of elements, in all threads of a warp.
  __device__ unsigned sum(unsigned first, unsigned end) const {
    unsigned mine = 0;
    for (unsigned i = first + threadIdx.x % 32; i < end; i += 32) mine += values[i] * x[cols[i]];
    return __reduce_add_sync(~0u, mine);
  }
};

__global__ void fill_sparse(unsigned* cols, unsigned* values, unsigned count, unsigned* x) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) cols[i] = mix(i) % sparse_rows, values[i] = i;
  if (i < sparse_rows) x[i] = mix(~i);
}
__global__ void multiply_rows(sparse of) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned sum = of.sum(of.begins[row], of.begins[row + 1]);
  if (threadIdx.x % 32 == 0) of.y[row] = sum;
}
__global__ void multiply_pieces(const __grid_constant__ expand work, sparse of) {
  __shared__ heddle::static_shared<expand::storage> shared;
  for (const auto [row, piece] : work.items<heddle::granularity::warp>(shared)) {
    const unsigned first = of.begins[row] + piece * of_piece;
    const unsigned sum = of.sum(first, min(first + of_piece, of.begins[row + 1]));
    if (threadIdx.x % 32 == 0) atomicAdd(&of.y[row], sum);
  }
}

inline contest of_sparse_product() {
  const parts elements(sparse_rows, most_in_row, 0);
  const room in(sparse_rows, sparse_rows + elements.count / of_piece);
  const auto cols = make_words(elements.count), values = make_words(elements.count), x = make_words(sparse_rows),
             y = make_words(sparse_rows);
  fill_sparse<<<blocks_for(elements.count), 256>>>(cols->data(), values->data(), elements.count, x->data());
  check(cudaGetLastError());
  const sparse of{elements.begins->data(), cols->data(), values->data(), x->data(), y->data()};
  return {"sparse product",
          "2²⁰ rows, by a power law, a warp per row",
          "packed_prefix, by warp",
          y,
          [=] { multiply_rows<<<sparse_rows / 8, 256>>>(of); },
          [=, keep = std::tuple{elements, cols, values, x}] {
            y->set_bytes(0);
            two_passes(in.work(), sparse_rows, multiply_pieces, of);
          }};
}

// Squares onto a picture, the nearest in front: a thread per square, or per pixel of one.

constexpr unsigned splats = 1 << 20, picture_rows = 1080, picture_cols = 1920, most_pixels = 1 << 14;

struct picture {
  unsigned long long* nearest;
  bool even;

  __device__ unsigned edge(unsigned splat) const {
    return even ? 4 : static_cast<unsigned>(sqrtf(static_cast<float>(skewed(splat + 1, most_pixels))));
  }
  __device__ unsigned parts_of(unsigned splat) const {
    const unsigned of = edge(splat);
    return of * of;
  }
  __device__ void visit(unsigned splat, unsigned pixel) const {
    const unsigned of = edge(splat), place = mix(~splat);
    const unsigned row = place % (picture_rows - of) + pixel / of, col = mix(place) % (picture_cols - of) + pixel % of;
    atomicMin(&nearest[row * picture_cols + col], (std::uint64_t{mix(splat + 5)} << 32) + splat);
  }
};

template <bool IsEven>
contest of_splatting() {
  const auto nearest = make_words(2 * picture_rows * picture_cols);
  const picture to{reinterpret_cast<unsigned long long*>(nearest->data()), IsEven};
  return contest_of_lists(
      IsEven ? "splatting, even" : "splatting",
      IsEven ? "2²⁰ squares of 16 pixels onto 1920 × 1080" : "2²⁰ squares of 1 to 16384 pixels onto 1920 × 1080",
      nearest,
      forms_of(
          splats, 16 * splats, to, [=] { nearest->set_bytes(0xff); }, [=] { walk<<<splats / 256, 256>>>(to); }));
}

// Culling: of every third object each cluster is tested against the planes of a view.

constexpr unsigned objects = 1 << 18, most_clusters = 1 << 12;

struct scene {
  const unsigned* begins;
  const float4* spheres;
  unsigned* is_seen;

  __device__ unsigned parts_of(unsigned object) const {
    return mix(~object) % 3 == 0 ? begins[object + 1] - begins[object] : 0;
  }
  __device__ void visit(unsigned object, unsigned rank) const {
    const unsigned cluster = begins[object] + rank;
    const float4 at = spheres[cluster];
    bool inside = true;
    for (int plane = 0; plane < 6; ++plane) {
      const float angle = static_cast<float>(plane);
      inside = inside && __cosf(angle) * at.x + __sinf(angle) * at.y + 0.5f * at.z + 0.1f * at.w > 0;
    }
    if (inside) is_seen[cluster] = 1;
  }
};

template <bool IsEven>
contest of_culling() {
  const parts clusters(objects, most_clusters, IsEven ? 8 : 0);
  const auto spheres = make_floats(4 * clusters.count), is_seen = make_words(clusters.count);
  const scene all{clusters.begins->data(), reinterpret_cast<const float4*>(spheres->data()), is_seen->data()};
  return contest_of_lists(
      IsEven ? "culling, even" : "culling",
      IsEven ? "a third of 2¹⁸ objects of 8 clusters" : "a third of 2¹⁸ objects of 1 to 4096 clusters", is_seen,
      forms_of(
          objects, clusters.count, all, [=] { is_seen->set_bytes(0); },
          [=, keep = std::pair{clusters, spheres}] { walk<<<objects / 256, 256>>>(all); }));
}

}  // namespace wild
