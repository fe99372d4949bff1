#include "plot.hpp"

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "common/rows.hpp"

namespace {

using heddle::draw::series;
using heddle_bench::row;

/// All contestants, in the order of the colours: each has the same colour in every chart, and neighbours differ. Those
/// that are not heddle's are dashed.
struct contestant {
  const char* name;
  bool dashed;
};
constexpr contestant contestants[] = {{"packed_prefix", false}, {"upper_bound", true},   {"from_n", false},
                                      {"loop", true},           {"scanned", false},      {"fixed<32>", false},
                                      {"power_of_two", false},  {"thrust", true},        {"append", false},
                                      {"run_length", true},     {"device_launch", true}, {"the store alone", true}};

using number_of = std::function<double(const row&)>;
using number_of_contestant = std::function<double(const row&, const std::string&)>;

/// Returns whether a line lies on another over its whole length.
bool lies_on(const series& line, const series& other) {
  if (line.points.empty() || line.points.size() > other.points.size()) return false;
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const auto [x, y] = other.points[i];
    if (line.points[i].x != x || std::abs(line.points[i].y / y - 1) > 0.001) return false;
  }
  return true;
}

/// Returns a line for each contestant, over the rows with names that are `begin`, a number and `end`. Points at 0 are
/// left out, and lines that are the same become one.
std::vector<series> lines_of(const std::vector<row>& rows, const std::string& begin, const std::string& end,
                             const number_of& x, const number_of_contestant& y) {
  std::vector<series> lines;
  for (const auto& [name, dashed] : contestants) {
    series line{name, {}, dashed};
    for (const row& each : rows) {
      const std::string its = each.word("row");
      const bool is_one = its.size() > begin.size() + end.size() && its.substr(0, begin.size()) == begin &&
                          its.substr(its.size() - end.size()) == end;
      if (is_one && y(each, name) > 0) line.points.push_back({x(each), y(each, name)});
    }
    for (series& other : lines) {
      if (!lies_on(line, other)) continue;
      other.name += ", " + line.name;
      line.points.clear();
    }
    lines.push_back(line);
  }
  return lines;
}

double items(const row& of) {
  return of.number("items");
}
double mean(const row& of) {
  return of.number("items") / of.number("sources");
}
double microseconds(const row& of, const std::string& contestant) {
  if (contestant == "the store alone") return of.number("floor_us");
  return of.part("store_us").number(contestant);
}
double bytes_of_source(const row& of, const std::string& contestant) {
  return of.part("bytes").number(contestant) / of.number("sources");
}

/// Prints memory and time by distribution, for 2^22 sources of 16 items in the mean.
void print_table(const std::vector<row>& rows) {
  struct kind {
    const char *name, *title;
  };
  constexpr kind kinds[] = {{"uniform", "uniform"},
                            {"constant", "16 each"},
                            {"pareto", "power law"},
                            {"pareto sorted", "power law, sorted"},
                            {"90% zero", "one of 10 spawns"},
                            {"99% zero", "one of 100 spawns"},
                            {"one huge", "one has nearly all"},
                            {"1 and 64K", "mostly 1, some 65536"}};
  const auto row_of = [&](const std::string& kind) {
    for (const row& each : rows) {
      if (each.word("row") == "2^22 x 16 " + kind) return each;
    }
    return row("");
  };
  const auto print = [](double number) { number > 0 ? std::printf(" %.0f |", number) : std::printf(" |"); };
  std::printf("| | MB |");
  for (const kind& each : kinds) std::printf(" %s |", each.title);
  std::printf("\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const bool others : {false, true}) {
    for (const auto& [name, dashed] : contestants) {
      if (dashed != others || microseconds(row_of("uniform"), name) <= 0) continue;  // not in these rows
      const std::string all_of_it = name;
      std::printf(all_of_it.find(' ') == std::string::npos ? "| `%s` |" : "| %s |", name);
      print(1e-6 * row_of("uniform").part("bytes").number(name));
      for (const kind& each : kinds) print(microseconds(row_of(each.name), name));
      std::printf("\n");
    }
  }
}

}  // namespace

void heddle_bench::plot_expansion(const write_chart& write_to) {
  const std::vector<row> rows = rows_of("expand");
  const auto write = [&](const std::string& name, const std::vector<series>& lines, const std::string& x,
                         const std::string& y) {
    write_to("expand_" + name, lines,
             {.title = "Work expansion: " + y, .x = x, .y = y, .line = 0, .width = 720, .height = 400});
  };
  write("items", lines_of(rows, "2^", " x 16 uniform", items, microseconds), "items of 1K to 16M sources",
        "microseconds, from counts to stored items; a source has 0 to 32");
  write("skewed", lines_of(rows, "2^", " x 16 pareto sorted", items, microseconds), "items of 256K to 16M sources",
        "microseconds, from counts to stored items; a power law, the largest sources first");
  write("mean", lines_of(rows, "2^22 x ", " uniform", mean, microseconds), "items of a source in the mean",
        "microseconds, from counts to stored items; 4M sources");
  write("memory", lines_of(rows, "2^22 x ", " uniform", mean, bytes_of_source), "items of a source in the mean",
        "bytes of memory a source, beside the items themselves; 4M sources");
  print_table(rows);
}
