// Draws the plots of the README and the docs from the figures of record, and prints the table of docs/expand.md.
//
//   plots FOLDER

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <heddle/draw/bars.hpp>
#include <heddle/draw/chart.hpp>

#include "common/rows.hpp"
#include "expand/plot.hpp"

namespace {

using heddle::draw::bar;
using heddle::draw::series;
using heddle_bench::row;
using heddle_bench::rows_of;

/// How many times as fast a sweep is with reordering, for random keys: a line for each value of `of`, over `x` times
/// `scale`. The best size of blocks counts on either side.
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

/// The speed of the matrix product over cuBLAS, in bursts.
std::vector<bar> products(const std::vector<row>& rows) {
  std::vector<bar> all;
  double cublas = 0;
  for (const row& each : rows) {
    const double ms = each.number("burst_ms");
    if (each.word("contender") == "cublas") cublas = ms;
    if (each.word("contender") != "heddle") continue;
    const auto size = [&](const char* name) { return std::to_string(static_cast<int>(each.number(name))); };
    const bool is_cube = size("m") == size("n") && size("n") == size("k");
    all.push_back({is_cube ? size("m") + "³" : size("m") + " × " + size("n") + " × " + size("k"), cublas / ms});
  }
  return all;
}

/// The time of a product while another kernel holds multiprocessors, over the plan alone, by how many it holds: a line
/// for each contender, and the law. The axis has no place for 0.
std::vector<series> beside(const std::vector<row>& rows) {
  std::vector<series> lines{
      {"cuBLAS", {}}, {"the plan", {}}, {"the plan, sharing", {}}, {"the law", {}, /*dashed*/ true}};
  const auto is_headline = [](const row& each) {
    return each.number("m") == 8192 && each.number("n") == 8192 && each.number("k") == 8192;
  };
  for (const row& each : rows) {
    const double held = each.number("held"), over = each.number("alone_ratio");
    if (!is_headline(each) || each.word("situation") != "held" || held == 0) continue;
    const std::string name = each.word("contender");
    lines[name == "cublas" ? 0 : name == "heddle" ? 1 : 2].points.push_back({held, over});
    if (name == "heddle") lines[3].points.push_back({held, over / each.number("law_ratio")});
  }
  return lines;
}

/// The speed of a sort of 32-bit keys over that with 256 x 7, for each box of 256 threads.
std::vector<bar> boxes(const std::vector<row>& rows) {
  std::vector<bar> all;
  double fixed = 0;
  for (const row& each : rows) {
    if (each.word("key") == "uint64") break;
    if (each.word("name") == "256x7") fixed = each.number("median_ms");
  }
  for (const row& each : rows) {
    if (each.word("key") == "uint64") break;
    if (each.number("threads") != 256 || each.number("min_blocks") != 0) continue;
    all.push_back(
        {"256 × " + std::to_string(static_cast<int>(each.number("values"))), fixed / each.number("median_ms")});
  }
  return all;
}

/// What a plan loses to the best that is built in, in percent, by the operations of the product. Less than an eighth of
/// a percent is drawn as that.
series losses(const std::vector<row>& rows, const std::string& name) {
  series dots{name, {}, false, /*joined*/ false};
  for (const row& each : rows) {
    const double best = each.number("best_us"), took = each.number(name + "_us");
    if (took <= 0) continue;
    dots.points.push_back(
        {2e-9 * each.number("m") * each.number("n") * each.number("k"), (std::max)(0.125, 100 * (took / best - 1))});
  }
  std::sort(dots.points.begin(), dots.points.end(), [](const auto& one, const auto& other) { return one.x < other.x; });
  return dots;
}

/// The gain over raster of the denoiser over 16384 x 8192 pixels of `float4`, by step: raster's time with the faster of
/// both tiles, over the best time of the compositions that `takes` accepts.
template <class Takes>
series denoised(const std::vector<row>& rows, const std::string& name, const Takes& takes) {
  series line{name, {}};
  for (const row& each : rows) {
    const std::string of = "atrous, float4, 16384x8192, step ", what = each.word("row");
    const std::size_t begin = each.text.find("\"ms\": {");
    if (each.text.find("\"bursts\"") != std::string::npos) break;  // from here on rows were measured in another way
    if (what.find(of) != 0 || begin == std::string::npos) continue;
    double raster = 1e30, best = 1e30;
    for (std::size_t at = each.text.find('"', begin + 6), end = each.text.find('}', begin); at < end;) {
      const std::size_t close = each.text.find('"', at + 1);
      const std::string by = each.text.substr(at + 1, close - at - 1);
      const double ms = std::atof(each.text.c_str() + close + 2);
      if (by.find("row_major one_shot") != std::string::npos) raster = (std::min)(raster, ms);
      if (takes(by)) best = (std::min)(best, ms);
      at = each.text.find('"', close + 1);
    }
    if (best < 1e30) line.points.push_back({std::atof(what.c_str() + of.size()), raster / best});
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  bool written = true;
  const auto write_file = [&](const std::string& name, const std::string& picture, bool has_figures) {
    std::ofstream file(folder + "/" + name + ".svg");
    file << picture;
    written = written && has_figures && file.flush().good();
  };

  const std::vector<row> rows = rows_of("reorder");
  const auto write = [&](const std::string& name, const std::vector<series>& lines, const std::string& x) {
    write_file(name,
               heddle::draw::chart(lines, {.title = "When reordering pays: " + name, .x = x, .y = "times as fast"}),
               !lines.empty());
  };
  constexpr double instructions_of_turn = 14;
  write("reorder_switch", gains(rows, "switch", "keys", " branches", "turns", instructions_of_turn),
        "instructions of a branch");
  write("reorder_state", gains(rows, "state", "turns", " turns", "state", 1), "bytes of live state");
  write("reorder_data", gains(rows, "data", "keys", " places", "turns", 1), "loads of a round");

  const std::vector<bar> of_cublas = products(rows_of("gemm"));
  write_file("gemm",
             heddle::draw::bars(of_cublas, {.title = "The matrix product beside cuBLAS",
                                            .heading = "m × n × k in bf16: speed over cuBLAS",
                                            .from = 1,
                                            .decimals = 3}),
             !of_cublas.empty());

  // Drawn once the figures are there.
  if (const std::vector<row> held = rows_of("gemm_beside"); !held.empty()) {
    const std::vector<series> lines = beside(held);
    write_file("gemm_beside",
               heddle::draw::chart(lines, {.title = "The matrix product beside a kernel that holds multiprocessors",
                                           .x = "multiprocessors held, of 132",
                                           .y = "time over the plan alone"}),
               !lines[1].points.empty());
  }

  const std::vector<bar> of_fixed = boxes(rows_of("launch_box"));
  write_file("launch_box",
             heddle::draw::bars(of_fixed, {.title = "A sort by launch boxes",
                                           .heading = "threads × values per thread: speed over 256 × 7",
                                           .from = 1}),
             !of_fixed.empty());

  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const std::vector<row> passes = rows_of("convolution");
  const std::vector<series> levels{
      denoised(passes, "sm_affine", [&](const std::string& by) { return has(by, "sm_affine"); }),
      denoised(passes, "bands, one_shot",
               [&](const std::string& by) { return has(by, "thread_group_tiling") && has(by, "one_shot"); })};
  write_file(
      "convolution",
      heddle::draw::chart(
          levels, {.title = "The denoiser by step", .x = "pixels from tap to tap", .y = "times as fast as raster"}),
      !levels[0].points.empty() && !levels[1].points.empty());

  const std::vector<row> choices = rows_of("choose");
  const std::vector<series> of_plans{losses(choices, "plan"), losses(choices, "tuned")};
  write_file("choose",
             heddle::draw::chart(of_plans, {.title = "What a plan loses, by the size of the product",
                                            .x = "operations, in 10⁹",
                                            .y = "% behind the best kernel that is built in",
                                            .line = 0}),
             !of_plans[0].points.empty());

  heddle_bench::plot_expansion(
      [&](const std::string& name, const std::vector<series>& lines, const heddle::draw::chart_options& options) {
        write_file(name, heddle::draw::chart(lines, options), !lines[0].points.empty());
      });
  if (!written) std::fprintf(stderr, "cannot write to %s\n", folder.c_str());
  return written ? 0 : 1;
}
