#include <heddle/heddle.hpp>

#include <algorithm>

#include "measured_pass.hpp"
#include "table.hpp"

using namespace heddle;
using demo::formatted;
using demo::table;

namespace {

const predict::device& chip() {
  return demo::card_at_hand().chip;
}
std::string on_chip() {
  return "predicted for " + demo::card_at_hand().name;
}

/// An order, or an order with a schedule if the schedule changes what is read.
struct candidate {
  std::string name;
  double bytes;  // read from DRAM
  std::vector<std::string> cells;
  std::vector<double> bars;
};

/// Sorts candidates by what they read; of equals the advised one comes first.
std::vector<candidate> sorted(std::vector<candidate> all, const std::string& advised) {
  std::stable_partition(all.begin(), all.end(), [&](const candidate& each) { return each.name == advised; });
  std::stable_sort(all.begin(), all.end(), [](const candidate& a, const candidate& b) { return a.bytes < b.bytes; });
  return all;
}

/// The rows of the table, and their bars.
table of_candidates(const std::vector<candidate>& all, const std::string& advised) {
  table result;
  for (const candidate& each : all) {
    if (each.name == advised) result.marked = static_cast<int>(result.rows.size());
    result.rows.push_back({each.name});
    result.rows.back().insert(result.rows.back().end(), each.cells.begin(), each.cells.end());
    result.bars.rows.push_back({each.name, each.bars});
  }
  result.bars.marked = result.marked;
  return result;
}

/// Replays the orders that one might try, and the one that is advised.
template <class Problem>
table compare(const std::string& heading, const Problem& problem, const predict::advice& advice,
              int blocks_per_multiprocessor) {
  const extent grid = problem.grid();
  std::vector<candidate> all;
  double raster = 0;
  const auto add = [&](const std::string& name, const auto& order, const recipe& by = {}) {
    const auto total = predict::traffic(order, problem, chip(), blocks_per_multiprocessor, by).total;
    const double bytes = static_cast<double>(total.dram_bytes);
    if (raster == 0) raster = bytes;
    all.push_back({name,
                   bytes,
                   {formatted("%.2f GB", bytes / 1e9), formatted("%.0f %%", 100 * bytes / raster),
                    formatted("%.1f x", total.reuse()), formatted("%.0f %%", 100 * total.hit_rate())},
                   {bytes / 1e9}});
  };
  std::vector<recipe> orders{{}, {recipe::hilbert}, {recipe::column_major}, {recipe::morton}};
  for (const auto kind : {recipe::thread_group_tiling, recipe::cta_swizzle}) {
    for (const int width : {8, 64}) orders.push_back({kind, width, axis::x});
  }
  recipe shown = advice;
  if (advice.schedule != recipe::sm_affine) shown = advice.order_alone();
  std::erase(orders, shown.order_alone());
  for (const recipe& by : orders) {
    const tile_table::entries entries = make_tile_table(by, grid);
    add(to_string(by), any_order{by, grid, entries.data()});
  }
  const std::string name = to_string(shown);
  const tile_table::entries entries = make_tile_table(shown, grid);
  add(name, any_order{shown, grid, entries.data()}, shown);

  table result = of_candidates(sorted(all, name), name);
  result.heading = heading + ", " + on_chip();
  result.text = "Advised for " + demo::card_at_hand().name + ": " + to_string(advice) + ", `" +
                source{advice}.scheduler(source{advice}.order("grid"), "state") + "`. Why: " + advice.reason;
  result.headers = {"order", "DRAM read", "of raster's", "reuse", "L2 hits"};
  result.bars = {};  // of one column
  return result;
}

/// Bytes that a launch reads from DRAM on the chip of the predictions.
template <class Problem>
double predicted_bytes(const Problem& problem, const recipe& by, int blocks_per_multiprocessor) {
  const tile_table::entries entries = make_tile_table(by, problem.grid());
  const any_order order{by, problem.grid(), entries.data()};
  return static_cast<double>(predict::traffic(order, problem, chip(), blocks_per_multiprocessor, by).total.dram_bytes);
}

/// Adds the product in several orders as measured on the GPU at hand.
void measure(const predict::gemm_problem& problem, const predict::advice& advice, demo::part& part) {
  std::vector<recipe> orders{{}, {recipe::hilbert}};
  for (const auto axis : {axis::x, axis::y}) {
    for (const int width : {4, 8, 24}) orders.push_back({recipe::cta_swizzle, width, axis});
  }
  const auto measured = demo::measure_product(problem.m, problem.n, problem.k, orders);
  part.why_not = measured.why_not;
  if (measured.rows.empty()) return;
  const auto rate = [&](double milliseconds) { return problem.operations() * 1e-9 / milliseconds; };
  std::vector<candidate> all;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const auto& [order, blocks, clusters] = measured.rows[i];
    const double bytes = predicted_bytes(problem, orders[i], 1);
    all.push_back({order,
                   bytes,
                   {formatted("%.2f GB", bytes / 1e9), formatted("%.3f", blocks), formatted("%.0f", rate(blocks)),
                    formatted("%.3f", clusters), formatted("%.0f", rate(clusters))},
                   {rate(blocks), rate(clusters)}});
  }
  const std::string advised = to_string(advice.order_alone());
  table result = of_candidates(sorted(all, advised), advised);
  result.heading = "The same product, measured on this " + measured.gpu;
  result.text =
      "Static and persistent (strided), all orders by table; 128x128 is the tile of a block, 128x256 that of "
      "one of the two blocks of a cluster, which share what they load. The predicted bytes are those of "
      "128x128 on " +
      demo::card_at_hand().name + ".";
  result.headers = {"order", "DRAM read, " + on_chip(), "128x128, ms", "TFLOP/s", "128x256, ms", "TFLOP/s"};
  result.bars.heading = "TFLOP/s, measured on this " + measured.gpu + " (more is better)";
  result.bars.series = {"128x128", "128x256 in clusters"};
  result.bars.decimals = 0;
  part.tables.push_back(result);
}

