#include "schedule.hpp"

using namespace heddle_test;

TEST_CASE("strided visits each tile of orders, batches and triangles once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (no_gpu()) return;
  obeys_the_law_over_every_order<strided>();
  obeys_the_law_over_spaces<strided>();
}

TEST_CASE("strided visits each tile of their clusters once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (no_clusters()) return;
  obeys_the_law_over_clusters<strided>();
  obeys_the_law_over_clusters_of_spaces<strided>();
}
