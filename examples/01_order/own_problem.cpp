// Predicts the traffic of a problem of your own: any type with the members of `predict::problem`, without a base class
// or a registration. `attention.hpp` describes attention with shared heads of keys.

#include <cstdio>

#include <heddle/order/row_major.hpp>
#include <heddle/predict/traffic.hpp>

#include "attention.hpp"

int main() {
  using namespace heddle::predict;

  const attention work{.queries = 16384, .keys = 16384, .heads = 128, .key_heads = 32};
  const advice best = advise(work, h200(), /*blocks_per_multiprocessor*/ 1);
  std::printf("%s\n  %s\n", to_string(best).c_str(), best.reason.c_str());

  // Two orders: one head after another, and all heads side by side.
  const auto gigabytes = [&](const auto& order) {
    return 1e-9 * static_cast<double>(traffic(order, work, h200()).total.dram_bytes);
  };
  const double by_head = gigabytes(heddle::thread_group_tiling{work.grid(), 1});
  const double by_query = gigabytes(heddle::row_major{work.grid()});
  std::printf("read head by head %.2f GB, all heads side by side %.2f GB, at least %.2f GB\n", by_head, by_query,
              1e-9 * static_cast<double>(work.compulsory_bytes()));
  return best.matters && by_head < by_query ? 0 : 1;
}
