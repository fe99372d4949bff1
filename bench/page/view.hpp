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
  std::string heading = "";  // of the chart, and of the table, folded or in its corner
  std::string unit = "";     // of what is drawn, and which way is better
  std::string rows = "";     // the names of rows, with fields in braces
  std::string where = "";    // which rows
  std::vector<column> columns = {};
  draw_as as = draw_as::nothing;
  std::string x = "", x_name = "";  // the field over which lines are drawn, and what the axis says
  double line = 0;                  // a line across the chart; 0 is none
  std::string plot = "";            // the picture of docs/plots that is this chart, of the figures of record
  bool tabled = true;
};

/// The figures of a view: cells by row and column, in their order.
struct cells {
  struct cell {
    double number = no_number;
    std::string words = "";
    double by = no_number;  // what decided between rows
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
  using place = std::pair<std::string, std::string>;
  cells found;
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
    std::map<place, cells::cell> of, over;
    const auto note = [&](std::map<place, cells::cell>& cell, const place& at, const pick& wanted, const fields& row) {
      const std::string* const text = row.find(wanted.field);
      const double number = row.number(wanted.field), by = wanted.by.empty() ? number : row.number(wanted.by);
      if (text == nullptr || !is_meant(row, wanted.where) || (!wanted.by.empty() && std::isnan(by))) return;
      const auto [so_far, is_first] = cell.insert({at, {number, *text, by}});
      const bool is_better = each.means == meaning::rate ? by > so_far->second.by : by < so_far->second.by;
      if (is_better) so_far->second = {number, *text, by};
    };
    for (const auto& [name, row] : meant) {
      const auto of_column = filled(each.name, *row);
      if (!of_column) continue;
      const place at{name, *of_column};
      note(of, at, each.of, *row);
      if (!each.over.field.empty()) note(over, at, each.over, *row);
      if (of.count(at) != 0 && add(found.columns, *of_column)) found.kinds.push_back(each);
      if (const double x = row->number(shown.x); std::isfinite(x)) found.x[name] = x;
    }
    for (auto& [at, cell] : of) {
      if (!each.over.field.empty()) cell = {cell.number / over[at].number, ""};
      if (each.over.field.empty() || std::isfinite(cell.number)) found.all[at] = cell;
    }
  }
  for (const auto& [name, row] : meant) {  // in the order of the file
    const auto first = found.all.lower_bound({name, ""});
    if (first != found.all.end() && first->first.first == name) add(found.rows, name);
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

/// A section of the page: the figures of the files that are NAME.json or begin with NAME_.
struct benchmark {
  std::string name, title, text;
  std::string baselines;  // the best of which heddle is compared with, in words; of what has none it is empty
  std::vector<view> views;
};

/// The table of all that is shown, in the order of the page.
const std::vector<benchmark>& benchmarks();

/// The table of docs/expand.md.
view table_of_expansion();

}  // namespace heddle_bench
