#include <heddle/order/row_major.hpp>
#include <heddle/recipe.hpp>

#include "common/tracing.hpp"
#include "on_gpu.cuh"
#include "trace/paint.cuh"

// A kernel with uneven tiles, traced under each of a few schedulers.

namespace {

static_assert(rows == 64 * tile_size && cols == 96 * tile_size, "painted_tiles has another grid");

template <class Scheduler>
demo::traced_schedule trace_of(const Scheduler& scheduler, const heddle::recipe& by, int* turns) {
  const auto kernel = paint<heddle::traced<Scheduler>>;
  const auto grid = scheduler.grid(kernel, threads);
  check(grid.error);
  const trace_memory memory({.blocks = static_cast<int>(grid.config.gridDim.x), .tiles = 1024, .launches = 1});
  const heddle::traced traced{scheduler, memory.buffer()};
  for (int launch = 0; launch < 3; ++launch) {  // the log keeps the newest
    check(heddle::launch(traced.grid(kernel, threads), nullptr, kernel, traced, turns));
  }
  return {by, memory.read()};
}

}  // namespace

demo::measurement<demo::traced_schedule> demo::measure_traces() {
  return on_gpu(any_gpu, [] {
    const heddle::row_major order{painted_tiles()};
    const device_array<int> turns(1ULL * rows * cols);
    const device_array<char> state(heddle::advised_schedules::state_bytes());
    std::vector<traced_schedule> all;
    for (const char* text : {"strided", "ticket", "sm_affine, run 16"}) {
      const heddle::recipe by = heddle::from_string(text);
      state.fill(0);
      heddle::with_recipe<heddle::advised_schedules>(by, order, state.data(), [&](const auto& scheduler) {
        all.push_back(trace_of(scheduler, by, turns.data()));
      });
    }
    return all;
  });
}
