// The demo: which order moves how many bytes, for two problems of the size that people have, what expansion and
// reordering are worth, and a page that draws every order. Needs no GPU; on a Hopper it also measures all of that.
//
//   demo [FOLDER]      where to write index.html; the current folder by default

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <heddle/draw/page.hpp>
#include <heddle/draw/svg.hpp>
#include <heddle/heddle.hpp>

#include "measured.hpp"
#include "table.hpp"

using namespace heddle;
using demo::formatted;
using demo::table;

namespace {

/// Replays the orders that one might try, and the one that is advised: that one comes first.
template <class Problem>
table compare(const std::string& heading, const Problem& problem, int blocks_per_multiprocessor) {
  const predict::device chip = predict::h200();
  const predict::advice advice = predict::advise(problem, chip, blocks_per_multiprocessor);
  const extent grid = problem.grid();

  table result{heading, advice.reason, {"order", "DRAM read", "of raster's", "reuse", "L2 hits"}, {}, -1};
  double raster = 0;
  const auto add = [&](const std::string& name, const auto& order, predict::schedule_choice schedule = {}) {
    const auto total = predict::traffic(order, problem, chip, blocks_per_multiprocessor, schedule).total;
    const double bytes = static_cast<double>(total.dram_bytes);
    if (raster == 0) raster = bytes;
    result.rows.push_back({name, formatted("%.2f GB", bytes / 1e9), formatted("%.0f %%", 100 * bytes / raster),
                           formatted("%.1f x", total.reuse()), formatted("%.0f %%", 100 * total.hit_rate())});
  };
  std::vector<predict::order_choice> choices{{.kind = predict::order_kind::row_major},
                                             {.kind = predict::order_kind::hilbert}};
  for (const auto kind : {predict::order_kind::thread_group_tiling, predict::order_kind::cta_swizzle}) {
    for (const int width : {8, 16, 24, 64}) choices.push_back({kind, width, axis::x});
  }
  const predict::order_choice& advised = advice;
  for (const predict::order_choice& choice : choices) {
    if (choice == advised) continue;
    predict::with_order(choice, grid, [&](const auto& order) { add(to_string(choice), order); });
  }
  add("column_major", column_major{grid});
  add("morton", morton{grid});
  const bool is_affine = advice.schedule == predict::schedule_kind::sm_affine;
  const predict::schedule_choice by{is_affine ? advice.schedule : predict::schedule_kind::one_shot, advice.run};
  predict::with_order(advised, grid,
                      [&](const auto& order) { add(is_affine ? to_string(advice) : to_string(advised), order, by); });
  std::rotate(result.rows.begin(), result.rows.end() - 1, result.rows.end());
  result.marked = 0;
  return result;
}

/// The same product on the GPU at hand, or why not.
table measure(const predict::gemm_problem& problem) {
  std::vector<predict::order_choice> orders{{.kind = predict::order_kind::row_major},
                                            {.kind = predict::order_kind::hilbert}};
  for (const auto axis : {axis::x, axis::y}) {
    for (const int width : {4, 8, 24}) orders.push_back({predict::order_kind::cta_swizzle, width, axis});
  }
  const auto measured = demo::measure_product(problem.m, problem.n, problem.k, orders);
  if (!measured.why_not.empty()) return demo::not_measured(measured.why_not);
  const std::vector<std::string> headers{"order", "128x128, ms", "TFLOP/s", "128x256, ms", "TFLOP/s"};
  table result{
      "The same product, measured on this " + measured.gpu,
      "Static and persistent (strided), all orders by table; 128x128 is a block, 128x256 one of two blocks of a "
      "cluster, which share what they load.",
      headers,
      {},
      -1};
  const auto rate = [&](double milliseconds) { return problem.operations() * 1e-9 / milliseconds; };
  for (const auto& [order, blocks, clusters] : measured.rows) {
    result.rows.push_back({order, formatted("%.3f", blocks), formatted("%.0f", rate(blocks)),
                           formatted("%.3f", clusters), formatted("%.0f", rate(clusters))});
  }
  return result;
}

/// A level of the denoiser on the GPU at hand, or why not.
table measure(const predict::stencil_problem& pass) {
  std::vector<predict::advice> choices(3, predict::advice{});
  static_cast<predict::order_choice&>(choices[1]) = {predict::order_kind::thread_group_tiling, 64};
  const extent apart{pass.step / pass.tile_rows, pass.step / pass.tile_cols};
  static_cast<predict::order_choice&>(choices[2]) = {predict::order_kind::dilated, 2, axis::x, apart};
  choices.push_back(predict::advise(pass, predict::h200()));
  const auto measured = demo::measure_pass(pass, choices);
  if (!measured.why_not.empty()) return demo::not_measured(measured.why_not);
  table result{"The same pass, measured on this " + measured.gpu,
               "A level of the denoiser of examples/convolution, all orders by table.",
               {"order", "ms", "over raster"},
               {},
               static_cast<int>(choices.size()) - 1};
  for (const auto& [choice, milliseconds] : measured.rows) {
    result.rows.push_back(
        {choice, formatted("%.3f", milliseconds), formatted("%.2f x", measured.rows[0].milliseconds / milliseconds)});
  }
  return result;
}

/// Each column as wide as its longest cell.
void print(const table& t) {
  if (t.rows.empty()) return void(std::printf("\n%s\n", t.text.c_str()));
  std::vector<std::size_t> widths;
  for (const std::string& header : t.headers) widths.push_back(header.size());
  for (const auto& row : t.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto line = [&](const char* mark, const std::vector<std::string>& cells) {
    std::printf("%s %-*s", mark, static_cast<int>(widths[0]), cells[0].c_str());
    for (std::size_t i = 1; i < cells.size(); ++i) {
      std::printf("%*s", static_cast<int>(widths[i] + 3), cells[i].c_str());
    }
  };
  std::printf("\n%s\n\n", t.heading.c_str());
  line(" ", t.headers);
  std::puts("");
  for (std::size_t row = 0; row < t.rows.size(); ++row) {
    const bool marked = static_cast<int>(row) == t.marked;
    line(marked ? "*" : " ", t.rows[row]);
    std::puts(marked ? "   advised" : "");
  }
  std::printf("\n  %s\n", t.text.c_str());
}

void draw_orders(draw::page& page) {
  const extent grid{12, 16};
  const auto card = [&](const char* name, const char* code, const char* text, const auto& order) {
    page.card(name, code, text, draw::svg(order, {.wave = 16, .animated = true, .title = name}));
  };
  page.section("Every order, sixteen blocks at a time",
               "A grid of 12 x 16 tiles. Bright tiles run now, pale ones are done; the numbers are launch indices. A "
               "picture halts under the pointer.");
  card("row_major", "row_major{grid}",
       "Row after row, as the hardware hands out a plain grid. Use it when what the tiles share fits in L2 anyway.",
       row_major{grid});
  card("column_major", "column_major{grid}",
       "Column after column. Use it when tiles share most with those below them and a column fits in L2.",
       column_major{grid});
  card("thread_group_tiling", "thread_group_tiling{grid, 4, axis::x}",
       "Bands of a few columns, each walked line by line. Use it for full-screen passes with wide footprints.",
       thread_group_tiling{grid, 4, axis::x});
  card("thread_group_tiling, axis y", "thread_group_tiling{grid, 4, axis::y}",
       "Bands of a few rows, walked column by column. Which axis is better depends on the shape: ask advise.",
       thread_group_tiling{grid, 4, axis::y});
  card("cta_swizzle", "cta_swizzle{grid, 4, axis::x}",
       "Bands in serpentine: the next begins beside the end of the last. Use it for matrix products.",
       cta_swizzle{grid, 4, axis::x});
  card("cta_swizzle, axis y", "cta_swizzle{grid, 4, axis::y}",
       "The same, lying down. Which axis is better depends on the shape: ask advise.", cta_swizzle{grid, 4, axis::y});
  card("hilbert", "hilbert{grid}",
       "Neighbours follow neighbours, on any rectangle. Use it when there is no time to tune a width.", hilbert{grid});
  card("morton", "morton{grid}",
       "Z order on any rectangle, without holes. Use it to agree with data that lies in Z order.", morton{grid});
  card("dilated", "dilated{grid, {2, 2}, 4}",
       "Tiles one step apart become neighbours. Use it for à-trous passes, which re-read just those.",
       dilated{grid, {2, 2}, 4});
  card("reversed", "reversed{hilbert{grid}}",
       "Any order from its end. Use it to begin where the pass before has just been.", reversed{hilbert{grid}});
  card("transposed", "transposed{morton{{16, 12}}}",
       "Any order with rows and columns exchanged. Use it when the operands change places.",
       transposed{morton{{16, 12}}});
  card("clustered", "clustered{cta_swizzle{{6, 8}, 2}, {2, 2}, grid}",
       "Any order over thread-block clusters, here of 2 x 2 tiles. Use it with multicast.", cta_swizzle{{6, 8}, 2});

  page.section("The way they go", "A line from each tile to the next; thin where that is no neighbour.");
  const auto path = [&](const char* name, const auto& order) {
    page.card(name, "", "", draw::svg(order, {.numbers = false, .path = true, .title = name}));
  };
  path("row_major", row_major{grid});
  path("thread_group_tiling", thread_group_tiling{grid, 4, axis::x});
  path("cta_swizzle", cta_swizzle{grid, 4, axis::x});
  path("hilbert", hilbert{grid});
  path("morton", morton{grid});
  path("dilated", dilated{grid, {2, 2}, 4});

  page.section("What each wave has to fetch",
               "In a matrix product a row of tiles needs a stripe of A, from the left, and a column one of B, from "
               "above. Orange tiles are the first of their wave of 16 to need both, blue ones a row, green ones a "
               "column; grey ones find both in cache. The margins count how often each stripe is fetched, and the "
               "corner adds them up: the fewer, the less traffic.");
  const auto touches = [&](const char* name, const char* code, const auto& order) {
    page.card(name, code, "",
              draw::svg(order, {.wave = 16, .animated = true, .first_touches = true, .numbers = false, .title = name}));
  };
  touches("row_major", "row_major{grid}", row_major{grid});
  touches("thread_group_tiling", "thread_group_tiling{grid, 4, axis::x}", thread_group_tiling{grid, 4, axis::x});
  touches("hilbert", "hilbert{grid}", hilbert{grid});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  std::printf("heddle %s: what the order of tiles does to DRAM traffic, predicted for an H200 (132 SMs, 60 MB of L2)\n",
              version_string);

  const predict::gemm_problem product{.m = 8192, .n = 8192, .k = 8192};
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
  std::vector<table> tables{
      compare("Matrix product, 8192 x 8192 x 8192, bf16, tiles of 128 x 128", product, 1), measure(product),
      compare("À-trous pass, 16384 x 8192, 5 x 5 taps 64 pixels apart, two images in, tiles of 8 x 16", pass, 8),
      measure(pass)};
  for (const auto part : {demo::expansion, demo::reordering}) {
    for (table& each : part()) tables.push_back(std::move(each));
  }

  draw::page page(
      "heddle",
      "Which piece of work a GPU's warps take next. In a loom, heddles decide which warp threads lift, and when.");
  for (const table& t : tables) {
    print(t);
    if (t.rows.empty()) continue;
    page.section(t.heading, t.text);
    page.table(t.headers, t.rows, t.marked);
  }
  draw_orders(page);

  const std::string path = folder + "/index.html";
  std::ofstream file(path);
  file << page.str();
  file.close();
  if (!file) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    return 1;
  }
  std::printf("\nEvery order drawn: %s\n", path.c_str());
}
