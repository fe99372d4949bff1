#pragma once

#include <algorithm>
#include <string>

#include <heddle/recipe/detail/index_lines.hpp>
#include <heddle/recipe/text.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Writes the source text of a recipe, to paste.
///
/// **Example** (examples/01_order/which_order.cpp):
///
///     std::printf("  const auto order = %s;\n", heddle::source{of_product}.order("grid").c_str());
struct source {
  recipe by;  // what is written

  /// Returns the one line that gives this order to a kernel of a block per tile, in "cuda", "triton" or "tilelang", or
  /// nothing if no such line does what the recipe says: offer it before any other. CUDA's takes bands of either kind,
  /// reversed and in clusters too, in the launch that the kernel had. Triton's function for bands is plain, and takes
  /// `rows` and `cols` of the grid, launched in one dimension; TileLang's is serpentine.
  ///
  /// **Preconditions**: the recipe is that of a grid, or of planes that are the launch's z.
  /// **Example** (examples/01_order/which_order.cpp):
  ///
  ///     std::printf("  %s\n", heddle::source{of_filter}.line().c_str());  // the line that the kernel takes
  std::string line(const std::string& language = "cuda") const {
    const bool is_serpentine = by.order == recipe::cta_swizzle;
    const bool is_plain = by.order == recipe::thread_group_tiling && !by.reversed;
    const bool is_y = (by.axis == axis::y) != by.transposed, is_clustered = by.cluster.size() > 1;
    const bool is_of_blocks = by.has_axis() && by.schedule == recipe::one_shot && by.first == 0 && by.interleave == 1;
    const long long blocks = 1LL * by.width * (is_y ? by.cluster.rows : by.cluster.cols);
    const std::string width = std::to_string((std::min)(blocks, 0x7fffffffLL));
    if (language == "cuda") {
      if (!is_of_blocks) return "";
      if (is_plain)
        return "const auto blockIdx = heddle::in_bands<" + width + (is_y ? ", heddle::axis::y>();" : ">();");
      return "const auto blockIdx = heddle::in_bands({.width = " + width + (is_y ? ", .axis = heddle::axis::y" : "") +
             (is_serpentine ? ", .serpentine = true" : "") + (by.reversed ? ", .reversed = true" : "") + "});";
    }
    const bool is_simple = is_of_blocks && !by.reversed && !is_clustered;
    if (language == "triton") {
      if (!is_simple || !is_plain) return "";
      return (is_y ? "row, col = tl.swizzle2d(0, tl.program_id(0), rows, cols, "
                   : "col, row = tl.swizzle2d(0, tl.program_id(0), cols, rows, ") +
             width + ")";
    }
    if (language != "tilelang") detail::refuse_language(language, "cuda, triton or tilelang");
    if (!is_simple || !is_serpentine) return "";
    return "T.use_swizzle(panel_size=" + width + (is_y ? ", order=\"row\")" : ", order=\"column\")");
  }

  /// Returns the C++ that builds the order: "heddle::cta_swizzle{grid, /*width*/ 16, heddle::axis::x}". It
  /// says `on_device` for the table of an order of the user's own. With `planes` it is that of a batch.
  ///
  /// **Preconditions**: `grid` is an expression, of a `heddle::extent`, where the text is pasted.
  std::string order(const std::string& grid, int planes = 0) const {
    const bool has_clusters = by.cluster.size() > 1;
    std::string places = grid;
    if (has_clusters) places = "heddle::ceil_div(" + places + ", " + text_of(by.cluster) + ")";
    if (by.transposed) places += ".transposed()";
    std::string text = by.order == recipe::own ? "heddle::tile_table{" + places + ", on_device"
                                               : "heddle::" + to_string(by.order) + "{" + places;
    if (by.has_step()) text += ", /*step*/ " + text_of(by.step);
    if (by.has_width()) text += ", /*width*/ " + std::to_string(by.width);
    if (by.has_axis()) text += by.axis == axis::x ? ", heddle::axis::x" : ", heddle::axis::y";
    text += "}";
    if (by.transposed) text = "heddle::transposed{" + text + "}";
    text = turned(text);
    const std::string count = std::to_string(planes);
    if (planes > 0) {
      text = "heddle::batched{" + text + ", /*count*/ " + count;
      if (by.interleave > 1) text += ", /*interleave*/ " + std::to_string(by.interleave);
      text += "}";
    }
    if (!has_clusters) return text;
    const std::string tiles = planes > 0 ? "heddle::batch{" + count + ", " + grid + "}" : grid;
    return "heddle::clustered{" + text + ", /*cluster*/ " + text_of(by.cluster) + ", " + tiles + "}";
  }

  /// Returns the C++ that builds the order of a triangle without full rows, as `triangle::pairs` makes it: the order
  /// of the rectangle to which it folds, around it `reversed` and `rotated`. Clusters are refused.
  ///
  /// **Preconditions**: `space` is an expression, of a `heddle::triangle`, where the text is pasted.
  /// **Example** (tests/recipe/source.cpp):
  ///
  ///     CHECK(source{{}}.triangular("pairs") == "heddle::triangular{heddle::row_major{pairs.folded()}, pairs}");
  std::string triangular(const std::string& space) const {
    detail::require_equal(1, "heddle::source: blocks of a cluster", by.cluster.size());
    source inside = *this;
    inside.by.reversed = false, inside.by.first = 0;
    const std::string text = "heddle::triangular{" + inside.order(space + ".folded()") + ", " + space + "}";
    return turned(text);
  }

