// Draws the plots of the README and the docs from the figures of record, and prints the table of
// docs/inside/expand.md.
//
//   plots FOLDER

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "page/results.hpp"

namespace {

using namespace heddle_bench;

/// The picture of a view, or nothing if it has no figures.
std::string picture_of(const view& of, const std::vector<fields>& rows) {
  const cells found = cells_of(of, rows);
  if (found.rows.empty()) return "";
  const bool is_large = found.columns.size() > 6;
  return chart(lines_of(of, found), {.title = of.heading,
                                     .x = of.x_name,
                                     .y = of.unit,
                                     .line = of.line,
                                     .width = is_large ? 720 : 560,
                                     .height = is_large ? 400 : 320});
}

void print(const view& of, const std::vector<fields>& rows) {
  const cells table = cells_of(of, rows);
  std::string head = "| |", rule = "|---|";
  for (const std::string& column : table.columns) head += " " + column + " |", rule += "--:|";
  std::printf("%s\n%s\n", head.c_str(), rule.c_str());
  for (const std::string& row : table.rows) {
    if (!(table.number(row, "uniform") > 0)) continue;  // not in these rows
    std::printf(row.find(' ') == row.npos ? "| `%s` |" : "| %s |", row.c_str());
    for (const std::string& column : table.columns) {
      const double number = table.number(row, column);
      number > 0 ? std::printf(" %.0f |", number) : std::printf(" |");
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const figures record(HEDDLE_SOURCE_DIR "/bench/results/h200");
  bool written = true;
  for (const benchmark& each : benchmarks()) {
    for (const view& of : each.views) {
      if (of.plot.empty()) continue;
      const std::string picture = record.rows.count(each.name) == 0 ? "" : picture_of(of, record.rows.at(each.name));
      std::ofstream file(folder + "/" + of.plot + ".svg");
      file << picture;
      written = written && !picture.empty() && file.flush().good();
    }
  }
  if (record.rows.count("expand") != 0) print(table_of_expansion(), record.rows.at("expand"));
  if (!written) std::fprintf(stderr, "cannot write to %s\n", folder.c_str());
  return written ? 0 : 1;
}
