#include "schedule.hpp"

using namespace heddle_test;

TEST_CASE("one_shot visits each tile of orders, batches and triangles once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (no_gpu()) return;
  obeys_the_law_over_every_order<one_shot>();
  obeys_the_law_over_spaces<one_shot>();
}

TEST_CASE("one_shot visits each tile of their clusters once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (no_clusters()) return;
  obeys_the_law_over_clusters<one_shot>();
  obeys_the_law_over_clusters_of_spaces<one_shot>();
}
