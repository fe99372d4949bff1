#include <algorithm>

#include "schedule.hpp"

using namespace heddle_test;

TEST_CASE("work_stealing visits each tile of every order once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (no_gpu()) return;
  obeys_the_law_over_every_order<work_stealing>();
}

TEST_CASE("work_stealing visits each tile of every order of clusters once on the GPU", "[gpu][schedule]") {
  if (no_clusters()) return;
  obeys_the_law_over_clusters<work_stealing>();
}

TEST_CASE("work_stealing visits each tile of batches and triangles once on the GPU", "[gpu][schedule]") {
  if (no_gpu()) return;
  obeys_the_law_over_spaces<work_stealing>();
}

TEST_CASE("work_stealing visits each tile of clusters of batches and triangles once on the GPU", "[gpu][schedule]") {
  if (no_clusters()) return;
  obeys_the_law_over_clusters_of_spaces<work_stealing>();
}

TEST_CASE("work_stealing visits each tile once while a kernel holds multiprocessors, and after it", "[gpu][schedule]") {
  if (no_gpu()) return;
  if (!kernels_overlap()) return skip("kernels do not run beside each other here");
  stream on;
  device_array<int> visits(37 * 41, 0);
  device_array<char> state(work_stealing<>::state_bytes(), 0);
  const work_stealing scheduler{cta_swizzle{{37, 41}, 8}, state.data()};
  const auto kernel = in_a_loop<work_stealing<cta_swizzle>>;
  check(launch(scheduler.grid(kernel, block_threads), on, kernel, scheduler, visits.data(), -1));
  finish(on);
  const std::vector<int> once = visits.read();
  {
    const held others(60);
    for (int turn = 0; turn < 5; ++turn) {
      check(launch(scheduler.grid(kernel, block_threads), on, kernel, scheduler, visits.data(), -1));
    }
    finish(on);
    CHECK(others.still_holds());
  }
  check(launch(scheduler.grid(kernel, block_threads), on, kernel, scheduler, visits.data(), -1));
  finish(on);
  const std::vector<int> seven_times = visits.read();
  const int threads = static_cast<int>(block_threads);
  CHECK(std::count(once.begin(), once.end(), threads) == 37 * 41);
  CHECK(std::count(seven_times.begin(), seven_times.end(), 7 * threads) == 37 * 41);
}
