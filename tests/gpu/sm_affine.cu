#include "schedule.hpp"

using namespace heddle_test;

TEST_CASE("sm_affine visits each tile of orders, batches and triangles once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (no_gpu()) return;
  obeys_the_law_over_every_order<sm_affine>();
  obeys_the_law_over_spaces<sm_affine>();
}

TEST_CASE("sm_affine visits each tile of their clusters once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (no_clusters()) return;
  obeys_the_law_over_clusters<sm_affine>();
  obeys_the_law_over_clusters_of_spaces<sm_affine>();
}
