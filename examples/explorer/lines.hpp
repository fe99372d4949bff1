#pragma once

#include "asked_order.hpp"

namespace explorer {

/// Returns `{rows, cols}`.
inline std::string pair_text(extent e) {
  return "{" + std::to_string(e.rows) + ", " + std::to_string(e.cols) + "}";
}

/// Returns a type for two expressions, and the table of its order over the grid of tiles or of clusters.
inline std::string typed_code(const asked_order& asked) {
  std::string grid = "grid";
  if (asked.is_clustered()) grid = "heddle::ceil_div(grid, " + pair_text(asked.by.cluster) + ")";
  if (asked.by.transposed) grid += ".transposed()";
  return "struct my_order {\n"
         "  heddle::extent tiles;\n"
         "  __host__ __device__ heddle::extent space() const { return tiles; }\n"
         "  __host__ __device__ int size() const { return tiles.size(); }\n"
         "  __host__ __device__ heddle::coord operator()(int i) const {\n"
         "    [[maybe_unused]] const int rows = tiles.rows, cols = tiles.cols;\n"
         "    return {" +
         asked.row->code() + ", " + asked.col->code() +
         "};\n"
         "  }\n"
         "  __host__ __device__ int index(heddle::coord tile) const {  // the table has it at once\n"
         "    int i = 0;\n"
         "    while (i < size() && !((*this)(i) == tile)) ++i;\n"
         "    return i;\n"
         "  }\n"
         "};\n"
         "const heddle::tile_table::entries entries = heddle::make_tile_table(my_order{" +
         grid +
         "});\n"
         "heddle::tile_table::entry* on_device = nullptr;\n"
         "cudaMalloc(&on_device, entries.bytes());\n"
         "cudaMemcpy(on_device, entries.data(), entries.bytes(), cudaMemcpyHostToDevice);\n";
}

/// Returns the line that names a value, or two where it is long.
inline std::string named(const std::string& name, const std::string& value) {
  const std::string line = "const auto " + name + " = " + value + ";\n";
  return line.size() <= 82 ? line : "const auto " + name + " =\n    " + value + ";\n";
}

/// Returns the line that makes the grid of a problem, or of one plane.
inline std::string grid_code(int rows, const std::string& cols, extent tile) {
  return "const heddle::extent grid = heddle::ceil_div(" + std::to_string(rows) + ", " + cols + ", " + pair_text(tile) +
         ");\n";
}
inline std::string grid_code(const predict::gemm_problem& p) {
  return grid_code(p.m, std::to_string(p.n), {p.tile_m, p.tile_n});
}
inline std::string grid_code(const predict::batched_problem& p) {
  return grid_code(p.plane);
}
inline std::string grid_code(const predict::stencil_problem& p) {
  return grid_code(p.rows, std::to_string(p.cols), {p.tile_rows, p.tile_cols});
}
inline std::string grid_code(const predict::causal_problem& p) {
  return grid_code(p.queries, "/*heads*/ " + std::to_string(p.heads), {p.tile_queries, 1});
}

/// Returns the lines that build an order over the tiles of a problem.
inline std::string order_lines(const asked_order& asked, const predict::grouped_problem& problem) {
  const group_shape shape = problem.shape();
  return "const heddle::group_shape shape{.rows = " + std::to_string(shape.rows) +
         ", .groups = " + std::to_string(shape.groups) + ", .tile_rows = " + std::to_string(shape.tile_rows) +
         ", .cols = " + std::to_string(shape.cols) +
         "};\n"
         "void* prepared = nullptr;\n"
         "cudaMalloc(&prepared, heddle::grouped::state_bytes(shape));\n"
         "const heddle::grouped order{shape, prepared, /*width*/ " +
         std::to_string(asked.by.width) + ", heddle::axis::" + (asked.by.axis == axis::x ? "x" : "y") +
         (asked.by.sequence == group_sequence::heaviest_first ? ", heddle::group_sequence::heaviest_first" : "") +
         "};\n"
         "if (order.prepare_async(ends, stream)) return;  // ends: where each group ends, on the device\n";
}
/// The order of pairs: its typed one is of the folded rectangle.
inline std::string order_lines(const asked_order& asked, const predict::pairs_problem& problem) {
  return "const heddle::triangle pairs = heddle::triangle::pairs(/*things*/ " + std::to_string(problem.things) +
         ", /*width*/ " + std::to_string(problem.tile_things) + ");\n" +
         (asked.by.order == recipe::own ? "const heddle::extent grid = pairs.folded();\n" + typed_code(asked) : "") +
         "const auto order = " + source{asked.by}.triangular("pairs") + ";\n";
}
template <class Problem>
std::string order_lines(const asked_order& asked, const Problem& problem) {
  int planes = 0;
  if constexpr (requires { problem.plane; }) planes = problem.count;
  return grid_code(problem) + (asked.by.order == recipe::own ? typed_code(asked) : "") +
         named("order", source{asked.by}.order("grid", planes));
}

/// Returns the lines that build the order and the scheduler of a question in a host function.
inline std::string host_lines(const question& q) {
  recipe by;
  std::string lines = with_problem(q, [&](const auto& problem) {
    const asked_order asked = order_of(q, problem);
    by = asked.by;
    return order_lines(asked, problem);
  });
  const std::string scheduler = source{by}.scheduler("order", "state");
  if (source{by}.has_state()) {
    const std::string kind = by.schedule == recipe::late_ticket ? "ticket" : to_string(by.schedule);
    const std::string bytes = "heddle::" + kind + "<>::state_bytes()";
    lines += "void* state = nullptr;  // for all launches\ncudaMalloc(&state, " + bytes + ");\ncudaMemset(state, 0, " +
             bytes + ");\n";
  }
  return lines + named("scheduler", scheduler) +
         "if (heddle::launch({.threads = 256, .stream = stream}, kernel, scheduler)) return;\n";
}

/// Returns a kernel that has the order of the question by one line, in the launch of a block per tile that it had;
/// nothing if no line does what the question asks for.
inline std::string one_line(const question& q) {
  const std::string kind = problem_names[q.name("problem", problem_names)];
  const std::string line = with_problem(q, [&](const auto& problem) { return source{order_of(q, problem).by}.line(); });
  if (line.empty() || kind == "groups" || kind == "pairs") return "";
  return "#include <heddle/order/in_bands.hpp>\n"
         "\n"
         "// Launched as before: <<<dim3(cols, rows" +
         std::string(kind == "batch" ? ", planes" : "") +
         "), threads>>>\n"
         "__global__ void kernel() {\n"
         "  " +
         line +
         "\n"
         "  // your tile: row blockIdx.y, column blockIdx.x" +
         (kind == "batch" ? ", plane blockIdx.z" : "") +
         "\n"
         "}\n";
}

/// Returns a kernel of TileLang with a line that orders its blocks; nothing without such a line.
inline std::string tilelang_lines(const std::string& line) {
  if (line.empty()) return "";
  return "import tilelang.language as T\n"
         "\n"
         "# Your kernel, with one line more:\n"
         "with T.Kernel(cols, rows, threads=256) as (col, row):\n"
         "    " +
         line + "\n    # your tile\n";
}

/// Returns a kernel in the language of the question, for Triton, TileLang or CuTe DSL, that takes the tiles in its
/// order; nothing if the language has no lines for it.
inline std::string python_lines(const question& q) {
  constexpr const char* languages[] = {"cute", "triton", "tilelang"};
  const std::string language = languages[q.name("language", languages)];
  return with_problem(q, [&](const auto& problem) -> std::string {
    const recipe by = order_of(q, problem).by;
    if constexpr (requires { problem.plane; }) {
      return language == "tilelang" ? "" : source{by}.kernel(language, problem.plane.grid(), problem.count);
    } else if constexpr (requires { problem.grid(); }) {
      if (language == "tilelang") return tilelang_lines(source{by}.line(language));
      const std::string line = language == "triton" ? source{by}.line(language) : "";
      return (line.empty() ? "" : "# In one line, of the grid's rows and cols: " + line + "\n\n") +
             source{by}.kernel(language, problem.grid());
    } else {
      return "";  // groups whose sizes the device knows need heddle::grouped, pairs heddle::triangular
    }
  });
}

/// Returns the kernel that takes any of these schedulers.
inline std::string kernel_lines(const question& q) {
  const std::string kind = problem_names[q.name("problem", problem_names)];
  const std::string tile = kind == "batch"    ? "[plane, row, col]"
                           : kind == "groups" ? "[group, row, col]"
                                              : "[row, col]";
  return "#include <heddle/order.hpp>\n"
         "#include <heddle/schedule.hpp>\n"
         "\n"
         "template <heddle::tile_scheduler Scheduler>\n"
         "__global__ void kernel(const __grid_constant__ Scheduler scheduler) {\n"
         "  __shared__ heddle::static_shared<typename Scheduler::storage> shared;\n"
         "  for (const auto " +
         tile +
         " : scheduler.tiles(shared)) {\n"
         "    // your tile\n"
         "  }\n"
         "}\n";
}

}  // namespace explorer
