// The demo: which order moves how many bytes, for two problems of a size that occurs, what expansion and reordering are
// worth, and a page of pictures of every part. Needs no GPU: without one it predicts for an H200, else for the GPU at
// hand. It also measures there, and says on which GPU: the products on a Hopper alone.
//
//   demo [FOLDER]      where to write index.html; the current folder by default

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <heddle/predict/device.hpp>
#include <heddle/version.hpp>

#include "measured.hpp"
#include "table.hpp"

using demo::part;
using demo::table;

namespace {

/// The lines of a table. A column's name breaks after its comma, unless only a unit follows.
std::vector<std::vector<std::string>> lines_of(const table& t) {
  std::vector<std::string> first, second;
  for (const std::string& header : t.headers) {
    const std::size_t comma = header.find(", ");
    const bool breaks = comma != std::string::npos && header.size() - comma > 4;  // else a unit
    first.push_back(breaks ? header.substr(0, comma + 1) : "");
    second.push_back(breaks ? header.substr(comma + 2) : header);
  }
  std::vector<std::vector<std::string>> lines{second};
  if (first != std::vector<std::string>(first.size())) lines.insert(lines.begin(), first);
  lines.insert(lines.end(), t.rows.begin(), t.rows.end());
  return lines;
}

/// Each column is as wide as its longest cell.
void print(const table& t) {
  const std::vector<std::vector<std::string>> lines = lines_of(t);
  const std::size_t headers = lines.size() - t.rows.size();
  std::vector<std::size_t> widths(t.headers.size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::printf("\n%s\n\n", t.heading.c_str());
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const bool is_marked = t.marked >= 0 && l == headers + static_cast<std::size_t>(t.marked);
    std::printf("%s %-*s", is_marked ? "*" : " ", static_cast<int>(widths[0]), lines[l][0].c_str());
    for (std::size_t i = 1; i < lines[l].size(); ++i) {
      std::printf("%*s", static_cast<int>(widths[i] + 3), lines[l][i].c_str());
    }
    std::puts(is_marked ? "   advised" : "");
  }
  std::printf("\n  %s\n", t.text.c_str());
}

/// The cards that the figures are of.
std::string cards() {
  const auto [gpu, why_not, none] = demo::gpu_at_hand();
  const auto& [chip, name] = demo::card_at_hand();
  return "Predicted figures are for " + name + " (" + std::to_string(chip.multiprocessors) + " SMs, " +
         std::to_string(chip.l2_bytes >> 20) + " MiB of L2). " +
         (gpu.empty() ? "Nothing was measured here: " + why_not + "."
                      : "Measured figures are of the " + gpu + " of this machine, and say so.");
}

/// Writes a file of a part into the folder, and says where it is.
bool write(const demo::saved_file& file, const std::string& folder, heddle_bench::page& page) {
  const std::string path = folder + "/" + file.name;
  std::ofstream out(path, std::ios::binary);
  out << file.text;
  out.close();
  if (!out) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    return false;
  }
  std::printf("\n%s: %s\n", file.what.c_str(), path.c_str());
  page.note(file.what + ": " + file.name + ", beside this page.");
  return true;
}

constexpr const char* explorer = "explorer.html";  // beside the page, once it was built

/// Links from the page in `folder` to the docs and to the explorer. On another drive there is no path to the docs, and
/// no link.
std::vector<heddle_bench::page_link> links_of(const part& each, const std::filesystem::path& folder) {
  std::vector<heddle_bench::page_link> links;
  for (const auto& [text, address] : each.docs) {
    std::error_code error;
    const std::filesystem::path way =
        std::filesystem::relative(std::filesystem::path(DEMO_DOCS) / address, folder, error);
    if (!error && !way.empty()) links.push_back({text + " (docs/" + address + ")", way.generic_string()});
    if (address == "predict.md" && std::filesystem::exists(folder / explorer, error)) {
      links.push_back({std::string("Ask it yourself (") + explorer + ")", explorer});
    }
  }
  return links;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const std::string about = cards();
  const bool has_gpu = !demo::gpu_at_hand().gpu.empty();
  std::printf("heddle %s\n%s\n", heddle::version_string, about.c_str());

  heddle_bench::page page("heddle " + std::string(heddle::version_string),
                          "Which piece of work a GPU's warps take next. In a loom, heddles decide which warp threads "
                          "lift, and when.");
  page.note(about);
  for (const auto& make :
       {demo::orders, demo::waves, demo::paths, demo::spaces, demo::schedulers, demo::traces, demo::expansion,
        demo::reordering, demo::launch_boxes, demo::product_advice, demo::group_advice, demo::pass_advice}) {
    const part each = make();
    page.section(each.heading, each.text, links_of(each, folder), each.pictures.empty());
    for (const auto& [file, name, code, text, svg, is_wide] : each.pictures) page.card(name, code, text, svg, is_wide);
    for (const table& t : each.tables) {
      print(t);
      if (!t.bars.rows.empty()) page.bars(t.bars);
      page.table(t.headers, t.rows, t.marked, t.heading, t.text);
    }
    for (const demo::saved_file& file : each.files) {
      if (!write(file, folder, page)) return 1;
    }
    if (has_gpu && !each.why_not.empty()) {
      std::printf("\nNot measured: %s.\n", each.why_not.c_str());
      page.note("Not measured: " + each.why_not + ".");
    }
  }

  const std::string path = folder + "/index.html";
  std::ofstream file(path);
  file << page.str();
  file.close();
  if (!file) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    return 1;
  }
  std::printf("\nThe page, with every part drawn: %s\n", path.c_str());
}
