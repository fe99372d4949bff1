#pragma once

#include <string>
#include <vector>

#include "page/view.hpp"

namespace heddle_bench {

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
