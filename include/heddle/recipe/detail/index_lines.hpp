#pragma once

#include <algorithm>
#include <string>

#include <heddle/recipe/any_order.hpp>
#include <heddle/recipe/detail/text_lines.hpp>
#include <heddle/recipe/text.hpp>

/// Statements over ints that make a tile of an index `i`, as text: assignments, `while` and `if`, which Python, Triton
/// and CuTe DSL read alike. No value on the way leaves 32 bits.
namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// The two variables that have the tile.
struct tile_names {
  std::string row = "row", col = "col";

  tile_names turned() const { return {col, row}; }
};

inline std::string row_major_lines(extent grid, const tile_names& to) {
  const int cols = (std::max)(1, grid.cols);
  return lines().add(to.row, " = i // ", cols).add(to.col, " = i % ", cols).text();
}

inline std::string band_lines(extent grid, int width, axis along_axis, bool is_serpentine, const tile_names& to) {
  const bool is_of_rows = along_axis == axis::y;
  const int breadth = is_of_rows ? grid.rows : grid.cols;
  const int length = (std::max)(1, is_of_rows ? grid.cols : grid.rows);
  width = std::clamp(width, 1, (std::max)(1, breadth));
  const std::string& across = is_of_rows ? to.row : to.col;
  const std::string& along = is_of_rows ? to.col : to.row;
  std::string wide = std::to_string(width);
  lines all;
  all.add("band = i // ", 1LL * width * length).add("i = i % ", 1LL * width * length);
  if (breadth % width != 0) {
    all.add("wide = min(", width, ", ", breadth, " - band * ", width, ")");
    wide = "wide";
  }
  all.add(along, " = i // ", wide).add(across, " = band * ", width, " + i % ", wide);
  if (is_serpentine && width < breadth) {
    all.add(along, " = ", along, " + band % 2 * (", length - 1, " - 2 * ", along, ")  # every other band backwards");
  }
  return all.text();
}

inline std::string morton_lines(extent grid, const tile_names& to) {
  long long half = 1;
  while (2 * half < (std::max)(grid.rows, grid.cols)) half *= 2;
  return lines()
      .add("rows = ", grid.rows)
      .add("cols = ", grid.cols)
      .add("half = ", half)
      .add(to.row, " = 0")
      .add(to.col, " = 0")
      .add("while half > 0:")
      .add("    top = min(rows, half)")
      .add("    left = min(cols, half)")
      .add("    below = min(i // (top * cols), 1)")
      .add("    i = i - below * top * cols")
      .add("    ", to.row, " = ", to.row, " + below * half")
      .add("    rows = top + below * (rows - top - top)")
      .add("    right = min(i // (rows * left), 1)")
      .add("    i = i - right * rows * left")
      .add("    ", to.col, " = ", to.col, " + right * half")
      .add("    cols = left + right * (cols - left - left)")
      .add("    half = half // 2")
      .text();
}

inline std::string hilbert_lines(extent grid, const tile_names& to) {
  const bool is_high = grid.rows > grid.cols;
  lines all;
  const auto advance = [&](const char* indent) {
    all.add(indent, to.row, " = ", to.row, " + sign * (up + turned * (along - up))")
        .add(indent, to.col, " = ", to.col, " + sign * (along + turned * (up - along))");
  };
  all.add("length = ", is_high ? grid.rows : grid.cols)
      .add("height = ", is_high ? grid.cols : grid.rows)
      .add("turned = ", is_high ? 1 : 0)
      .add("sign = 1")
      .add(to.row, " = 0")
      .add(to.col, " = 0")
      .add("while min(length, height) > 1:")
      .add("    near = length // 2")
      .add("    low = height // 2")
      .add("    along = 0")
      .add("    up = 0")
      .add("    turns = 0")
      .add("    backwards = 1")
      .add("    if length > height + low:  # two parts, one after the other")
      .add("        near = near + near % 2")
      .add("        if i < near * height:")
      .add("            length = near")
      .add("        else:")
      .add("            i = i - near * height")
      .add("            along = near")
      .add("            length = length - near")
      .add("    else:  # three: up, along, and down")
      .add("        low = low + min(height // 3, 1) * (low % 2)")
      .add("        if i < near * low:")
      .add("            turns = 1")
      .add("            length = low")
      .add("            height = near")
      .add("        else:")
      .add("            i = i - near * low")
      .add("            if i < length * (height - low):")
      .add("                up = low")
      .add("                height = height - low")
      .add("            else:")
      .add("                i = i - length * (height - low)")
      .add("                along = length - 1")
      .add("                up = low - 1")
      .add("                turns = 1")
      .add("                backwards = -1")
      .add("                height = length - near")
      .add("                length = low");
  advance("    ");
  all.add("    turned = turned + turns * (1 - 2 * turned)")
      .add("    sign = sign * backwards")
      .add("up = i * min(height - 1, 1)")
      .add("along = i - up");
  advance("");
  return all.text();
}

