#pragma once

#include <algorithm>

#include "question.hpp"

namespace explorer {

/// What differs between two languages in Python.
struct python {
  const char *imports, *kernel, *arguments, *block, *blocks, *least, *load;
};

inline python python_of(const question& q) {
  if (q.is("language", "triton")) {
    return {"import triton\nimport triton.language as tl\n",
            "@triton.jit",
            "tiles",
            "tl.program_id(0)",
            "tl.num_programs(0)",
            "min",
            "tl.load(tiles + 2 * i)"};
  }
  return {"import cutlass\nimport cutlass.cute as cute\n",
          "@cute.kernel",
          "tiles: cute.Tensor",
          "cute.arch.block_idx()[0]",
          "cute.arch.grid_dim()[0]",
          "cutlass.min",
          "tiles[2 * i]"};
}

/// Returns the lines that make a row and a column of an index into bands.
inline std::string band_lines(const question& q, const python& in, extent grid, const char* row, const char* col) {
  const auto number = [](long long n) { return std::to_string(n); };
  const bool is_of_rows = q.is("axis", "y");
  const int breadth = is_of_rows ? grid.rows : grid.cols, length = is_of_rows ? grid.cols : grid.rows;
  const int width = std::clamp(q.number("width", 8), 1, std::max(1, breadth));
  const char* const across = is_of_rows ? row : col;
  const char* const along = is_of_rows ? col : row;
  const std::string of_band = number(1LL * width * length);
  std::string wide = number(width);
  std::string lines = "band, i = i // " + of_band + ", i % " + of_band + "\n";
  if (breadth % width != 0) {
    lines += "wide = " + std::string(in.least) + "(" + wide + ", " + number(breadth) + " - band * " + wide + ")\n";
    wide = "wide";
  }
  lines +=
      std::string(along) + " = i // " + wide + "\n" + across + " = band * " + number(width) + " + i % " + wide + "\n";
  if (!q.is("order", "cta_swizzle")) return lines;
  return lines + along + " = " + along + " + band % 2 * (" + number(length - 1) + " - 2 * " + along +
         ")  # every other band backwards\n";
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
    const int turn = std::min(q.number("interleave", 1), planes);
    if (turn > 1) {
      const std::string section = number(turn * tiles);
      std::string each = number(turn);
      body += "section, i = i // " + section + ", i % " + section + "\n";
      if (planes % turn != 0) {
        body +=
            std::string("planes = ") + in.least + "(" + each + ", " + number(planes) + " - section * " + each + ")\n";
        each = "planes";
      }
      body += "plane, i = section * " + number(turn) + " + i % " + each + ", i // " + each + "\n";
    } else if (planes > 0) {
      body += "plane, i = i // " + number(tiles) + ", i % " + number(tiles) + "\n";
    }
    if (q.has("first")) body += "i = (i + " + q.text("first") + ") % " + number(tiles) + "\n";
    if (q.is("reversed", "1")) body += "i = " + number(tiles - 1) + " - i\n";
    const char* const row = is_turned ? "col" : "row";
    const char* const col = is_turned ? "row" : "col";
    const extent inner = is_turned ? grid.transposed() : grid;
    if (is_bands) {
      body += band_lines(q, in, inner, row, col);
    } else {
      const bool is_rows = kind == "row_major";
      const std::string line = number(is_rows ? inner.cols : inner.rows);
      body +=
          std::string(is_rows ? row : col) + ", " + (is_rows ? col : row) + " = i // " + line + ", i % " + line + "\n";
    }
  }
  body += "# your tile\n";

  const schedule_kind by = schedule_of(q).kind;
  const bool is_loop = by != schedule_kind::one_shot && by != schedule_kind::cluster_launch;
  std::string lines = in.imports + std::string("\n");
  if (is_loop && by != schedule_kind::strided)
    lines += std::string("# ") + name_of(by) + " is C++ alone: these blocks are strided.\n";
  lines += in.kernel + std::string("\ndef kernel(") + (is_table ? in.arguments : "") + "):";
  lines +=
      is_loop ? "  # launched with as many blocks as run at once\n" : "  # launched with " + number(all) + " blocks\n";
  lines += is_loop ? std::string("    for tile_number in range(") + in.block + ", " + number(all) + ", " + in.blocks +
                         "):\n        i = tile_number\n"
                   : std::string("    i = ") + in.block + "\n";
  const std::string indent(is_loop ? 8 : 4, ' ');
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = body.find('\n', at) + 1;
    lines += indent + body.substr(at, end - at);
    at = end;
  }
  return lines;
}

}  // namespace explorer
