#pragma once

#include <algorithm>

#include "index_lines.hpp"
#include "question.hpp"

namespace explorer {

/// What differs between two languages in Python.
struct python {
  const char *imports, *kernel, *arguments, *block, *blocks, *load;
};

inline python python_of(const question& q) {
  if (q.is("language", "triton")) {
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
  const python in = python_of(q);
  const std::string kind = q.text("order");
  const auto number = [](long long n) { return std::to_string(n); };
  if (q.is("problem", "groups")) {
    return "# Groups whose sizes the device knows need heddle::grouped: in C++ alone.\n";
  }
  int planes = 0;
  const extent grid = with_problem(q, [&](const auto& problem) -> extent {
    if constexpr (requires { problem.plane; }) {
      planes = problem.count;
      return problem.plane.grid();
    } else if constexpr (requires { problem.grid(); }) {
      return problem.grid();
    } else {
      return {0, 0};
    }
  });
  const bool is_bands = kind == "thread_group_tiling" || kind == "cta_swizzle";
  const bool is_table = cluster_of(q).size() > 1 || !(is_bands || kind == "row_major" || kind == "column_major");
  const bool is_turned = q.is("transposed", "1");
  const long long tiles = 1LL * grid.rows * grid.cols, all = tiles * std::max(1, planes);

  std::string body;
  if (is_table) {
    body = std::string("tile = ") + in.load + "  # tiles: what heddle::make_tile_table(order) fills in C++\n";
    if (planes > 0) body += "plane, tile = tile // " + number(tiles) + ", tile % " + number(tiles) + "\n";
    body += "row, col = tile // " + number(grid.cols) + ", tile % " + number(grid.cols) + "\n";
  } else {
    if (planes > 0) body += plane_lines(planes, q.number("interleave", 1), grid.size());
    if (q.has("first")) body += rotated_lines(q.number("first", 0), grid.size());
    if (q.is("reversed", "1")) body += reversed_lines(grid.size());
    const bool is_by_columns = kind == "column_major";
    const tile_names to = is_turned != is_by_columns ? tile_names().turned() : tile_names();
    const extent inner = is_turned != is_by_columns ? grid.transposed() : grid;
    body += is_bands ? band_lines(inner, q.number("width", 8), q.is("axis", "y") ? axis::y : axis::x,
                                  kind == "cta_swizzle", to)
                     : row_major_lines(inner, to);
    if (!q.is("language", "triton")) body = replaced(body, "min(", "cutlass.min(");
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
