// The C++ that `source` writes, compiled here as it is, is the order and the scheduler that the recipe names.

#include <heddle/order.hpp>
#include <heddle/recipe.hpp>
#include <heddle/schedule.hpp>

#include "recipes.hpp"
#include "refusal.hpp"

namespace {

using heddle::recipe;
using heddle::source;
using heddle::detail::all_schedules;

/// Text without comments and blanks, as the preprocessor keeps hardly any of either.
std::string bare(std::string text) {
  for (auto at = text.find("/*"); at != std::string::npos; at = text.find("/*"))
    text.erase(at, text.find("*/") + 2 - at);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

/// Checks that the text is that of the recipe, and that what it builds visits the tiles of the recipe.
template <class Built>
void check_order(const recipe& by, const std::string& text, heddle::extent grid, const Built& built) {
  CAPTURE(text);
  CHECK(bare(source{by}.order("grid")) == bare(text));
  const auto entries = make_tile_table(by, grid);
  const heddle::any_order order{by, grid, entries.data()};
  bool same = built.size() == order.size();
  for (int i = 0; same && i < order.size(); ++i) same = built(i) == order(i);
  CHECK(same);
}

// Compiles what it also passes as text.
#define PASTED(...) #__VA_ARGS__, grid, __VA_ARGS__
#define PASTED_SCHEDULER(...) #__VA_ARGS__, __VA_ARGS__

/// Checks that the text is that of the recipe, and that the recipe builds the same type over the same order.
template <class Order, class Built>
void check_scheduler(const recipe& by, const Order& order, void* state, const std::string& text, const Built&) {
  CAPTURE(text);
  CHECK(bare(source{by}.scheduler("order", "state")) == bare(text));
  CHECK(source{by}.has_state() == (text.find("state") != std::string::npos));
  CHECK(with_recipe<all_schedules>(
      by, order, state, [](const auto& made) { return std::is_same_v<std::decay_t<decltype(made)>, Built>; }));
}

}  // namespace

TEST_CASE("source writes the C++ that builds an order") {
  const heddle::extent grid{7, 10};
  const auto x = heddle::axis::x, y = heddle::axis::y;
  check_order({}, PASTED(heddle::row_major{grid}));
  check_order({.order = recipe::column_major}, PASTED(heddle::column_major{grid}));
  check_order({recipe::thread_group_tiling, 3, y}, PASTED(heddle::thread_group_tiling{grid, 3, heddle::axis::y}));
  check_order({recipe::thread_group_tiling, 4, x}, PASTED(heddle::thread_group_tiling{grid, 4, heddle::axis::x}));
  check_order({recipe::cta_swizzle, 5, x}, PASTED(heddle::cta_swizzle{grid, 5, heddle::axis::x}));
  check_order({recipe::cta_swizzle, 2, y}, PASTED(heddle::cta_swizzle{grid, 2, heddle::axis::y}));
  check_order({.order = recipe::hilbert}, PASTED(heddle::hilbert{grid}));
  check_order({.order = recipe::morton}, PASTED(heddle::morton{grid}));
  check_order({recipe::dilated, 2, x, {3, 4}}, PASTED(heddle::dilated{grid, {3, 4}, 2}));
  check_order({.transposed = true}, PASTED(heddle::transposed{heddle::row_major{grid.transposed()}}));
  check_order({.order = recipe::hilbert, .reversed = true}, PASTED(heddle::reversed{heddle::hilbert{grid}}));
  check_order({.order = recipe::morton, .transposed = true, .reversed = true, .first = 7},
              PASTED(heddle::rotated{heddle::reversed{heddle::transposed{heddle::morton{grid.transposed()}}}, 7}));
}

TEST_CASE("source writes the C++ that builds an order of pairs") {
  CHECK(source{{}}.triangular("pairs") == "heddle::triangular{heddle::row_major{pairs.folded()}, pairs}");
  const recipe bands{.order = recipe::cta_swizzle, .width = 4, .reversed = true, .first = 3};
  CHECK(source{bands}.triangular("pairs") ==
        "heddle::rotated{heddle::reversed{heddle::triangular{heddle::cta_swizzle{pairs.folded(), /*width*/ 4, "
        "heddle::axis::x}, pairs}}, /*first*/ 3}");
  const source clustered{recipe{.cluster = {1, 2}}};
  CHECK_THROWS_WITH(clustered.triangular("pairs"), "heddle::source: blocks of a cluster is 2; it must be exactly 1");
}

TEST_CASE("source writes clusters around an order of clusters, and a table for an order of the user's own") {
  CHECK(source{{.order = recipe::hilbert, .cluster = {2, 1}}}.order("grid") ==
        "heddle::clustered{heddle::hilbert{heddle::ceil_div(grid, {2, 1})}, /*cluster*/ {2, 1}, grid}");
  CHECK(source{{.order = recipe::own}}.order("tiles") == "heddle::tile_table{tiles, on_device}");
  CHECK(source{{.schedule = recipe::stream_k, .sharers = 132}}.scheduler("order", "state") ==
        "heddle::stream_k{order, steps, /*sharers*/ 132, state}");
}

TEST_CASE("source writes the C++ that builds a scheduler") {
  const heddle::row_major order{{7, 10}};
  alignas(16) static char memory[1 << 14];
  void* const state = memory;
  const auto check = [&](recipe::schedule_kind kind, const std::string& text, const auto& built) {
    check_scheduler({.schedule = kind, .run = 12}, order, state, text, built);
  };
  check(recipe::one_shot, PASTED_SCHEDULER(heddle::one_shot{order}));
  check(recipe::strided, PASTED_SCHEDULER(heddle::strided{order}));
  check(recipe::chunked, PASTED_SCHEDULER(heddle::chunked{order}));
  check(recipe::ticket, PASTED_SCHEDULER(heddle::ticket{order, state}));
  check(recipe::late_ticket, PASTED_SCHEDULER(heddle::draws_late{heddle::ticket{order, state}}));
  check(recipe::work_stealing, PASTED_SCHEDULER(heddle::work_stealing{order, state}));
  check(recipe::cluster_launch, PASTED_SCHEDULER(heddle::cluster_launch{order}));
  check(recipe::sm_affine, PASTED_SCHEDULER(heddle::sm_affine{order, state, 12}));
}

namespace {

/// What the lines in CUDA build, from the texts between the parentheses of in_bands.
#define WALKED(...) "const auto blockIdx = heddle::in_bands(" #__VA_ARGS__ ");", heddle::band_walk __VA_ARGS__

/// Checks that the line is that of the recipe, and that its walk visits the tiles of the recipe.
void check_line(const recipe& by, const std::string& text, const heddle::band_walk& walk) {
  CAPTURE(text);
  const heddle::extent grid{7, 10};
  CHECK(source{by}.line() == text);
  const auto entries = make_tile_table(by, grid);
  const heddle::any_order order{by, grid, entries.data()};
  for (int i = 0; i < order.size(); ++i) CHECK(walk.tile(grid.rows, grid.cols, i) == order(i));
}

/// The tile that `tl.swizzle2d(0, i, across, along, group)` names: the index in groups of rows, and in their columns.
heddle::coord by_swizzle2d(int i, int across, int along, int group) {
  const int first = i / (group * along) * group, size = std::min(across - first, group), rest = i % (group * along);
  return {first + rest % size, rest / size};
}

/// The tile of a block by TileLang's panels of rows, of a grid of `along` columns.
heddle::coord by_panels_of_rows(int i, int across, int along, int width) {
  const int panel = i / (width * along), offset = i % (width * along),
            panels = (across * along - 1) / (width * along) + 1;
  const int stride = panel + 1 < panels ? width : (across * along - panel * width * along) / along;
  return {offset % stride + panel * width, panel % 2 == 1 ? along - 1 - offset / stride : offset / stride};
}

}  // namespace

TEST_CASE("source writes one line for bands of a block per tile, and none for what a line cannot do") {
  using heddle::from_string;
  CHECK(source{from_string("thread_group_tiling, width 64")}.line() == "const auto blockIdx = heddle::in_bands<64>();");
  CHECK(source{from_string("thread_group_tiling, width 3, axis y")}.line() ==
        "const auto blockIdx = heddle::in_bands<3, heddle::axis::y>();");
  check_line(from_string("cta_swizzle, width 8"), WALKED({.width = 8, .serpentine = true}));
  check_line(from_string("cta_swizzle, width 3, axis y"),
             WALKED({.width = 3, .axis = heddle::axis::y, .serpentine = true}));
  check_line(from_string("cta_swizzle, width 4, transposed, reversed"),
             WALKED({.width = 4, .axis = heddle::axis::y, .serpentine = true, .reversed = true}));
  check_line(from_string("thread_group_tiling, width 2, axis y, transposed, reversed"),
             WALKED({.width = 2, .reversed = true}));
  // The order of a recipe in clusters is one of clusters, and the line counts blocks.
  CHECK(source{from_string("thread_group_tiling, width 4, cluster 2x1")}.line() ==
        "const auto blockIdx = heddle::in_bands<4>();");
  CHECK(source{from_string("thread_group_tiling, width 4, axis y, cluster 2x1")}.line() ==
        "const auto blockIdx = heddle::in_bands<8, heddle::axis::y>();");
  for (const char* none : {"row_major", "hilbert", "dilated, step 2x2, width 3", "cta_swizzle, width 8, ticket",
                           "cta_swizzle, width 8, first 5", "cta_swizzle, width 8, interleave 2"}) {
    CAPTURE(none);
    for (const char* language : {"cuda", "triton", "tilelang"}) CHECK(source{from_string(none)}.line(language) == "");
  }
  CHECK(heddle_test::refusal([] { (void)source{{}}.line("mojo"); }) ==
        "heddle::source: the language is \"mojo\"; it must be cuda, triton or tilelang");
}

TEST_CASE("source writes one line for Triton and for TileLang, which walks the order of the recipe") {
  using heddle::from_string;
  const recipe rows = from_string("thread_group_tiling, width 3, axis y"),
               columns = from_string("thread_group_tiling, width 3");
  CHECK(source{rows}.line("triton") == "row, col = tl.swizzle2d(0, tl.program_id(0), rows, cols, 3)");
  CHECK(source{columns}.line("triton") == "col, row = tl.swizzle2d(0, tl.program_id(0), cols, rows, 3)");
  CHECK(source{from_string("cta_swizzle, width 8")}.line("triton") == "");
  CHECK(source{from_string("cta_swizzle, width 3, axis y")}.line("tilelang") ==
        "T.use_swizzle(panel_size=3, order=\"row\")");
  CHECK(source{from_string("cta_swizzle, width 8")}.line("tilelang") ==
        "T.use_swizzle(panel_size=8, order=\"column\")");
  CHECK(source{columns}.line("tilelang") == "");
  int others = 0;
  for (const heddle::extent grid : {heddle::extent{7, 10}, {6, 4}, {1, 9}, {9, 1}, {2, 5}}) {
    const heddle::thread_group_tiling of_rows{grid, 3, heddle::axis::y}, of_columns{grid, 3, heddle::axis::x};
    const heddle::cta_swizzle back_and_forth{grid, 3, heddle::axis::y}, across{grid, 3, heddle::axis::x};
    for (int i = 0; i < grid.size(); ++i) {
      const auto turned = [](heddle::coord tile) { return heddle::coord{tile.col, tile.row}; };
      others += !(by_swizzle2d(i, grid.rows, grid.cols, 3) == of_rows(i));
      others += !(turned(by_swizzle2d(i, grid.cols, grid.rows, 3)) == of_columns(i));
      others += !(by_panels_of_rows(i, grid.rows, grid.cols, 3) == back_and_forth(i));
      others += !(turned(by_panels_of_rows(i, grid.cols, grid.rows, 3)) == across(i));
    }
  }
  CHECK(others == 0);
}

TEST_CASE("source writes a function and a kernel for other languages") {
  CHECK(source{{}}.tile_of("triton", {2, 3}) ==
        "@triton.jit\ndef tile_of(i):  # row_major\n    row = i // 3\n    col = i % 3\n    return row, col\n");
  const recipe by{.order = recipe::cta_swizzle, .width = 2, .interleave = 3, .schedule = recipe::ticket};
  CHECK(source{by}.tile_of("cuda", {4, 4}, 5).find("int plane, row, col;") != std::string::npos);
  CHECK(source{by}.tile_of("cute", {4, 4}, 5).find("cutlass.min(") != std::string::npos);
  CHECK(source{by}.kernel("triton", {4, 4}, 5).find("# ticket is C++ alone: these blocks are strided.") !=
        std::string::npos);
  CHECK(source{{.order = recipe::hilbert}}.kernel("cute", {4, 4}).find("tiles: cute.Tensor") != std::string::npos);
  CHECK(source{{.order = recipe::cta_swizzle, .width = 3}}.tile_of("triton", {2, 3}).find("backwards") ==
        std::string::npos);  // one band
  CHECK(heddle_test::refusal([] {
          (void)source{{}}.tile_of("mojo", {2, 3});
        }) == "heddle::source: the language is \"mojo\"; it must be triton, cute or cuda");
  CHECK(heddle_test::refusal([] {
          (void)source{{}}.kernel("cuda", {2, 3});
        }) == "heddle::source: the language is \"cuda\"; it must be triton or cute");
  CHECK(heddle_test::refusal([] {
          (void)source{{.order = recipe::own}}.tile_of("cuda", {2, 3});
        }) == "heddle::source: own is read from its table");
  CHECK(heddle_test::refusal([] {
          (void)source{{.cluster = {2, 1}}}.tile_of("cuda", {2, 3});
        }) == "heddle::source: blocks of a cluster is 2; it must be exactly 1");
}
