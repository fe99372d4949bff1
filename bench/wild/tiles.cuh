#pragma once

#include <heddle/order.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>

#include "contest.cuh"
#include "multiply.cuh"

// Kernels in which a block makes a tile of the result: a policy says which tile is next.

namespace wild {

__global__ __launch_bounds__(256) void product(const float* a, const float* b, float* c) {
  multiply(a, b, c, {static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)});
}
template <class Order>
__global__ __launch_bounds__(256) void product_by(const __grid_constant__ Order order, const float* a, const float* b,
                                                  float* c) {
  multiply(a, b, c, heddle::tile_of_block(order));
}

inline contest of_product() {
  const auto a = make_floats(std::size_t{1} * side * side), b = make_floats(a->size()), c = make_words(a->size());
  constexpr int tiles = side / product_tile;
  return {"product",
          "8192³ floats, 128 × 128 per block",
          "cta_swizzle, width 8",
          c,
          [=] { product<<<dim3(tiles, tiles), 256>>>(floats(a), floats(b), floats(c)); },
          [=] {
            const heddle::cta_swizzle order{{tiles, tiles}, 8, heddle::axis::x};
            product_by<<<order.size(), 256>>>(order, floats(a), floats(b), floats(c));
          }};
}

// Causal attention in one pass over the keys, a block per 128 queries of a head, a thread per query.

constexpr int queries = 8192, heads = 16, width = 64, query_tile = 128, key_tile = 32;

__device__ inline void attend(const float4* q, const float4* k, const float4* v, float4* out, heddle::coord tile) {
  constexpr int quads = width / 4;
  __shared__ float4 keys[key_tile][quads], values[key_tile][quads];
  const int thread = static_cast<int>(threadIdx.x), query = tile.row * query_tile + thread;
  const std::size_t head = std::size_t{1} * static_cast<unsigned>(tile.col) * queries * quads;
  const std::size_t mine = head + std::size_t{1} * static_cast<unsigned>(query) * quads;
  float4 asks[quads], sums[quads] = {};
  for (int i = 0; i < quads; ++i) asks[i] = q[mine + i];
  float largest = -1e30f, weights = 0;
  for (int first = 0; first < (tile.row + 1) * query_tile; first += key_tile) {
    __syncthreads();
    for (int i = thread; i < key_tile * quads; i += query_tile) {
      keys[i / quads][i % quads] = k[head + first * quads + i];
      values[i / quads][i % quads] = v[head + first * quads + i];
    }
    __syncthreads();
    for (int key = 0; key < key_tile && first + key <= query; ++key) {
      float score = 0;
#pragma unroll
      for (int i = 0; i < quads; ++i) {
        const float4 of = keys[key][i];
        score += asks[i].x * of.x + asks[i].y * of.y + asks[i].z * of.z + asks[i].w * of.w;
      }
      const float most = fmaxf(largest, score), kept = __expf(largest - most), weight = __expf(score - most);
      largest = most, weights = weights * kept + weight;
#pragma unroll
      for (int i = 0; i < quads; ++i) {
        const float4 of = values[key][i];
        sums[i] = {sums[i].x * kept + of.x * weight, sums[i].y * kept + of.y * weight, sums[i].z * kept + of.z * weight,
                   sums[i].w * kept + of.w * weight};
      }
    }
  }
  for (int i = 0; i < quads; ++i) {
    out[mine + i] = {sums[i].x / weights, sums[i].y / weights, sums[i].z / weights, sums[i].w / weights};
  }
}

__global__ __launch_bounds__(query_tile) void attention(const float4* q, const float4* k, const float4* v,
                                                        float4* out) {
  attend(q, k, v, out, {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y)});
}
template <class Order>
__global__ __launch_bounds__(query_tile) void attention_by(const __grid_constant__ Order order, const float4* q,
                                                           const float4* k, const float4* v, float4* out) {
  attend(q, k, v, out, heddle::tile_of_block(order));
}

