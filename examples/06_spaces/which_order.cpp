// Which order, and which schedule, for work that is not one rectangle: by bytes and by idle time, on the host.

#include <cstdio>

#include <heddle/order/batched.hpp>
#include <heddle/predict/advise.hpp>
#include <heddle/predict/batched_problem.hpp>
#include <heddle/predict/causal_problem.hpp>
#include <heddle/predict/grouped_problem.hpp>
#include <heddle/predict/traffic.hpp>

int main() {
  using namespace heddle::predict;
  const auto print = [](const advice& best) {
    std::printf("%s\n  %s\n", to_string(best).c_str(), best.reason.c_str());
  };

  // A layer applied to each of 64 inputs: all planes read one B.
  const batched_problem layer{.plane = {.m = 512, .n = 4096, .k = 4096}, .count = 64, .planes_per_b = 64};
  const advice of_layer = advise(layer, h200());
  print(of_layer);

  // Experts: the rows of each group times a B of its own. Their kernel has a lower body for the ends of groups.
  const grouped_problem experts{.rows = {700, 0, 90, 2300, 128, 411, 1650, 37}, .n = 4096, .k = 4096, .step_rows = 64};
  print(advise(experts, h200()));

  // Causal attention: four heads of queries share a head of keys and values.
  const causal_problem pass{.queries = 4096, .keys = 4096, .heads = 32, .key_heads = 8};
  print(advise(pass, h200()));

  // The order that an advice names, and its traffic.
  const heddle::tile_table::entries table = make_tile_table(of_layer, layer.plane.grid());
  const heddle::any_order plane{of_layer, layer.plane.grid(), table.data()};
  const long long read =
      traffic(heddle::batched{plane, layer.count, of_layer.interleave}, layer, h200()).total.dram_bytes;
  std::printf("read %.2f GB, at least %.2f GB\n", 1e-9 * static_cast<double>(read),
              1e-9 * static_cast<double>(layer.compulsory_bytes()));
  return of_layer.predicted_bytes < of_layer.plain_bytes ? 0 : 1;
}
