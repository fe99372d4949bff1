// Everything that runs before sm_80, compiled to machine code for an older architecture. heddle.hpp also includes what
// needs sm_80; unused, that compiles too.

#include <heddle/heddle.hpp>

using namespace heddle;

struct box {
  struct params {
    int threads, min_blocks;
  };
  HEDDLE_FN params operator()(arch target) const { return box_match<params>(target, {{70, {128, 1}}, {80, {256, 1}}}); }
};

template <launch_box Box, tile_scheduler Scheduler>
__global__ __launch_bounds__(box_params<Box>().threads) void walk(const __grid_constant__ Scheduler scheduler,
                                                                  int* visits) {
  __shared__ typename Scheduler::storage smem;
  for (const auto [row, col] : scheduler.tiles(smem)) visits[row] = col;
}

template __global__ void walk<box>(const __grid_constant__ one_shot<row_major>, int*);
template __global__ void walk<box>(const __grid_constant__ strided<cta_swizzle>, int*);
template __global__ void walk<box>(const __grid_constant__ chunked<hilbert>, int*);
template __global__ void walk<box>(const __grid_constant__ ticket<tile_table>, int*);
template __global__ void walk<box>(const __grid_constant__ ticket<clustered<morton>>, int*);
template __global__ void walk<box>(const __grid_constant__ sm_affine<dilated>, int*);
template __global__ void walk<box>(const __grid_constant__ work_stealing<dilated>, int*);
template __global__ void walk<box>(const __grid_constant__ cluster_launch<thread_group_tiling>, int*);
template __global__ void walk<box>(const __grid_constant__ traced<ticket<row_major>>, int*);

__global__ void in_one_line(unsigned* to, int width) {
  const auto blockIdx = in_bands(width, axis::y);
  to[blockIdx.y * gridDim.x + blockIdx.x] = in_bands<4>().x;
}

/// Roles of a scheduler that draws nothing.
__global__ void roles(const __grid_constant__ strided<row_major> scheduler, int* visits) {
  __shared__ strided<row_major>::storage smem;
  if (threadIdx.x == 0) scheduler.start(smem, 1);
  for (const auto [row, col] : scheduler.lead(smem)) visits[row] = col;
  for (const auto [row, col] : scheduler.follow(smem)) visits[row] = col;
}

__global__ void seated(const __grid_constant__ ticket<row_major> scheduler, const __grid_constant__ seats all,
                       int* visits) {
  __shared__ ticket<row_major>::storage smem;
  __shared__ seats::storage seat;
  for (const auto [row, col] : scheduler.tiles(smem, all.take(seat))) visits[row] = col;
}

__global__ void add_up(const __grid_constant__ stream_k<row_major> scheduler, int* steps) {
  __shared__ stream_k<row_major>::storage smem;
  const auto arrivals = scheduler.enter();
  for (const auto [tile, begin, end, share] : scheduler.tiles(smem)) {
    if (share.count == 1 || arrivals.arrive(share)) steps[tile.row] = end - begin;
  }
}

__global__ void reorder(const __grid_constant__ grid_queues<8> queues, const __grid_constant__ key_probe<3> probe,
                        unsigned* keys) {
  using exchange = block_exchange<int4, 256, 4096>;
  __shared__ block_reorder<256, 3>::storage ranks;
  __shared__ exchange::storage states;
  __shared__ grid_queues<8>::storage rows;
  block_reorder<256, 3> by_key(ranks);
  const unsigned key = keys[threadIdx.x];
  probe.see(key);
  coherence_gate gate = block_reorder<256, 3>::gate(200, exchange::words);
  if (gate.until(0, 1) == 0) {
    const auto [pays, rank, active] = by_key.rank_if(gate, key);
    if (pays) keys[threadIdx.x] = exchange(states).to(int4{1, 2, 3, static_cast<int>(active)}, rank).w;
  }
  queues.push_some(key, threadIdx.x);
  for (const auto [row_key, value, active] : queues.rows(rows)) {
    if (active) keys[value] = row_key;
  }
}
