// Draws when reordering pays, out of the figures of record: plot_reorder FOLDER

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <heddle/draw/chart.hpp>

#include "common/rows.hpp"

namespace {

using heddle::draw::series;
using heddle_bench::row;

/// Of the rows of a sweep, with keys that are drawn, how many times as fast as plain ones the reordered are: a line for
/// each `of`, over `x` times `scale`. The best of all sizes of blocks counts.
std::vector<series> gains(const std::vector<row>& rows, const std::string& sweep, const std::string& of,
                          const std::string& name, const std::string& x, double scale) {
  struct times {
    double plain = 1e30, reorder = 1e30;
  };
  std::map<int, std::map<double, times>> found;
  for (const row& each : rows) {
    if (each.word("sweep") != sweep || each.number("together") > 0 || each.number("us") <= 0) continue;
    times& here = found[static_cast<int>(each.number(of))][each.number(x) * scale];
    const std::string contestant = each.word("contestant");
    if (contestant == "plain") here.plain = (std::min)(here.plain, each.number("us"));
    if (contestant == "reorder") here.reorder = (std::min)(here.reorder, each.number("us"));
  }
  std::vector<series> all;
  for (const auto& [key, line] : found) {
    series next{std::to_string(key) + name, {}};
    for (const auto& [at, here] : line) next.points.push_back({at, here.plain / here.reorder});
    all.push_back(next);
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const std::vector<row> rows = heddle_bench::rows_of(HEDDLE_SOURCE_DIR "/bench/results/reorder.json");
  bool written = true;
  const auto write = [&](const std::string& name, const std::vector<series>& lines, const std::string& x) {
    std::ofstream picture(folder + "/" + name + ".svg");
    picture << heddle::draw::chart(lines, {.title = "When reordering pays: " + name, .x = x, .y = "times as fast"});
    written = written && !lines.empty() && picture.flush().good();
  };
  constexpr double instructions_of_turn = 14;
  write("reorder_switch", gains(rows, "switch", "keys", " branches", "turns", instructions_of_turn),
        "instructions of a branch");
  write("reorder_state", gains(rows, "state", "turns", " turns", "state", 1), "bytes of live state");
  write("reorder_data", gains(rows, "data", "keys", " places", "turns", 1), "loads of a round");
  if (!written) std::fprintf(stderr, "cannot write to %s\n", folder.c_str());
  return written ? 0 : 1;
}
