#include <heddle/draw/svg.hpp>
#include <heddle/order.hpp>

#include "groups.hpp"
#include "timelines.hpp"

using namespace heddle;

namespace {

constexpr extent grid{8, 12};

}  // namespace

demo::part demo::orders() {
  part all{"Orders",
           "An order maps a launch index to a tile. The numbers are launch indices, on a grid of 8 x 12 tiles; twelve "
           "blocks run at a time. Bright tiles run now, pale ones have run. A picture halts under the pointer.",
           {{"Orders", "order.md"}, {"An order of your own", "your_own.md"}}};
  const auto card = [&](const char* name, const char* code, const char* text, const auto& order) {
    all.pictures.push_back({"", name, code, text, draw::svg(order, {.wave = 12, .animated = true, .title = name})});
  };
  card("row_major", "row_major{grid}",
       "Row after row, as the hardware starts the blocks of a plain grid. Use it when the working set fits in L2.",
       row_major{grid});
  card("column_major", "column_major{grid}",
       "Column after column. Use it when a tile shares most with the tile below it and a column fits in L2.",
       column_major{grid});
  card("thread_group_tiling", "thread_group_tiling{grid, 4, axis::x}",
       "Bands of a few columns, each walked row by row. Use it for full-screen passes with wide footprints.",
       thread_group_tiling{grid, 4, axis::x});
  card("thread_group_tiling, axis y", "thread_group_tiling{grid, 4, axis::y}",
       "Bands of a few rows, each walked column by column. `advise` picks the axis from the problem's shape.",
       thread_group_tiling{grid, 4, axis::y});
  card("cta_swizzle", "cta_swizzle{grid, 4, axis::x}",
       "Bands in serpentine: the next band begins beside the end of the last. Use it for matrix products.",
       cta_swizzle{grid, 4, axis::x});
  card("cta_swizzle, axis y", "cta_swizzle{grid, 4, axis::y}", "The same with bands of rows.",
       cta_swizzle{grid, 4, axis::y});
  card(
      "hilbert", "hilbert{grid}",
      "Each tile follows a neighbour, on any rectangle, but for one diagonal step at most. Use it when there is no time to tune a width.",
      hilbert{grid});
  card("morton", "morton{grid}", "Z order on any rectangle, without holes. Use it for data that is stored in Z order.",
       morton{grid});
  card("dilated", "dilated{grid, {2, 2}, 4}",
       "Tiles one step apart follow one another. Use it for à-trous passes, whose taps are one step apart.",
       dilated{grid, {2, 2}, 4});
  card("reversed", "reversed{hilbert{grid}}",
       "Any order from its end. Use it to begin with the tiles that the previous pass has left in L2.",
       reversed{hilbert{grid}});
  card("rotated", "rotated{row_major{grid}, 40}",
       "Any order from one of its tiles on. Use it to begin with the input that is here while the rest arrives.",
       rotated{row_major{grid}, 40});
  card("transposed", "transposed{morton{{12, 8}}}",
       "Any order with rows and columns exchanged. Use it when the operands change places.",
       transposed{morton{{12, 8}}});
  card("clustered", "clustered{cta_swizzle{{4, 6}, 2}, {2, 2}, grid}",
       "Any order over thread-block clusters, here of 2 x 2 tiles: the numbers are clusters. Use it with multicast.",
       cta_swizzle{{4, 6}, 2});
  return all;
}

