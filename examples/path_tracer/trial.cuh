#pragma once

#include <heddle/reorder/key_trial.hpp>

#include "step.cuh"

// The forms of a trial, whose times say what sorting gains before a kernel that sorts is written.

namespace path_tracer {

/// Steps of paths that lie in memory between launches. A path that ends begins again in the same step.
struct paths_in_flight {
  job work;
  path* paths;

  __device__ path begin(unsigned i) const { return paths[i]; }
  __device__ unsigned key(const path& on) const { return static_cast<unsigned>(on.what()); }
  __device__ path step(path on, bool has_path) const {
    aim at_lamp;
    const bool has_rays = has_path && step_on(on, at_lamp, work);
    unsigned rays = 0;
    follow(has_rays, on, at_lamp, work, rays);
    work.count(rays);
    return on;
  }
  __device__ void end(unsigned i, const path& on) const { paths[i] = on; }
};

// Each form in blocks that suit it.
using plain_trial = heddle::key_trial<4, paths_in_flight, threads, blocks_of_each>;
using block_trial = heddle::key_trial<4, paths_in_flight, threads_of_block, blocks_of_block>;
using trial_queues = heddle::grid_queues<16>;

__global__ void begin_paths(path* paths, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  path on{};
  on.turn_to(kind::camera);
  paths[i] = on;
}

}  // namespace path_tracer
