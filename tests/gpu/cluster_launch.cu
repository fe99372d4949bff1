#include "schedule.hpp"

using namespace heddle_test;

TEST_CASE("cluster_launch visits each tile of orders, batches and triangles once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (no_gpu()) return;
  obeys_the_law_over_every_order<cluster_launch>();
  obeys_the_law_over_spaces<cluster_launch>();
}

TEST_CASE("cluster_launch visits each tile of their clusters once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (no_clusters()) return;
  obeys_the_law_over_clusters<cluster_launch>();
  obeys_the_law_over_clusters_of_spaces<cluster_launch>();
}