/// Returns the lines that make the class of a place among numbers sorted by their remainder, and the members of the
/// class.
inline std::string residue_lines(const std::string& of, int n, int step) {
  const int longer = n % step, shorter = n / step, long_end = longer * (shorter + 1);
  lines all;
  if (shorter == 0) return all.add(of, "_class = place").add(of, "_count = 1").text();
  if (longer == 0) return all.add(of, "_class = place // ", shorter).add(of, "_count = ", shorter).text();
  return all
      .add(of, "_class = min(place // ", shorter + 1, ", ", longer, ") + (place - min(place, ", long_end, ")) // ",
           shorter)
      .add(of, "_count = ", shorter + 1, " - min(", of, "_class // ", longer, ", 1)")
      .text();
}

inline std::string dilated_lines(extent grid, extent step, int width, const tile_names& to) {
  const int rows = (std::max)(1, grid.rows), cols = (std::max)(1, grid.cols);
  const auto begin = [](const char* of, int n, int by) {  // the members of earlier classes
    const std::string name = std::string(of) + "_class";
    return "(" + name + " * " + std::to_string(n / by) + " + min(" + name + ", " + std::to_string(n % by) + "))";
  };
  return lines().add("place = i // ", cols).text() + residue_lines("row", rows, step.rows) +
         lines().add("i = i - ", begin("row", rows, step.rows), " * ", cols).add("place = i // row_count").text() +
         residue_lines("col", cols, step.cols) +
         lines()
             .add("i = i - ", begin("col", cols, step.cols), " * row_count")
             .add("strip = i // row_count // ", width, " * ", width)
             .add("i = i - strip * row_count")
             .add("wide = min(", width, ", col_count - strip)")
             .add(to.row, " = row_class + i // wide * ", step.rows)
             .add(to.col, " = col_class + (strip + i % wide) * ", step.cols)
             .text();
}

/// Returns the lines that turn the index of a batch into a plane and an index in it.
inline std::string plane_lines(int planes, int interleave, int tiles) {
  tiles = (std::max)(1, tiles);
  const int turn = (std::min)(interleave, planes);
  if (turn <= 1) return lines().add("plane = i // ", tiles).add("i = i % ", tiles).text();
  std::string each = std::to_string(turn);
  lines all;
  all.add("section = i // ", 1LL * turn * tiles).add("i = i % ", 1LL * turn * tiles);
  if (planes % turn != 0) {
    all.add("planes = min(", turn, ", ", planes, " - section * ", turn, ")");
    each = "planes";
  }
  return all.add("plane = section * ", turn, " + i % ", each).add("i = i // ", each).text();
}

inline std::string reversed_lines(int tiles) {
  return lines().add("i = ", tiles - 1LL, " - i").text();
}

inline std::string rotated_lines(int first, int tiles) {
  if (tiles == 0 || first % tiles == 0) return "";
  return lines().add("i = i - min(i // ", tiles - first, ", 1) * ", tiles, " + ", first).text();
}

/// Returns the lines that make a tile of an index of a grid, or of a batch of `planes` such grids.
inline std::string index_lines(const recipe& by, extent grid, int planes, tile_names to = {}) {
  std::string body;
  if (planes > 0) body += plane_lines(planes, by.interleave, grid.size());
  body += rotated_lines(by.first, grid.size());
  if (by.reversed) body += reversed_lines(grid.size());
  const extent inner = by.transposed ? grid.transposed() : grid;
  if (by.transposed) to = to.turned();
  switch (by.order) {
    case recipe::row_major:
      return body + row_major_lines(inner, to);
    case recipe::column_major:
      return body + row_major_lines(inner.transposed(), to.turned());
    case recipe::thread_group_tiling:
      return body + band_lines(inner, by.width, by.axis, false, to);
    case recipe::cta_swizzle:
      return body + band_lines(inner, by.width, by.axis, true, to);
    case recipe::hilbert:
      return body + hilbert_lines(inner, to);
    case recipe::morton:
      return body + morton_lines(inner, to);
    case recipe::dilated:
      return body + dilated_lines(inner, by.step, by.width, to);
    default:
      break;
  }
  refuse("heddle::source: ", (to_string(by.order) + " is read from its table").c_str());
}

}}}  // namespace heddle::HEDDLE_ABI::detail
