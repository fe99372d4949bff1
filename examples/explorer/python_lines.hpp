#pragma once

#include <algorithm>

#include "asked_order.hpp"
#include "index_lines.hpp"

namespace explorer {

/// What differs between two languages in Python.
struct python {
  const char *imports, *kernel, *arguments, *block, *blocks, *load;
};

inline python python_of(bool is_triton) {
  if (is_triton) {
    return {"import triton\nimport triton.language as tl\n",
            "@triton.jit",
            "tiles",
            "tl.program_id(0)",
            "tl.num_programs(0)",
            "tl.load(tiles + 2 * i)"};
  }
  return {"import cutlass\nimport cutlass.cute as cute\n",
          "@cute.kernel",
          "tiles: cute.Tensor",
          "cute.arch.block_idx()[0]",
          "cute.arch.grid_dim()[0]",
          "tiles[2 * i]"};
}

/// Returns a kernel in Python, for Triton or CuTe DSL, that takes the tiles of a question in its order.
inline std::string python_lines(const question& q) {
  using predict::schedule_kind;
  constexpr const char* languages[] = {"cute", "triton"};
  const bool is_triton = q.name("language", languages) == 1;
  const python in = python_of(is_triton);
  const auto number = [](long long n) { return std::to_string(n); };
  bool is_groups = false;
  int planes = 0;
  extent grid{0, 0};
  const asked_order asked = with_problem(q, [&](const auto& problem) {
    if constexpr (requires { problem.plane; }) {
      planes = problem.count;
      grid = problem.plane.grid();
    } else if constexpr (requires { problem.grid(); }) {
      grid = problem.grid();
    } else {
      is_groups = true;
    }
    return order_of(q, problem);
  });
  if (is_groups) return "# Groups whose sizes the device knows need heddle::grouped: in C++ alone.\n";
  const bool is_by_columns = asked.name == "column_major";
  const bool is_bands = asked.name == "thread_group_tiling" || asked.name == "cta_swizzle";
  const bool is_table = asked.is_clustered() || !(is_bands || is_by_columns || asked.name == "row_major");
  const long long tiles = 1LL * grid.rows * grid.cols, all = tiles * std::max(1, planes);

  std::string body;
  if (is_table) {
    body = std::string("tile = ") + in.load + "  # tiles: what heddle::make_tile_table(order) fills in C++\n";
    if (planes > 0) body += "plane, tile = tile // " + number(tiles) + ", tile % " + number(tiles) + "\n";
    body += "row, col = tile // " + number(grid.cols) + ", tile % " + number(grid.cols) + "\n";
  } else {
    if (planes > 0) body += plane_lines(planes, asked.interleave, grid.size());
    body += rotated_lines(asked.first, grid.size());
    if (asked.is_reversed) body += reversed_lines(grid.size());
    const bool is_turned = asked.is_transposed != is_by_columns;
    const tile_names to = is_turned ? tile_names().turned() : tile_names();
    const extent inner = is_turned ? grid.transposed() : grid;
    body += is_bands ? band_lines(inner, asked.choice.width, asked.choice.axis, asked.name == "cta_swizzle", to)
                     : row_major_lines(inner, to);
    if (!is_triton) body = replaced(body, "min(", "cutlass.min(");
  }
  body += "# your tile\n";

  const schedule_kind by = schedule_of(q).kind;
  const bool is_loop = by != schedule_kind::one_shot && by != schedule_kind::cluster_launch;
  std::string text = in.imports + std::string("\n");
  if (is_loop && by != schedule_kind::strided)
    text += std::string("# ") + name_of(by) + " is C++ alone: these blocks are strided.\n";
  text += in.kernel + std::string("\ndef kernel(") + (is_table ? in.arguments : "") + "):";
  text +=
      is_loop ? "  # launched with as many blocks as run at once\n" : "  # launched with " + number(all) + " blocks\n";
  text += is_loop ? std::string("    for tile_number in range(") + in.block + ", " + number(all) + ", " + in.blocks +
                        "):\n        i = tile_number\n"
                  : std::string("    i = ") + in.block + "\n";
  return text + indented(body, is_loop ? 8 : 4);
}

}  // namespace explorer
