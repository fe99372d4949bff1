#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "page/chart.hpp"
#include "page/figures.hpp"

// What is shown of figures, as a table says it: which rows, which columns, and which chart.

namespace heddle_bench {

/// Rows that are meant, and a field of them. `where` has conditions with ; between them, all of which hold:
///
///   contender=cublas|cublaslt    the field is one of these
///   held!0                       it is another one
///   row~uniform                  it has this part
///
/// Of several rows the least number counts, or the most of a rate. With `by` the row counts whose field `by` is least.
struct pick {
  std::string field = "", where = "", by = "";
};

/// What the numbers of a column are.
enum class meaning {
  time,  // less is better; compared with the figure of record
  rate,  // more is better; compared
  gain,  // how many times as fast heddle is as the baseline of the column
  plain  // a number or words, for information
};

/// A column. A name in braces stands for the field of that name: such a column becomes one for each value, {keys}
/// branches. The number is `of`, divided by `over` if it has a field.
struct column {
  std::string name;
  meaning means = meaning::time;
  pick of = {}, over = {};
  bool drawn = true;    // in the chart; the table has all columns
  bool dashed = false;  // in a chart of lines
};

enum class draw_as { nothing, bars, dots, lines, points };

/// A table with its chart.
struct view {
  std::string heading = "";  // of the chart, and of the table
  std::string unit = "";     // of what is drawn, and which way is better
  std::string rows = "";     // the names of rows, with fields in braces
  std::string where = "";    // which rows
  std::vector<column> columns = {};
  draw_as as = draw_as::nothing;
  std::string x = "", x_name = "";  // the field over which lines are drawn
  double scale_of_x = 1, line = 0;
  std::string plot = "";  // the picture of docs/plots that is this chart, of the figures of record
  int width = 560;        // of that picture
  bool tabled = true;
};

/// The figures of a view: cells by row and column, in their order.
struct cells {
  struct cell {
    double number = no_number;
    std::string words = "";
  };
  std::vector<std::string> rows, columns;
  std::vector<column> kinds;  // the column that each was made from
  std::map<std::pair<std::string, std::string>, cell> all;
  std::map<std::string, double> x;  // by row

  const cell& at(const std::string& row, const std::string& name) const {
    static const cell none;
    const auto found = all.find({row, name});
    return found == all.end() ? none : found->second;
  }
  double number(const std::string& row, const std::string& name) const { return at(row, name).number; }
};

/// Whether a row is one of those that conditions mean.
inline bool is_meant(const fields& row, const std::string& where) {
  for (std::size_t begin = 0; begin < where.size();) {
    const std::size_t end = std::min(where.find(';', begin), where.size());
    const std::string condition = where.substr(begin, end - begin);
    const std::size_t at = condition.find_first_of("=!~");
    const std::string value = row.word(condition.substr(0, at)), wanted = condition.substr(at + 1);
    const bool is_one = ("|" + wanted + "|").find("|" + value + "|") != std::string::npos;
    if (condition[at] == '~' ? value.find(wanted) == std::string::npos : is_one != (condition[at] == '=')) return false;
    begin = end + 1;
  }
  return true;
}

/// A text with fields in place of what is in braces, or nothing if the row lacks one.
inline std::optional<std::string> filled(std::string text, const fields& row) {
  for (std::size_t at; (at = text.find('{')) != std::string::npos;) {
    const std::size_t end = text.find('}', at);
    const std::string* const value = row.find(text.substr(at + 1, end - at - 1));
    if (value == nullptr) return {};
    text.replace(at, end + 1 - at, *value);
  }
  return text;
}

/// The cells of a view over rows of figures.
inline cells cells_of(const view& shown, const std::vector<fields>& rows) {
  cells found;
  struct least {
    double number = no_number, by = no_number;
    std::string words;
  };
  using place = std::pair<std::string, std::string>;
  std::map<place, std::pair<least, least>> parts;
  std::vector<std::pair<std::string, const fields*>> meant;
  for (const fields& row : rows) {
    if (!is_meant(row, shown.where)) continue;
    if (const auto name = filled(shown.rows, row)) meant.emplace_back(*name, &row);
  }
  const auto add = [](std::vector<std::string>& all, const std::string& name) {
    if (std::find(all.begin(), all.end(), name) != all.end()) return false;
    all.push_back(name);
    return true;
  };
  for (const column& each : shown.columns) {
    if (each.name.find('{') == std::string::npos && add(found.columns, each.name)) found.kinds.push_back(each);
    const auto note = [&](least& so_far, const pick& wanted, const fields& row) {
      const std::string* const text = row.find(wanted.field);
      if (text == nullptr || !is_meant(row, wanted.where)) return false;
      const double number = row.number(wanted.field), by = wanted.by.empty() ? number : row.number(wanted.by);
      if (!wanted.by.empty() && std::isnan(by)) return false;
      const bool is_better = each.means == meaning::rate && wanted.by.empty() ? by > so_far.by : by < so_far.by;
      if (std::isnan(so_far.by) || is_better) so_far = {number, by, *text};
      return true;
    };
    for (const auto& [name, row] : meant) {
      const auto of_column = filled(each.name, *row);
      if (!of_column) continue;
      auto& [of, over] = parts[{name, *of_column}];
      const bool is_of = note(of, each.of, *row), is_over = !each.over.field.empty() && note(over, each.over, *row);
      if (!is_of && !is_over) continue;
      if (add(found.columns, *of_column)) found.kinds.push_back(each);
      if (const double x = row->number(shown.x) * shown.scale_of_x; std::isfinite(x)) found.x[name] = x;
    }
  }
  for (const auto& [name, row] : meant) {  // in the order of the file
    bool is_there = false;
    for (std::size_t i = 0; i < found.columns.size(); ++i) {
      const auto part = parts.find({name, found.columns[i]});
      if (part == parts.end()) continue;
      const auto& [of, over] = part->second;
      const bool is_ratio = !found.kinds[i].over.field.empty();
      const double number = is_ratio ? of.number / over.number : of.number;
      if (is_ratio && !std::isfinite(number)) continue;
      if (of.words.empty()) continue;
      found.all[part->first] = {number, is_ratio ? "" : of.words};
      is_there = true;
    }
    if (is_there) add(found.rows, name);
  }
  return found;
}

/// The lines of a view, each over the x of its rows.
inline std::vector<series> lines_of(const view& shown, const cells& of) {
  std::vector<series> lines;
  for (std::size_t i = 0; i < of.columns.size(); ++i) {
    if (!of.kinds[i].drawn) continue;
    series line{of.columns[i], {}, of.kinds[i].dashed, shown.as == draw_as::lines};
    for (const std::string& row : of.rows) {
      const double y = of.number(row, of.columns[i]);
      if (const auto x = of.x.find(row); x != of.x.end() && x->second > 0 && y > 0)
        line.points.push_back({x->second, y});
    }
    std::sort(line.points.begin(), line.points.end(),
              [](const auto& one, const auto& other) { return one.x < other.x; });
    lines.push_back(line);
  }
  return lines;
}

}  // namespace heddle_bench
