#pragma once

#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <regex>
#include <string>
#include <vector>

#include <heddle/predict.hpp>
#include <heddle/recipe.hpp>

#include "page/figures.hpp"

// Rows of record: a problem in one kernel or tile, with the launches that were timed, and what `advise` says of it.

namespace heddle_bench {

using heddle::axis;
using heddle::extent;
using heddle::recipe;
namespace predict = heddle::predict;

/// What `advise` says of a problem.
struct answer {
  recipe pick;
  double seconds, plain_seconds;  // 0: unknown
  long long bytes, plain_bytes;
  bool is_to_measure;
};

template <class Problem>
answer answer_of(const Problem& problem, const predict::device& device, int blocks) {
  const predict::advice found = advise(problem, device, blocks);
  return {found,
          found.predicted_seconds,
          found.plain_seconds,
          found.predicted_bytes,
          found.plain_bytes,
          !found.to_measure.empty()};
}

struct timed_launch {
  recipe by;
  double ms;
};

struct row_of_record {
  std::string kind, name;
  std::function<answer()> ask;
  recipe plain;
  std::vector<timed_launch> timed = {};

  /// Returns the first launch that was timed of a recipe, or null. Of a kernel that has one schedule alone the order
  /// decides.
  const timed_launch* find(const recipe& by) const {
    const auto has_first_schedule = [&](const timed_launch& one) {
      return one.by.schedule == timed.front().by.schedule;
    };
    const bool has_one_schedule = std::all_of(timed.begin(), timed.end(), has_first_schedule);
    const auto is_same = [&](const timed_launch& one) {
      return one.by == by || (has_one_schedule && one.by.order_alone() == by.order_alone());
    };
    const auto found = std::find_if(timed.begin(), timed.end(), is_same);
    return found == timed.end() ? nullptr : &*found;
  }
};

/// The rows of all files of a folder, as they come.
class rows_of_record {
 public:
  explicit rows_of_record(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& each : std::filesystem::directory_iterator(folder)) files.push_back(each.path());
    std::sort(files.begin(), files.end());
    for (const auto& path : files) {
      const std::string name = path.stem().string();
      const auto add = name.starts_with("convolution")        ? &rows_of_record::add_pass
                       : name.starts_with("gemm_study")       ? &rows_of_record::add_product
                       : name.starts_with("grouped_ablation") ? &rows_of_record::add_groups
                       : name == "attention_orders"           ? &rows_of_record::add_causal
                                                              : nullptr;
      if (path.extension() != ".json" || add == nullptr) continue;
      const file_of_figures file(path);
      gpu_ = file.context.word("gpu");
      is_h200_ = gpu_.find("H200") != gpu_.npos;
      if (!file.error.empty() || (!is_h200_ && gpu_.find("H100") == gpu_.npos)) {
        errors_ +=
            path.string() + ": " + (file.error.empty() ? "neither of an H200 nor of an H100" : file.error) + "\n";
        continue;
      }
      for (const fields& each : file.rows) (this->*add)(each);
    }
    std::erase_if(all_, [](const row_of_record& each) { return each.timed.size() < 2; });
  }

  const std::string& gpu() const { return gpu_; }
  const std::string& errors() const { return errors_; }
  const std::vector<row_of_record>& all() const { return all_; }

 private:
  predict::device card() const { return is_h200_ ? predict::h200() : predict::h100(); }

  template <class Problem>
  void add(const std::string& kind, const std::string& name, const recipe& plain, const Problem& problem,
           const predict::device& device, int blocks, const timed_launch& launch) {
    const auto [at, is_new] = place_.try_emplace(kind + name, all_.size());
    if (is_new) all_.push_back({kind, name, [=] { return answer_of(problem, device, blocks); }, plain});
    all_[at->second].timed.push_back(launch);
  }

  /// A pass as bench/convolution asks, by its name there. The numbers of kernels are those of
  /// examples/convolution/passes.hpp.
  void add_pass(const fields& of) {
    static const std::regex names(
        "(atrous|filter|blur along columns|blur along rows|dense 17x17), (textures of |)(float4|half4), "
        "([0-9]+)x([0-9]+)(, step ([0-9]+)|, radius 32|)");
    static const std::regex launches("([0-9]+)x([0-9]+) (.*)");
    const std::string row = of.word("row"), name = of.word("name");
    std::smatch is, by;
    if (of.word("within") != "sweep" || !std::regex_match(row, is, names) || !std::regex_match(name, by, launches)) {
      return;
    }
    const int pixel = is[3] == "half4" ? 8 : 16, radius = 32, taps = 2 * radius + 1;
    predict::stencil_problem pass{.rows = std::stoi(is[5]),
                                  .cols = std::stoi(is[4]),
                                  .tile_rows = std::stoi(by[1]),
                                  .tile_cols = std::stoi(by[2]),
                                  .bytes_per_pixel = pixel,
                                  .written_bytes_per_pixel = pixel};
    int blocks = 0;
    if (is[1] == "blur along columns") {
      pass.rows_radius = radius;
      pass.requested_bytes_per_pixel = (pass.tile_rows + 2 * radius) * pixel / pass.tile_rows;
      pass.instructions_per_pixel = 40 + 4 * taps;
      blocks = 5;
    } else if (is[1] == "blur along rows") {
      pass.cols_radius = radius;
      pass.requested_bytes_per_pixel = (taps + 1) * 16;
      pass.instructions_per_pixel = 40 + 6 * taps;
      blocks = 8;
    } else if (is[1] == "dense 17x17") {
      pass.rows_radius = pass.cols_radius = 8;
      pass.requested_bytes_per_pixel = 17 * (17 + 3) * 16 / 4;
      pass.instructions_per_pixel = 60 + 5 * 17 * 17;
      blocks = 2;
    } else {
      pass.bytes_per_pixel = 2 * pixel;
      pass.rows_radius = pass.cols_radius = 2;
      pass.step = std::stoi(is[7]);
      pass.instructions_per_pixel = is[2] != "" ? 2 * 25 * (128 / 2) : pixel == 8 ? 912 : 736;
      blocks = pass.tile_rows == 16 ? 4 : 8;
    }
    const std::string tile = ", tile " + by[1].str() + "x" + by[2].str();
    add("passes", row + tile, {}, pass, card(), blocks, {pass_launch(by[3]), of.number("value")});
  }

  /// Reads "thread_group_tiling, width 2 sm_affine, run 64". An order by table that needs none is one of its own.
  static recipe pass_launch(std::string text) {
    const std::size_t table = text.find(" by table");
    if (table != text.npos) text = "own" + text.substr(table + 9);
    for (const std::string schedule : recipe::schedule_names) {
      const std::size_t at = text.find(" " + schedule);
      if (at != text.npos) text.insert(at, ",");
    }
    return heddle::from_string(text);
  }

  void add_product(const fields&) {}
  void add_groups(const fields&) {}
  void add_causal(const fields&) {}

  std::string gpu_, errors_;
  bool is_h200_ = false;
  std::vector<row_of_record> all_;
  std::map<std::string, std::size_t> place_;
};

}  // namespace heddle_bench
