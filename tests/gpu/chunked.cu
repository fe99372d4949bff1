#include "schedule.hpp"

using namespace heddle_test;

TEST_CASE("chunked visits each tile of orders, batches and triangles once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (no_gpu()) return;
  obeys_the_law_over_every_order<chunked>();
  obeys_the_law_over_spaces<chunked>();
}

TEST_CASE("chunked visits each tile of their clusters once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (no_clusters()) return;
  obeys_the_law_over_clusters<chunked>();
  obeys_the_law_over_clusters_of_spaces<chunked>();
}