demo::part demo::waves() {
  part all{"Waves",
           "What each wave of twelve blocks fetches in a matrix product. A row of tiles needs a stripe of A, from the "
           "left; a column needs a stripe of B, from above. Orange tiles are the first of their wave to need both "
           "stripes, blue tiles the first to need the row's, green tiles the column's; grey tiles find both in the "
           "cache. The margins count how often each stripe is fetched, and the corner adds them up: less is better.",
           {{"Predicting traffic", "predict.md"}}};
  const auto card = [&](const char* name, const char* code, const auto& order) {
    all.pictures.push_back(
        {"", name, code, "",
         draw::svg(order, {.wave = 12, .animated = true, .first_touches = true, .numbers = false, .title = name})});
  };
  card("row_major", "row_major{grid}", row_major{grid});
  card("thread_group_tiling", "thread_group_tiling{grid, 4, axis::x}", thread_group_tiling{grid, 4, axis::x});
  card("cta_swizzle", "cta_swizzle{grid, 4, axis::x}", cta_swizzle{grid, 4, axis::x});
  card("hilbert", "hilbert{grid}", hilbert{grid});
  return all;
}

demo::part demo::paths() {
  part all{"Paths",
           "A line from each tile to the next; thin if the next tile is no neighbour. The circle is the first tile.",
           {{"Orders", "order.md"}}};
  const auto card = [&](const char* name, const auto& order) {
    all.pictures.push_back({"", name, "", "", draw::svg(order, {.numbers = false, .path = true, .title = name})});
  };
  card("row_major", row_major{grid});
  card("thread_group_tiling", thread_group_tiling{grid, 4, axis::x});
  card("cta_swizzle", cta_swizzle{grid, 4, axis::x});
  card("hilbert", hilbert{grid});
  card("morton", morton{grid});
  card("dilated", dilated{grid, {2, 2}, 4});
  return all;
}

demo::part demo::spaces() {
  part all{"Spaces",
           "Work that is not one rectangle: the planes of a batch, the tiles below a diagonal, groups of different "
           "sizes, and tiles that take longer than others. The numbers are launch indices; bright tiles run now.",
           {{"Work that is not one rectangle", "spaces.md"}, {"Predicting traffic", "predict.md"}}};
  const auto card = [&](const char* name, const char* code, const char* text, const auto& order, int wave) {
    all.pictures.push_back({"", name, code, text, draw::svg(order, {.wave = wave, .animated = true, .title = name})});
  };
  const row_major plane{{6, 3}};
  card("batched", "batched{row_major{grid}, 3}",
       "Any order in each plane, one plane after another. Use it for batched products, heads and volumes.",
       batched{plane, 3}, 9);
  card("batched, in turn", "batched{row_major{grid}, 3, 3}",
       "The planes in turn. Use it if planes share what they read, as products with one common matrix do.",
       batched{plane, 3, 3}, 9);
  const triangle half{10};
  card("triangular", "triangular{thread_group_tiling{half.folded(), 4, axis::x}, half}",
       "Any order of a rectangle, folded onto a triangle: bands stay bands. Use it for symmetric products and causal "
       "scores.",
       triangular{thread_group_tiling{half.folded(), 4, axis::x}, half}, 8);
  const few_groups numbered(group_sequence::as_numbered), heaviest(group_sequence::heaviest_first);
  card(
      "grouped", "grouped{shape, state, 3, axis::y}",
      "Groups of rows whose sizes only the device knows, each in bands; group 2 has no rows. Use it for the experts of "
      "a mixture and for sequences of any length.",
      numbered.order(), 8);
  card("grouped, heaviest first", "grouped{shape, state, 3, axis::y, group_sequence::heaviest_first}",
       "The group of most rows first. Use it if tiles of large groups take longer, or if the launch should end with "
       "small groups.",
       heaviest.order(), 8);
  for (const picture& each : timelines_of_costs()) all.pictures.push_back(each);
  return all;
}

demo::part demo::schedulers() {
  return {"Schedulers",
          "A scheduler maps a block to its tiles, over any order. Time runs to the right, a lane is a block, and the "
          "numbers are tiles; the dashed line is the end of all work. All but stream_k have the same forty tiles, "
          "some of which take longer than others. The schedulers' own code decides here, on the host.",
          {{"Schedulers", "schedule.md"}, {"A scheduler of your own", "your_own.md"}},
          timelines_of_schedulers()};
}
