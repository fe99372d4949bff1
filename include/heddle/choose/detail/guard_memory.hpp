#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <heddle/choose/detail/guarded_key.hpp>
#include <heddle/choose/wisdom_entry.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Returns what a wisdom keeps of a key that is decided. The candidates' names are their numbers.
inline wisdom_entry entry_of(const guarded_key& key) {
  wisdom_entry entry{std::to_string(key.running()), key.seconds(key.running()), key.noise(), {}};
  for (int i = 0; i < key.candidates(); ++i) entry.timed.push_back({std::to_string(i), key.seconds(i), {}});
  return entry;
}

/// Returns what a wisdom has for a key: a candidate, or -1, and the seconds of all. `entry` may be null.
inline std::pair<int, std::vector<double>> recalled(const wisdom_entry* entry, int candidates) {
  std::pair<int, std::vector<double>> found{-1, {}};
  for (int i = 0; entry != nullptr && i < candidates; ++i) {
    const std::string name = std::to_string(i);
    if (entry->chosen == name) found.first = i;
    found.second.push_back(0);
    for (const remembered_times& each : entry->timed) {
      if (each.name == name) found.second.back() = each.seconds;
    }
  }
  return found;
}

}}}  // namespace heddle::HEDDLE_ABI::detail
