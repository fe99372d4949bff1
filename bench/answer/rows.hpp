#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include <heddle/predict.hpp>
#include <heddle/recipe.hpp>

#include "grouped/rows.hpp"
#include "page/figures.hpp"

// Rows of record: a problem in one kernel or tile, with the launches that were timed, and what `advise` says of it.

namespace heddle_bench {

using heddle::axis;
using heddle::recipe;
namespace predict = heddle::predict;

/// What `advise` says of a problem, and the launch that its kernel has of it.
struct answer {
  recipe pick;
  predict::advice of;

  /// Returns the seconds of the kernel's plain launch, or 0: where blocks stay, by the schedule that is advised.
  double plain_seconds(const recipe& plain) const {
    const auto found = std::find_if(of.ranked.begin(), of.ranked.end(),
                                    [&](const auto& one) { return one.value.order_alone() == plain.order_alone(); });
    const bool stays = plain.schedule != recipe::one_shot && found != of.ranked.end() && of.plain_seconds > 0;
    return stays ? found->seconds : of.plain_seconds;
  }
};

template <class Problem>
answer answer_of(const Problem& problem, const predict::device& device, int blocks) {
  const predict::advice of = advise(problem, device, blocks);
  return {of, of};
}

struct timed_launch {
  recipe by;
  double ms;
};

struct row_of_record {
  std::string kind, name;
  recipe plain;
  std::function<answer()> ask;
  std::vector<timed_launch> timed = {};

  /// Returns the last timed launch of a recipe, or null: benchmarks time what is advised once more, at the end. If a
  /// kernel has one schedule alone, the order decides.
  const timed_launch* find(const recipe& by) const {
    const auto has_first = [&](const timed_launch& one) { return one.by.schedule == timed[0].by.schedule; };
    const bool is_alone = std::all_of(timed.begin(), timed.end(), has_first);
    const auto found = std::find_if(timed.rbegin(), timed.rend(), [&](const timed_launch& one) {
      return one.by == by || (is_alone && one.by.order_alone() == by.order_alone());
    });
    return found == timed.rend() ? nullptr : &*found;
  }
  const timed_launch& best() const {
    return *std::min_element(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.ms < b.ms; });
  }
};

/// Reads the rows of all files of a folder.
class rows_of_record {
 public:
  explicit rows_of_record(const std::filesystem::path& folder) {
    for (const auto& each : std::filesystem::directory_iterator(folder)) {
      const std::string name = each.path().stem().string();
      const auto add = name.starts_with("convolution")        ? &rows_of_record::add_pass
                       : name.starts_with("gemm_study")       ? &rows_of_record::add_product
                       : name.starts_with("grouped_ablation") ? &rows_of_record::add_groups
                       : name == "attention_orders"           ? &rows_of_record::add_causal
                                                              : nullptr;
      if (each.path().extension() != ".json" || add == nullptr) continue;
      const file_of_figures file(each.path());
      gpu = file.context.word("gpu");
      const bool is_h200 = gpu.find("H200") != gpu.npos;
      if (!is_h200 && gpu.find("H100") == gpu.npos) {
        throw std::runtime_error(each.path().string() + ": no figures of an H200 or an H100 " + file.error);
      }
      card_ = is_h200 ? predict::h200() : predict::h100();
      for (const fields& row : file.rows) (this->*add)(row);
    }
    std::erase_if(all, [](const row_of_record& row) { return row.timed.size() < 2 || !row.find(row.plain); });
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  }

  std::string gpu;
  std::vector<row_of_record> all;

 private:
  void add(const std::string& kind, const std::string& name, const recipe& plain, const timed_launch& launch,
           const std::function<answer()>& ask) {
    const auto [at, is_new] = place_.try_emplace(kind + name, all.size());
    if (is_new) all.push_back({kind, name, plain, ask});
    all[at->second].timed.push_back(launch);
  }

  static int integer(const fields& of, const char* name) { return std::stoi(of.word(name)); }

