#include "schedule.hpp"

using namespace heddle_test;

namespace {

/// Built like `ticket`.
template <class Order>
struct late_ticket : draws_late<ticket<Order>> {
  late_ticket(Order order, void* state) : draws_late<ticket<Order>>(ticket{order, state}) {}
  static std::size_t state_bytes() { return ticket<>::state_bytes(); }
};

}  // namespace

TEST_CASE("ticket visits each tile of orders, batches and triangles once in a loop and in roles on the GPU",
          "[gpu][schedule]") {
  if (no_gpu()) return;
  obeys_the_law_over_every_order<ticket>();
  obeys_the_law_over_spaces<ticket>();
}

TEST_CASE("ticket visits each tile of their clusters once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (no_clusters()) return;
  obeys_the_law_over_clusters<ticket>();
  obeys_the_law_over_clusters_of_spaces<ticket>();
}

TEST_CASE("draws_late visits each tile of every order once in a loop and in roles on the GPU", "[gpu][schedule]") {
  if (no_gpu()) return;
  obeys_the_law_over_every_order<late_ticket>();
}

TEST_CASE("draws_late visits each tile of every order of clusters once on the GPU", "[gpu][schedule]") {
  if (no_clusters()) return;
  obeys_the_law_over_clusters<late_ticket>();
}