inline contest of_attention() {
  const auto q = make_floats(std::size_t{1} * queries * heads * width), k = make_floats(q->size()),
             v = make_floats(q->size()), out = make_words(q->size());
  const auto quads = [](const std::shared_ptr<words>& of) { return reinterpret_cast<float4*>(of->data()); };
  constexpr int tiles = queries / query_tile;
  return {"attention",
          "causal, 8192 queries, 16 heads of 64 floats",
          "reversed{thread_group_tiling, width 8}",
          out,
          [=] { attention<<<dim3(tiles, heads), query_tile>>>(quads(q), quads(k), quads(v), quads(out)); },
          [=] {
            // The longest tiles first, in sections of as many heads as have their keys and values in L2.
            const heddle::reversed order{heddle::thread_group_tiling{{tiles, heads}, 8, heddle::axis::x}};
            attention_by<<<order.size(), query_tile>>>(order, quads(q), quads(k), quads(v), quads(out));
          }};
}

// A vertical filter of 65 taps, a block per 16 rows of 128 columns.

constexpr int image_rows = 1024, image_cols = 65536, radius = 32, filter_rows = 16, filter_cols = 128;

__device__ inline void blur(const float4* in, float4* out, heddle::coord tile) {
  const int col = tile.col * filter_cols + static_cast<int>(threadIdx.x);
  for (int row = tile.row * filter_rows; row < (tile.row + 1) * filter_rows; ++row) {
    float4 sum{};
    for (int tap = row - radius; tap <= row + radius; ++tap) {
      const int inside = min(max(tap, 0), image_rows - 1);
      const float4 pixel = in[std::size_t{1} * static_cast<unsigned>(inside) * image_cols + col];
      sum = {sum.x + pixel.x, sum.y + pixel.y, sum.z + pixel.z, sum.w + pixel.w};
    }
    constexpr float share = 1.0f / (2 * radius + 1);
    out[std::size_t{1} * static_cast<unsigned>(row) * image_cols + col] = {sum.x * share, sum.y * share, sum.z * share,
                                                                           sum.w * share};
  }
}

__global__ void filter(const float4* in, float4* out) {
  blur(in, out, {static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)});
}
template <class Order>
__global__ void filter_by(const __grid_constant__ Order order, const float4* in, float4* out) {
  blur(in, out, heddle::tile_of_block(order));
}

inline contest of_filter() {
  const auto in = make_floats(std::size_t{4} * image_rows * image_cols), out = make_words(in->size());
  const auto from = reinterpret_cast<const float4*>(in->data());
  const auto to = reinterpret_cast<float4*>(out->data());
  constexpr heddle::extent grid{image_rows / filter_rows, image_cols / filter_cols};
  return {"filter",
          "vertical, 65 taps, 65536 × 1024 of float4",
          "thread_group_tiling, width 64",
          out,
          [=, keep = in] { filter<<<dim3(grid.cols, grid.rows), filter_cols>>>(from, to); },
          [=, keep = in] {
            const heddle::thread_group_tiling order{grid, 64, heddle::axis::x};
            filter_by<<<order.size(), filter_cols>>>(order, from, to);
          }};
}

// A fractal, 16 x 16 points per tile, by as many blocks as are resident: which of them takes a tile of many turns?

constexpr int points = 8192, fractal_tile = 16, most_turns = 2048;
constexpr heddle::extent fractal_grid{points / fractal_tile, points / fractal_tile};

__device__ inline void iterate(unsigned* turns, heddle::coord tile) {
  const int row = tile.row * fractal_tile + static_cast<int>(threadIdx.y);
  const int col = tile.col * fractal_tile + static_cast<int>(threadIdx.x);
  const float x = -2.0f + 2.5f * static_cast<float>(col) / points, y = -1.25f + 2.5f * static_cast<float>(row) / points;
  float re = x, im = y;
  unsigned turn = 0;
  for (; turn < most_turns && re * re + im * im < 4; ++turn) {
    const float next = re * re - im * im + x;
    im = 2 * re * im + y, re = next;
  }
  turns[static_cast<unsigned>(row) * points + static_cast<unsigned>(col)] = turn;
}

