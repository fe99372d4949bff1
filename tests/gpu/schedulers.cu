#include "schedule.hpp"

using namespace heddle_test;

namespace {

using dealing = recipe::schedules<recipe::one_shot, recipe::strided, recipe::chunked>;
using drawing = recipe::schedules<recipe::ticket, recipe::late_ticket, recipe::sm_affine, recipe::work_stealing>;

}  // namespace

TEST_CASE("Dealt tiles of orders, batches and triangles are visited once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (!no_gpu()) obey_the_law(dealing{});
}

TEST_CASE("Drawn tiles of orders, batches and triangles are visited once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (!no_gpu()) obey_the_law(drawing{});
}

TEST_CASE("Dealt tiles of their clusters are visited once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (!no_clusters()) obey_the_law_over_clusters(dealing{});
}

TEST_CASE("Drawn tiles of their clusters are visited once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (!no_clusters()) obey_the_law_over_clusters(drawing{});
}