  /// Adds a launch of bench/convolution. What kernels take per pixel is that of examples/convolution/passes.hpp.
  void add_pass(const fields& of) {
    static const std::regex names(
        "(atrous|filter|blur along columns|blur along rows|dense 17x17), (textures of |)(float4|half4), "
        "([0-9]+)x([0-9]+)(, step ([0-9]+)|, radius 32|)");
    static const std::regex launches("(([0-9]+)x([0-9]+)) (.*)");
    const std::string row = of.word("row"), name = of.word("name");
    std::smatch is, by;
    const bool is_one = std::regex_match(row, is, names) && std::regex_match(name, by, launches);
    if (!is_one || of.word("within") != "sweep") return;
    const int pixel = is[3] == "half4" ? 8 : 16, radius = 32, taps = 2 * radius + 1;
    predict::stencil_problem pass{.rows = std::stoi(is[5]),
                                  .cols = std::stoi(is[4]),
                                  .tile_rows = std::stoi(by[2]),
                                  .tile_cols = std::stoi(by[3]),
                                  .bytes_per_pixel = pixel,
                                  .written_bytes_per_pixel = pixel};
    int blocks = 0;
    if (is[1] == "blur along columns") {
      blocks = 5, pass.rows_radius = radius, pass.instructions_per_pixel = 40 + 4 * taps;
      pass.requested_bytes_per_pixel = (pass.tile_rows + 2 * radius) * pixel / pass.tile_rows;
    } else if (is[1] == "blur along rows") {
      blocks = 8, pass.cols_radius = radius, pass.instructions_per_pixel = 40 + 6 * taps;
      pass.requested_bytes_per_pixel = (taps + 1) * 16;
    } else if (is[1] == "dense 17x17") {
      blocks = 2, pass.rows_radius = pass.cols_radius = 8, pass.instructions_per_pixel = 60 + 5 * 17 * 17;
      pass.requested_bytes_per_pixel = 17 * (17 + 3) * 16 / 4;
    } else {
      blocks = pass.tile_rows == 16 ? 4 : 8, pass.rows_radius = pass.cols_radius = 2;
      pass.bytes_per_pixel = 2 * pixel, pass.step = std::stoi(is[7]);
      pass.instructions_per_pixel = is[2].length() > 0 ? 2 * 25 * (128 / 2) : pixel == 8 ? 960 : 736;
    }
    add("passes", row + ", tile " + by[1].str(), {}, {pass_launch(by[4]), of.number("value")},
        [=, card = card_] { return answer_of(pass, card, blocks); });
  }

  /// Reads "thread_group_tiling, width 2 sm_affine, run 64". Raster by a table is an order of its own.
  static recipe pass_launch(const std::string& text) {
    std::string parts = std::regex_replace(text, std::regex("row_major by table"), "own");
    for (const std::string schedule : recipe::schedule_names) {
      if (const std::size_t at = parts.find(" " + schedule); at != parts.npos) parts.insert(at, ",");
    }
    return heddle::from_string(parts);
  }

  /// Adds a launch of bench/gemm/study.cu: its problem is that of a worker, a block or a cluster.
  void add_product(const fields& of) {
    static const std::regex kernels("(portable |)([0-9]+)x([0-9]+)(, cluster ([12])x([12])|)");
    const std::string kernel = of.word("kernel");
    std::smatch is;
    if (of.word("workers").empty() || of.word("ms").empty() || !std::regex_match(kernel, is, kernels)) return;
    const int rows = is[5] == "2" ? 2 : 1, cols = is[6] == "2" ? 2 : 1;
    const predict::gemm_problem product{.m = integer(of, "m"),
                                        .n = integer(of, "n"),
                                        .k = integer(of, "k"),
                                        .tile_m = std::stoi(is[2]) * rows,
                                        .tile_n = std::stoi(is[3]) * cols,
                                        .blocks_per_tile = rows * cols};
    predict::device chip = card_;
    const int workers = integer(of, "workers"), beside = std::max(1, workers * rows * cols / chip.multiprocessors);
    chip.multiprocessors = workers / beside;
    recipe by = heddle::from_string(of.word("order") + ", " + of.word("schedule"));
    if (of.word("table") == "true" && by.order != recipe::hilbert) by.order = recipe::own;  // bands by a table
    add("products", of.word("m") + " x " + of.word("n") + " x " + of.word("k") + ", " + kernel, {},
        {by, of.number("ms")}, [=] { return answer_of(product, chip, beside); });
  }

