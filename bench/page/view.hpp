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

struct condition {
  std::string name, wanted;
  char sign;
};

inline std::vector<condition> conditions(const std::string& where) {
  std::vector<condition> all;
  for (std::size_t begin = 0, end; begin < where.size(); begin = end + 1) {
    const std::size_t at = where.find_first_of("=!~", begin);
    end = std::min(where.find(';', at), where.size());
    all.push_back({where.substr(begin, at - begin), where.substr(at + 1, end - at - 1), where[at]});
  }
  return all;
}

/// Whether a row is one of those that conditions mean.
inline bool is_meant(const fields& row, const std::vector<condition>& all) {
  return std::all_of(all.begin(), all.end(), [&](const condition& each) {
    const std::string value = row.word(each.name);
    if (each.sign == '~') return value.find(each.wanted) != std::string::npos;
    return (("|" + each.wanted + "|").find("|" + value + "|") != std::string::npos) == (each.sign == '=');
  });
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
  std::vector<std::pair<std::string, const fields*>> meant;
  const std::vector<condition> where = conditions(shown.where);
  for (const fields& row : rows) {
    if (!is_meant(row, where)) continue;
    const auto name = filled(shown.rows, row);
    if (!name) continue;
    meant.emplace_back(*name, &row);
    if (const double x = row.number(shown.x); std::isfinite(x)) found.x[*name] = x;
  }
  const auto add = [](std::vector<std::string>& all, const std::string& name) {
    if (std::find(all.begin(), all.end(), name) != all.end()) return false;
    all.push_back(name);
    return true;
  };
  const auto least = [&](const column& each, const pick& wanted) {
    std::map<std::pair<std::string, std::string>, cells::cell> best;
    const std::vector<condition> all = conditions(wanted.where);
    for (const auto& [name, row] : meant) {
      const auto of_column = filled(each.name, *row);
      const std::string* const text = row->find(wanted.field);
      if (!of_column || text == nullptr || !is_meant(*row, all)) continue;
      const double number = row->number(wanted.field), by = wanted.by.empty() ? number : row->number(wanted.by);
      if (!wanted.by.empty() && std::isnan(by)) continue;
      if (add(found.columns, *of_column)) found.kinds.push_back(each);
      cells::cell& so_far = best.insert({{name, *of_column}, {number, *text, by}}).first->second;
      if (each.means == meaning::rate ? by > so_far.by : by < so_far.by) so_far = {number, *text, by};
    }
    return best;
  };
  for (const column& each : shown.columns) {
    if (each.name.find('{') == std::string::npos && add(found.columns, each.name)) found.kinds.push_back(each);
    auto over = least(each, each.over);
    for (auto& [at, cell] : least(each, each.of)) {
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

/// The table of docs/inside/expand.md.
view table_of_expansion();

}  // namespace heddle_bench
