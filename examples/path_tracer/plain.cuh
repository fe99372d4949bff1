#pragma once

#include "job.cuh"

// The modes without sorting: each, persistent.

namespace path_tracer {

/// One thread per path.
__global__ void __launch_bounds__(threads, blocks_of_each) trace_each(const __grid_constant__ job work) {
  const word number = word{blockIdx.x} * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) atomicAdd(work.next_path, word{blockDim.x});  // for the progress display
  unsigned rays = 0;
  bool alive = number < work.paths;
  path on;
  aim at_lamp;
  if (alive) on = work.begin(number);
  while (__ballot_sync(~0u, alive) != 0) {
    travel(alive, on, at_lamp, work.in);
    at_lamp = {};
    if (!alive) continue;
    rays += !on.ends();
    alive = !on.ends() && bounce(on, work.in, at_lamp);
    if (!alive) work.end(on);
  }
  work.count(rays);
}

/// Persistent threads: each begins another path when its own has ended.
__global__ void __launch_bounds__(threads, blocks_of_each) trace_persistent(const __grid_constant__ job work) {
  unsigned rays = 0;
  path on;
  bool alive = false, more = true;
  while (true) {
    aim at_lamp;
    if (alive) {
      alive = bounce(on, work.in, at_lamp);
      if (!alive) work.end(on);
    }
    if (!alive && more) {
      const word number = work.take();
      more = number < work.paths;
      if (more) on = work.begin(number);
      alive = more;
    }
    if (__ballot_sync(~0u, alive) == 0) break;
    travel(alive, on, at_lamp, work.in);
    if (!alive) continue;
    rays += !on.ends();
    alive = !on.ends();
    if (!alive) work.end(on);
  }
  work.count(rays);
}

}  // namespace path_tracer
