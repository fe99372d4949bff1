#include "schedule.hpp"

using namespace heddle_test;

namespace {

/// Built like `ticket`.
template <class Order>
struct late_ticket : draws_late<ticket<Order>> {
  late_ticket(Order order, void* state) : draws_late<ticket<Order>>(ticket{order, state}) {}
};

template <template <class> class... Schedulers>
void over_everything() {
  (obeys_the_law_over_every_order<Schedulers>(), ...);
  (obeys_the_law_over_spaces<Schedulers>(), ...);
}

template <template <class> class... Schedulers>
void over_all_clusters() {
  (obeys_the_law_over_clusters<Schedulers>(), ...);
  (obeys_the_law_over_clusters_of_spaces<Schedulers>(), ...);
}

}  // namespace

TEST_CASE("Dealt tiles of orders, batches and triangles are visited once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (no_gpu()) return;
  over_everything<one_shot, strided, chunked>();
}

TEST_CASE("Drawn tiles of orders, batches and triangles are visited once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (no_gpu()) return;
  over_everything<ticket, late_ticket, sm_affine, work_stealing>();
}

TEST_CASE("Dealt tiles of their clusters are visited once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (no_clusters()) return;
  over_all_clusters<one_shot, strided, chunked>();
}

TEST_CASE("Drawn tiles of their clusters are visited once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (no_clusters()) return;
  over_all_clusters<ticket, late_ticket, sm_affine, work_stealing>();
}
