#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "page/view.hpp"

namespace heddle_bench {

/// All figures of a folder, by benchmark.
struct figures {
  std::map<std::string, std::vector<fields>> rows;
  std::map<std::string, std::string> files;              // their names, by benchmark
  std::map<std::string, std::set<std::string>> context;  // what they were measured on: values by name
  std::vector<std::string> errors;                       // files that were left out, and why
  std::string name = "committed";                        // of figures of record: the GPU's if it is another one

  explicit figures(const std::filesystem::path& folder);
};

/// Returns the figures of record of the GPU that the new ones are of, or else of another one, which has its name. Each
/// folder of `records` has those of one GPU.
figures record_for(const figures& now, const std::filesystem::path& records);

/// Returns the page of new figures beside those of record: heddle over the best baseline of each, charts and tables.
std::string results_page(const figures& now, const figures& then);

}  // namespace heddle_bench
