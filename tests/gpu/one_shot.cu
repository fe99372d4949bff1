#include "schedule.hpp"

using namespace heddle_test;

TEST_CASE("one_shot visits each tile of every order once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (no_gpu()) return;
  obeys_the_law_over_every_order<one_shot>();
}

TEST_CASE("one_shot visits each tile of every order of clusters once on the GPU", "[gpu][schedule]") {
  if (no_clusters()) return;
  obeys_the_law_over_clusters<one_shot>();
}

TEST_CASE("one_shot visits each tile of batches and triangles once on the GPU", "[gpu][schedule]") {
  if (no_gpu()) return;
  obeys_the_law_over_spaces<one_shot>();
}

TEST_CASE("one_shot visits each tile of clusters of batches and triangles once on the GPU", "[gpu][schedule]") {
  if (no_clusters()) return;
  obeys_the_law_over_clusters_of_spaces<one_shot>();
}