/// Adds a level of the denoiser as measured on the GPU at hand.
void measure(const predict::stencil_problem& pass, const predict::advice& advice, demo::part& part) {
  const extent apart{pass.step / pass.tile_rows, pass.step / pass.tile_cols};
  const std::vector<recipe> choices{
      {}, {recipe::thread_group_tiling, 64}, {recipe::dilated, 2, axis::x, apart}, advice};
  const auto measured = demo::measure_pass(pass, choices);
  part.why_not = measured.why_not;
  if (measured.rows.empty()) return;
  std::vector<candidate> all;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto& [choice, milliseconds] = measured.rows[i];
    const double bytes = predicted_bytes(pass, choices[i], 8);
    all.push_back({choice,
                   bytes,
                   {formatted("%.2f GB", bytes / 1e9), formatted("%.3f", milliseconds),
                    formatted("%.2f x", measured.rows[0].milliseconds / milliseconds)},
                   {milliseconds}});
  }
  table result = of_candidates(sorted(all, to_string(advice)), to_string(advice));
  result.heading = "The same pass, measured on this " + measured.gpu;
  result.text = "A level of the denoiser of examples/convolution, bands computed and other orders by table.";
  result.headers = {"order and schedule", "DRAM read, " + on_chip(), "ms", "over raster"};
  result.bars.heading = "ms, measured on this " + measured.gpu + " (less is better)";
  part.tables.push_back(result);
}

}  // namespace

demo::part demo::product_advice() {
  const predict::gemm_problem product{.m = 8192, .n = 8192, .k = 8192};
  const predict::advice advice = predict::advise(product, chip(), 1);
  part all{"Advice for a product",
           "`advise` replays some forty orders against a model of the cache, and returns the one to use, or says that "
           "the order will not matter. This is a matrix product of 8192 x 8192 x 8192 in bf16.",
           {{"Predicting traffic", "predict.md"},
            {"The matrix product", "gemm.md"},
            {"What was measured", "inside/gemm_study.md"}}};
  all.tables.push_back(compare("Matrix product, 8192 x 8192 x 8192, bf16, tiles of 128 x 128", product, advice, 1));
  measure(product, advice, all);
  return all;
}

demo::part demo::pass_advice() {
  const predict::stencil_problem pass{.rows = 8192,
                                      .cols = 16384,
                                      .tile_rows = 8,
                                      .tile_cols = 16,
                                      .bytes_per_pixel = 32,
                                      .rows_radius = 2,
                                      .cols_radius = 2,
                                      .step = 64,
                                      .written_bytes_per_pixel = 16,
                                      .instructions_per_pixel = 736};
  const predict::advice advice = predict::advise(pass, chip(), 8);
  part all{"Advice for a pass",
           "An à-trous pass over 16384 x 8192 pixels: 5 x 5 taps that are 64 pixels apart, in two images.",
           {{"Predicting traffic", "predict.md"}, {"Full-screen passes", "convolution.md"}}};
  all.tables.push_back(compare("À-trous pass, 16384 x 8192, 5 x 5 taps 64 pixels apart, two images in, tiles of 8 x 16",
                               pass, advice, 8));
  measure(pass, advice, all);
  return all;
}
