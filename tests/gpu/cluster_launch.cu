#include "schedule.hpp"

using namespace heddle_test;

using taken_over = recipe::schedules<recipe::cluster_launch>;

GPU_TEST("cluster_launch visits each tile of orders, batches and triangles once in a loop and in roles on the GPU",
         "[schedule]") {
  obey_the_law(taken_over{});
}

CLUSTER_TEST("cluster_launch visits each tile of their clusters once in a loop and in roles on the GPU", "[schedule]") {
  obey_the_law_over_clusters(taken_over{});
}
