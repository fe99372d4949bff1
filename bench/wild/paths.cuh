#pragma once

#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>

#include "contest.cuh"

// A path tracer: before each bounce, the paths of a block that hit one material come together.

namespace wild {

constexpr unsigned paths = 1 << 21, bounces = 8;

struct path {
  float x, y, z, light;
  unsigned number, seed;

  __device__ unsigned material() const { return seed >> 29; }
};

__device__ inline path path_of(unsigned number) {
  const unsigned seed = mix(number + 1);
  return {unit(seed), unit(seed + 1), unit(seed + 2), 0, number, seed};
}

/// Walks through one of eight materials, each of which has a formula of its own.
template <class Formula>
__device__ path walked(path on, Formula formula) {
#pragma unroll 1
  for (int step = 0; step < 48; ++step) {
    const float density = formula(on.x, on.y, on.z);
    on.light += density;
    on.x = on.y + 0.3f * density, on.y = on.z - 0.2f * density, on.z = 0.5f * on.x + 0.1f;
  }
  return on;
}

__device__ inline path bounced(path on) {
  switch (on.material()) {
    case 0:
      on = walked(on, [](float x, float y, float z) { return __sinf(x) * y + z; });
      break;
    case 1:
      on = walked(on, [](float x, float y, float z) { return __cosf(x * y) - 0.2f * z; });
      break;
    case 2:
      on = walked(on, [](float x, float y, float z) { return rsqrtf(1 + x * x + y * y + z * z); });
      break;
    case 3:
      on = walked(on, [](float x, float y, float z) { return __expf(-x * x - y * y) + 0.1f * z; });
      break;
    case 4:
      on = walked(on, [](float x, float y, float z) { return fabsf(x - floorf(x)) * 0.5f + y * 0.1f - z * 0.1f; });
      break;
    case 5:
      on = walked(on, [](float x, float y, float z) { return __fdividef(x + y, 2 + z * z); });
      break;
    case 6:
      on = walked(on, [](float x, float y, float z) { return fmaxf(x, fminf(y, z)) * 0.25f; });
      break;
    default:
      on = walked(on, [](float x, float y, float z) { return __logf(1.5f + x * x + y * y) * 0.3f - z * 0.01f; });
      break;
  }
  on.seed = mix(on.seed + on.number);
  return on;
}

__global__ void trace(float* light) {
  path mine = path_of(blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll 1
  for (unsigned bounce = 0; bounce < bounces; ++bounce) mine = bounced(mine);
  light[mine.number] = mine.light;
}

using reorder = heddle::block_reorder<256, 3>;
using exchange = heddle::block_exchange<path, 256>;

__global__ void trace_together(float* light) {
  __shared__ heddle::static_shared<reorder::storage> ranks;
  __shared__ heddle::static_shared<exchange::storage> states;
  reorder by_material(ranks);
  heddle::coherence_gate gate =
      reorder::gate(48 * 10, exchange::words);  // a material: 48 steps of some 10 instructions
  path mine = path_of(blockIdx.x * blockDim.x + threadIdx.x);
  for (unsigned bounce = 0;;) {
    for (const unsigned end = gate.until(bounce, bounces); bounce < end; ++bounce) mine = bounced(mine);
    if (bounce == bounces) break;
    const auto [pays, rank, active] = by_material.rank_if(gate, mine.material());
    if (pays) mine = exchange(states).to(mine, rank);
  }
  light[mine.number] = mine.light;
}

inline contest of_paths() {
  const auto light = make_words(paths);
  return {"path tracing",
          "2²¹ paths, 8 bounces, 8 materials",
          "block_reorder behind coherence_gate",
          light,
          [=] { trace<<<paths / 256, 256>>>(floats(light)); },
          [=] { trace_together<<<paths / 256, 256>>>(floats(light)); }};
}

}  // namespace wild
