// Predicts which order moves the fewest bytes, and whether the order matters.

#include <cstdio>

#include <heddle/predict/advise.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/recipe.hpp>

int main() {
  using namespace heddle::predict;

  const gemm_problem product{.m = 8192, .n = 8192, .k = 8192, .tile_m = 128, .tile_n = 128};
  const advice of_product = advise(product, h200());
  std::printf("%s\n  %s\n", to_string(of_product).c_str(), of_product.reason.c_str());
  std::printf("  const auto order = %s;\n", heddle::source{of_product}.order("grid").c_str());
  std::printf("  const auto scheduler = %s;\n", heddle::source{of_product}.scheduler("order", "state").c_str());

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
  std::printf("  %s\n", heddle::source{of_filter}.line().c_str());  // the line that the kernel takes

  // Any order in one type: a kernel is compiled once for all advice. Bands need no table; for other orders it is one
  // load.
  const heddle::tile_table::entries table = make_tile_table(of_filter, filter.grid());
  const heddle::any_order order{of_filter, filter.grid(), table.data()};
  return order.size() == filter.grid().size() ? 0 : 1;
}
