// after.cu under each scheduler of tiles in turn: only the line that builds the scheduler changes.

#include <heddle/order/row_major.hpp>
#include <heddle/schedule.hpp>

#include "common.hpp"

template <heddle::tile_scheduler Scheduler>
__global__ void grade(const __grid_constant__ Scheduler scheduler, image in, image out, grading by) {
  __shared__ float4 curve[curve_points];
  make_curve(curve, by);

  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for (const auto [tile_row, tile_col] : scheduler.tiles(smem)) grade_tile(in, out, curve, tile_row, tile_col);
}

heddle::row_major order_of(image in) {
  return heddle::row_major{heddle::ceil_div(in.rows, in.cols, {tile_rows, tile_cols})};
}

int main() try {
  if (!has_gpu("each")) return skipped;
  int result = 0;
  const auto graded = [&](const char* name, auto launch) {
    if (result == 0) result = run(name, launch);
  };

  graded("one_shot", [](image in, image out, grading by) {
    const heddle::one_shot scheduler{order_of(in)};
    return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
  });
  graded("strided", [](image in, image out, grading by) {
    const heddle::strided scheduler{order_of(in)};
    return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
  });
  graded("chunked", [](image in, image out, grading by) {
    const heddle::chunked scheduler{order_of(in)};
    return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
  });
  graded("cluster_launch", [](image in, image out, grading by) {
    const heddle::cluster_launch scheduler{order_of(in)};
    return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
  });

  // Schedulers that draw tiles need a state on the device, zeroed once.
  const device_array<char> tickets(heddle::ticket<>::state_bytes(), 0), runs(heddle::sm_affine<>::state_bytes(), 0),
      lanes(heddle::work_stealing<>::state_bytes(), 0);
  graded("ticket", [&](image in, image out, grading by) {
    const heddle::ticket scheduler{order_of(in), tickets.data()};
    return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
  });
  graded("sm_affine", [&](image in, image out, grading by) {
    const heddle::sm_affine scheduler{order_of(in), runs.data(), /*run*/ 16};
    return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
  });
  graded("work_stealing", [&](image in, image out, grading by) {
    const heddle::work_stealing scheduler{order_of(in), lanes.data()};
    return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
  });
  return result;
} catch (const std::exception& error) {
  return failed("each", error);
}
