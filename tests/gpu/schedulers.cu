#include "schedule.hpp"

using namespace heddle_test;

namespace {

using dealing = recipe::schedules<recipe::one_shot, recipe::strided, recipe::chunked>;
using drawing = recipe::schedules<recipe::ticket, recipe::late_ticket, recipe::sm_affine, recipe::work_stealing>;

}  // namespace

GPU_TEST("Dealt tiles of orders, batches and triangles are visited once in a loop and in roles on the GPU",
         "[schedule]") {
  obey_the_law(dealing{});
}

GPU_TEST("Drawn tiles of orders, batches and triangles are visited once in a loop and in roles on the GPU",
         "[schedule]") {
  obey_the_law(drawing{});
}

CLUSTER_TEST("Dealt tiles of their clusters are visited once in a loop and in roles on the GPU", "[schedule]") {
  obey_the_law_over_clusters(dealing{});
}

CLUSTER_TEST("Drawn tiles of their clusters are visited once in a loop and in roles on the GPU", "[schedule]") {
  obey_the_law_over_clusters(drawing{});
}
