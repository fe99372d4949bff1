#pragma once

#include <string>
#include <vector>

#include "json.hpp"

// What figures were measured on, and by which version: it goes into the context of every JSON file.

namespace heddle_bench {

struct fact {
  std::string name, value;
  bool is_number = false;
};

/// Device 0 with its highest clocks, driver, toolkit and commit. Where there is no device, only the last two.
std::vector<fact> context();

/// The same as an object: {"gpu": "NVIDIA H200", "multiprocessors": 132, …}
json_object context_json();

}  // namespace heddle_bench
