#pragma once

#include <string>
#include <vector>

#include "json.hpp"

// Tells on what figures were measured, and by which version: the context of every JSON file.

namespace heddle_bench {

struct fact {
  std::string name, value;
  bool is_number = false;
};

/// Device 0 with its highest clocks, driver, toolkit and commit. Without a device, only the last two.
std::vector<fact> context();

/// The context as an object: {"gpu": "NVIDIA H200", "multiprocessors": 132, …}
json_object context_json();

}  // namespace heddle_bench
