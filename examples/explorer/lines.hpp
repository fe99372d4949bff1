#pragma once

#include "question.hpp"

namespace explorer {

/// Returns `{rows, cols}`.
inline std::string pair_text(extent e) {
  return "{" + std::to_string(e.rows) + ", " + std::to_string(e.cols) + "}";
}

/// Returns the expression that builds the order of a question, over a grid of this name.
inline std::string order_code(const question& q, std::string grid) {
  const extent cluster = cluster_of(q);
  const bool is_clustered = cluster.size() > 1;
  const std::string tiles = grid;
  if (is_clustered) grid = "heddle::ceil_div(" + grid + ", " + pair_text(cluster) + ")";
  const bool is_turned = q.is("transposed", "1");
  if (is_turned) grid += ".transposed()";

  const std::string kind = q.text("order");
  std::string code = kind == "own"            ? "heddle::tile_table{" + grid + ", on_device}"
                     : kind == "column_major" ? "heddle::column_major{" + grid + "}"
                     : kind == "morton"       ? "heddle::morton{" + grid + "}"
                                              : code_of(choice_of(q), grid);
  if (is_turned) code = "heddle::transposed{" + code + "}";
  if (q.is("reversed", "1")) code = "heddle::reversed{" + code + "}";
  if (q.has("first")) code = "heddle::rotated{" + code + ", /*first*/ " + q.text("first") + "}";
  if (is_clustered) code = "heddle::clustered{" + code + ", /*cluster*/ " + pair_text(cluster) + ", " + tiles + "}";
  if (q.is("problem", "batch")) {
    code = "heddle::batched{" + code + ", /*count*/ " + std::to_string(q.number("count", 1));
    if (q.number("interleave", 1) > 1) code += ", /*interleave*/ " + q.text("interleave");
    code += "}";
  }
  return code;
}

/// Returns a type for the two expressions of a question, and the table of its order.
inline std::string typed_code(const question& q, const std::string& grid) {
  return "struct my_order {\n"
         "  heddle::extent tiles;\n"
         "  __host__ __device__ heddle::extent grid() const { return tiles; }\n"
         "  __host__ __device__ int size() const { return tiles.size(); }\n"
         "  __host__ __device__ heddle::coord operator()(int i) const {\n"
         "    [[maybe_unused]] const int rows = tiles.rows, cols = tiles.cols;\n"
         "    return {" +
         q.text("row") + ", " + q.text("col") +
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

/// Returns the lines that build the order and the schedule of a question in a host function.
inline std::string host_lines(const question& q) {
  std::string lines;
  const auto tile = [&](const char* rows, const char* cols, const char* tile_rows, const char* tile_cols) {
    return "const heddle::extent grid = heddle::ceil_div(" + q.text(rows) + ", " + q.text(cols) + ", {" +
           q.text(tile_rows) + ", " + q.text(tile_cols) + "});\n";
  };
  if (q.is("problem", "groups")) {
    const auto shape = with_problem(q, [](const auto& problem) {
      if constexpr (requires { problem.ends(); }) {
        return problem.shape();
      } else {
        return group_shape{};
      }
    });
    lines = "const heddle::group_shape shape{.rows = " + std::to_string(shape.rows) +
            ", .groups = " + std::to_string(shape.groups) + ", .tile_rows = " + std::to_string(shape.tile_rows) +
            ", .cols = " + std::to_string(shape.cols) +
            "};\n"
            "void* prepared = nullptr;\n"
            "cudaMalloc(&prepared, heddle::grouped::state_bytes(shape));\n"
            "const heddle::grouped order{shape, prepared, /*width*/ " +
            std::to_string(q.number("width", 8)) + ", heddle::axis::" + (q.is("axis", "x") ? "x" : "y") +
            (q.is("sequence", "heaviest_first") ? ", heddle::group_sequence::heaviest_first" : "") +
            "};\n"
            "if (order.prepare_async(ends, stream)) return;  // ends: where each group ends, on the device\n";
  } else {
    lines = q.is("problem", "stencil")  ? tile("rows", "cols", "tile_rows", "tile_cols")
            : q.is("problem", "causal") ? "const heddle::extent grid{(" + q.text("queries") + " - 1) / " +
                                              q.text("tile_queries") + " + 1, /*heads*/ " + q.text("heads") + "};\n"
                                        : tile("m", "n", "tile_m", "tile_n");
    if (q.is("order", "own")) {
      const extent cluster = cluster_of(q);
      std::string grid = cluster.size() > 1 ? "heddle::ceil_div(grid, " + pair_text(cluster) + ")" : "grid";
      if (q.is("transposed", "1")) grid += ".transposed()";
      lines += typed_code(q, grid);
    }
    lines += "const auto order = " + order_code(q, "grid") + ";\n";
  }
  const predict::schedule_choice by = schedule_of(q);
  const std::string scheduler = code_of(by, "order", "state");
  if (scheduler.find("state") != std::string::npos) {
    const std::string bytes = std::string("heddle::") + name_of(by.kind) + "<>::state_bytes()";
    lines += "void* state = nullptr;  // for all launches\ncudaMalloc(&state, " + bytes + ");\ncudaMemset(state, 0, " +
             bytes + ");\n";
  }
  return lines + "const auto scheduler = " + scheduler +
         ";\n"
         "if (heddle::launch({.threads = 256, .stream = stream}, kernel, scheduler)) return;\n";
}

/// Returns the kernel that takes any of these schedulers.
inline std::string kernel_lines(const question& q) {
  const std::string tile = q.is("problem", "batch")    ? "[plane, row, col]"
                           : q.is("problem", "groups") ? "[group, row, col]"
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
