#pragma once

// Reads the sources and the pages, line by line.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "test.hpp"

namespace heddle_test {

namespace fs = std::filesystem;
using lines = std::vector<std::string>;

inline const fs::path source = HEDDLE_SOURCE_DIR;

inline lines read(const fs::path& path) {
  std::ifstream file(path);
  INFO(path);
  REQUIRE(file.good());
  lines all;
  for (std::string line; std::getline(file, line);) all.push_back(line);
  return all;
}

/// Returns a line without the blanks around it.
inline std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(' ') - first + 1);
}

}  // namespace heddle_test
