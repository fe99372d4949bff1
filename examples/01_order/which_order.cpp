// Predicts which order moves the fewest bytes, and whether the order matters.

#include <cstdio>

#include <heddle/predict/advise.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/predict/with_schedule.hpp>

int main() {
  using namespace heddle::predict;

  const gemm_problem product{.m = 8192, .n = 8192, .k = 8192, .tile_m = 128, .tile_n = 128};
  const advice of_product = advise(product, h200());
  std::printf("%s\n  %s\n", to_string(of_product).c_str(), of_product.reason.c_str());
  std::printf("  const auto order = %s;\n", code_of(of_product, "grid").c_str());
  std::printf("  const auto scheduler = %s;\n", code_of(schedule_choice(of_product), "order", "state").c_str());

  // The filter of before.cu: with 76 registers, 6 blocks of 128 threads are resident per multiprocessor.
  const stencil_problem filter{.rows = 2039,
                               .cols = 65521,
                               .tile_rows = 16,
                               .tile_cols = 128,
                               .bytes_per_pixel = 16,
                               .rows_radius = 32,
                               .cols_radius = 0,
                               .step = 1,
                               .written_bytes_per_pixel = 16};
  const advice of_filter = advise(filter, h200(), /*blocks_per_multiprocessor*/ 6);
  std::printf("%s\n  %s\n", to_string(of_filter).c_str(), of_filter.reason.c_str());

  // Calls the function with the advised order itself. A kernel that knows one type of order takes it as a tile_table.
  return with_order(of_filter, filter.grid(), [&](auto order) { return order.size() == filter.grid().size() ? 0 : 1; });
}