  /// Returns the C++ that builds the scheduler over an order: "heddle::ticket{order, state}".
  ///
  /// **Preconditions**: `order` and `state` are expressions where the text is pasted; `state` points to
  /// `state_bytes()` bytes of the scheduler on the device, zeroed once. stream_k takes `steps`, those of a tile.
  std::string scheduler(const std::string& order, const std::string& state) const {
    if (by.schedule == recipe::late_ticket) return "heddle::draws_late{heddle::ticket{" + order + ", " + state + "}}";
    std::string text = "heddle::" + to_string(by.schedule) + "{" + order;
    if (by.schedule == recipe::stream_k) text += ", steps, /*sharers*/ " + std::to_string(by.sharers);
    if (has_state()) text += ", " + state;
    if (by.schedule == recipe::sm_affine) text += ", /*run*/ " + std::to_string(by.run);
    return text + "}";
  }

  /// Returns whether the scheduler has a state on the device.
  bool has_state() const {
    return by.schedule == recipe::ticket || by.schedule == recipe::late_ticket || by.schedule == recipe::sm_affine ||
           by.schedule == recipe::work_stealing || by.schedule == recipe::stream_k;
  }

  /// Returns a function that computes the order in a kernel, in "cuda", "triton" or "cute": of an index of this grid,
  /// or of a batch of `planes` such grids. An order of the user's own is its table, and clusters are the launch's: both
  /// are refused.
  ///
  /// **Example** (tests/recipe/source.cpp):
  ///
  ///     CHECK(source{{}}.tile_of("triton", {2, 3}) ==
  ///           "@triton.jit\ndef tile_of(i):  # row_major\n    row = i // 3\n    col = i % 3\n    return row, col\n");
  std::string tile_of(const std::string& language, extent grid, int planes = 0) const {
    detail::require_equal(1, "heddle::source: blocks of a cluster", by.cluster.size());
    return detail::function_of(language, detail::index_lines(by, grid, planes), planes > 0, to_string(by));
  }

  /// Returns a kernel in "triton" or "cute" that takes the tiles of a grid, or of a batch of `planes` such grids.
  /// Curves and clusters are read from `tiles`, which is what `make_tile_table` fills.
  std::string kernel(const std::string& language, extent grid, int planes = 0) const {
    const bool is_triton = language == "triton";
    const auto text = [](long long n) { return std::to_string(n); };
    const bool is_table = by.cluster.size() > 1 || any_order<>::needs_table(by);
    const long long tiles = 1LL * grid.rows * grid.cols, all = tiles * (std::max)(1, planes);
    std::string body =
        detail::python_lines(language, is_table ? "" : detail::index_lines(by, grid, planes), "triton or cute");
    if (is_table) {
      body = std::string("tile = ") + (is_triton ? "tl.load(tiles + 2 * i)" : "tiles[2 * i]") +
             "  # tiles: what heddle::make_tile_table(order) fills in C++\n";
      if (planes > 0) body += "plane, tile = tile // " + text(tiles) + ", tile % " + text(tiles) + "\n";
      body += "row, col = tile // " + text(grid.cols) + ", tile % " + text(grid.cols) + "\n";
    }
    body += "# your tile\n";

    const std::string block = is_triton ? "tl.program_id(0)" : "cute.arch.block_idx()[0]";
    const std::string blocks = is_triton ? "tl.num_programs(0)" : "cute.arch.grid_dim()[0]";
    const bool is_loop = by.schedule != recipe::one_shot && by.schedule != recipe::cluster_launch;
    std::string lines = is_triton ? "import triton\nimport triton.language as tl\n\n"
                                  : "import cutlass\nimport cutlass.cute as cute\n\n";
    if (is_loop && by.schedule != recipe::strided)
      lines += "# " + to_string(by.schedule) + " is C++ alone: these blocks are strided.\n";
    lines += is_triton ? "@triton.jit\ndef kernel(" : "@cute.kernel\ndef kernel(";
    if (is_table) lines += is_triton ? "tiles" : "tiles: cute.Tensor";
    lines += is_loop ? "):  # launched with as many blocks as run at once\n"
                     : "):  # launched with " + text(all) + " blocks\n";
    lines += is_loop ? "    for tile_number in range(" + block + ", " + text(all) + ", " + blocks +
                           "):\n        i = tile_number\n"
                     : "    i = " + block + "\n";
    return lines + detail::indented(body, is_loop ? 8 : 4);
  }

 private:
  /// Returns an order from its end, and from its tile `first` on.
  std::string turned(std::string text) const {
    if (by.reversed) text = "heddle::reversed{" + text + "}";
    return by.first > 0 ? "heddle::rotated{" + text + ", /*first*/ " + std::to_string(by.first) + "}" : text;
  }

  static std::string text_of(extent pair) {
    return "{" + std::to_string(pair.rows) + ", " + std::to_string(pair.cols) + "}";
  }
};

}}  // namespace heddle::HEDDLE_ABI
