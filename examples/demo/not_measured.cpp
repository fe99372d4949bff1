#include "measured_pass.hpp"

namespace {

template <class Row>
demo::measurement<Row> not_measured() {
  return {.gpu = "", .why_not = "built without CUDA, or on a machine without a GPU", .rows = {}};
}

}  // namespace

const demo::predicted_card& demo::card_at_hand() {
  static const predicted_card card;
  return card;
}

demo::measurement<int> demo::gpu_at_hand() {
  return not_measured<int>();
}

demo::measurement<demo::order_times> demo::measure_product(int, int, int, const std::vector<heddle::recipe>&) {
  return not_measured<order_times>();
}

demo::measurement<demo::pass_time> demo::measure_pass(const heddle::predict::stencil_problem&,
                                                      const std::vector<heddle::recipe>&) {
  return not_measured<pass_time>();
}

demo::measurement<demo::expansion_times> demo::measure_expansion(const std::vector<std::vector<unsigned>>&) {
  return not_measured<expansion_times>();
}

demo::measurement<demo::reordering_times> demo::measure_reordering(const std::vector<branching>&) {
  return not_measured<reordering_times>();
}

demo::measurement<demo::traced_schedule> demo::measure_traces() {
  return not_measured<traced_schedule>();
}
