#include "schedule.hpp"

using namespace heddle_test;

namespace {

using dealt = recipe::schedules<recipe::one_shot, recipe::strided, recipe::chunked>;
using drawn = recipe::schedules<recipe::ticket, recipe::late_ticket, recipe::sm_affine, recipe::work_stealing>;

}  // namespace

TEST_CASE("Dealt tiles of orders, batches and triangles are visited once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (!no_gpu()) obey_the_law(dealt{});
}

TEST_CASE("Drawn tiles of orders, batches and triangles are visited once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (!no_gpu()) obey_the_law(drawn{});
}

TEST_CASE("Dealt tiles of their clusters are visited once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (!no_clusters()) obey_the_law_over_clusters(dealt{});
}

TEST_CASE("Drawn tiles of their clusters are visited once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (!no_clusters()) obey_the_law_over_clusters(drawn{});
}
