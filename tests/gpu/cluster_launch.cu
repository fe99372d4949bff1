#include "schedule.hpp"

using namespace heddle_test;

using taken_over = recipe::schedules<recipe::cluster_launch>;

TEST_CASE("cluster_launch visits each tile of orders, batches and triangles once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (!no_gpu()) obey_the_law(taken_over{});
}

TEST_CASE("cluster_launch visits each tile of their clusters once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (!no_clusters()) obey_the_law_over_clusters(taken_over{});
}