  /// Adds a launch of the ablation of bench/grouped. The kernel of a plan has a lower body for the ends of small
  /// groups, and deals tiles out or draws them as examples/grouped does.
  void add_groups(const fields& of) {
    if (of.word("list") != "choice") return;
    const auto has = [&](const char* name) { return of.word(name) == "true"; };
    const int n = integer(of, "n"), groups = integer(of, "experts"), rows = integer(of, "rows");
    const bool is_low = has("is_low"), is_usual = is_low == (rows < 4LL * 128 * groups);
    recipe by = heddle::from_string(of.find("launch") ? of.word("launch")
                                                      : "thread_group_tiling, width " + of.word("width") + ", axis " +
                                                            of.word("axis") + ", cluster 1x" + of.word("cluster") +
                                                            (has("heaviest_first") ? ", heaviest first" : "") +
                                                            (has("draws") ? ", late_ticket" : ", strided"));
    const int cluster = by.cluster.cols;
    by.cluster = {1, 1};
    if (by.axis == axis::x && by.width == n) by.width = 1, by.axis = axis::y;  // row by row
    const predict::grouped_problem product{.rows = rows_by_zipf(groups, rows, of.number("zipf")),
                                           .n = n,
                                           .k = integer(of, "k"),
                                           .tile_n = 256 * cluster,
                                           .step_rows = 64,
                                           .blocks_per_tile = cluster};
    predict::device chip = card_;
    chip.multiprocessors /= cluster;
    const std::string name = of.word("experts") + " x " + of.word("n") + " x " + of.word("k") + ", " + of.word("rows") +
                             " rows, zipf " + of.word("zipf") + ", cluster " + std::to_string(cluster);
    const recipe plain{.order = recipe::thread_group_tiling, .width = 1, .axis = axis::y, .schedule = recipe::strided};
    add(is_usual ? "groups" : "groups, other height", name, plain, {by, of.number("ms")}, [=] {
      answer said = answer_of(product, chip, 1);
      if (said.pick.schedule != recipe::strided) said.pick.schedule = is_low ? recipe::late_ticket : recipe::strided;
      return said;
    });
  }

  /// Adds a launch of bench/attention. The longest tiles first are drawn late, in sections of heads that share keys.
  void add_causal(const fields& of) {
    if (of.word("list") != "orders" || of.word("mask") != "causal") return;
    const int length = integer(of, "length"), heads = integer(of, "heads"), key_heads = integer(of, "key_heads");
    const int sequences = integer(of, "sequences");
    const predict::causal_problem pass{length, length, heads * sequences, key_heads * sequences};
    const std::string drawn_late = "ticket, drawn late", schedule = of.word("schedule");
    recipe by = heddle::from_string("thread_group_tiling, " + (schedule == drawn_late ? "late_ticket" : schedule));
    by.width = integer(of, "section"), by.reversed = of.word("order") == "reversed bands";
    const std::string name = of.word("sequences") + " x " + of.word("length") + ", " + of.word("heads") + " heads";
    add("causal", name, {recipe::thread_group_tiling, 1}, {by, of.number("ms")}, [=, card = card_] {
      answer said = answer_of(pass, card, 1);
      said.pick.width = std::max(said.pick.width, heads / key_heads);
      return said;
    });
  }

  predict::device card_ = predict::h200();
  std::map<std::string, std::size_t> place_;
};

}  // namespace heddle_bench