__global__ void fractal(unsigned* turns) {
  for (int i = static_cast<int>(blockIdx.x); i < fractal_grid.size(); i += static_cast<int>(gridDim.x)) {
    iterate(turns, {i / fractal_grid.cols, i % fractal_grid.cols});
  }
}
template <heddle::tile_scheduler Scheduler>
__global__ void fractal_by(const __grid_constant__ Scheduler scheduler, unsigned* turns) {
  __shared__ heddle::static_shared<typename Scheduler::storage> shared;
  for (const auto tile : scheduler.tiles(shared)) iterate(turns, tile);
}

/// Returns as many blocks as are resident at once.
template <class... Params>
unsigned resident_blocks(void (*kernel)(Params...), int threads) {
  int of_each = 0, multiprocessors = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, kernel, threads, 0));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  return static_cast<unsigned>(of_each * multiprocessors);
}

inline contest of_fractal() {
  const auto turns = make_words(std::size_t{1} * points * points),
             state = make_words(heddle::ticket<>::state_bytes() / 4);
  state->set_bytes(0);
  const unsigned blocks = resident_blocks(fractal, fractal_tile * fractal_tile);
  return {"fractal",
          "8192² points, at most 2048 turns, persistent blocks",
          "ticket",
          turns,
          [=] { fractal<<<blocks, dim3(fractal_tile, fractal_tile)>>>(turns->data()); },
          [=] {
            const heddle::ticket scheduler{heddle::row_major{fractal_grid}, state->data()};
            check(heddle::launch({.threads = {fractal_tile, fractal_tile}}, fractal_by, scheduler, turns->data()));
          }};
}

// A histogram: a block has bins of its own in shared memory, and adds them to those of all.

constexpr unsigned bins = 4096, values_in_tile = 8192, all_values = 1u << 28;

__device__ inline void count_tile(unsigned* mine, const uint4* values, unsigned tile) {
  for (unsigned i = threadIdx.x; i < values_in_tile / 4; i += blockDim.x) {
    const uint4 four = values[tile * (values_in_tile / 4) + i];
    for (const unsigned value : {four.x, four.y, four.z, four.w}) atomicAdd(&mine[value % bins], 1u);
  }
}
__device__ inline void clear(unsigned* mine) {
  for (unsigned i = threadIdx.x; i < bins; i += blockDim.x) mine[i] = 0;
  __syncthreads();
}
__device__ inline void add_to(unsigned* counts, const unsigned* mine) {
  __syncthreads();
  for (unsigned i = threadIdx.x; i < bins; i += blockDim.x) {
    if (mine[i] > 0) atomicAdd(&counts[i], mine[i]);
  }
}

__global__ void histogram(unsigned* counts, const uint4* values) {
  __shared__ unsigned mine[bins];
  clear(mine);
  count_tile(mine, values, blockIdx.x);
  add_to(counts, mine);
}
template <heddle::tile_scheduler Scheduler>
__global__ void histogram_by(const __grid_constant__ Scheduler scheduler, unsigned* counts, const uint4* values) {
  __shared__ unsigned mine[bins];
  __shared__ heddle::static_shared<typename Scheduler::storage> shared;
  clear(mine);
  for (const auto [row, tile] : scheduler.tiles(shared)) count_tile(mine, values, static_cast<unsigned>(tile));
  add_to(counts, mine);
}

inline contest of_histogram() {
  const auto values = make_floats(all_values), counts = make_words(bins);
  const auto from = reinterpret_cast<const uint4*>(values->data());
  return {"histogram",
          "2²⁸ values, 4096 bins",
          "strided",
          counts,
          [=, keep = values] {
            check(cudaMemsetAsync(counts->data(), 0, counts->bytes()));
            histogram<<<all_values / values_in_tile, 256>>>(counts->data(), from);
          },
          [=, keep = values] {
            check(cudaMemsetAsync(counts->data(), 0, counts->bytes()));
            const heddle::strided scheduler{heddle::row_major{{1, all_values / values_in_tile}}};
            check(heddle::launch({.threads = 256}, histogram_by, scheduler, counts->data(), from));
          }};
}

}  // namespace wild
