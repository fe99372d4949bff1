#pragma once

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

// Reads the JSON that the benchmarks write, for the programs that draw figures of record.

namespace heddle_bench {

/// An object on one line.
struct row {
  explicit row(const std::string& line) : text(line) {}

  std::string word(const std::string& name) const {
    const std::size_t begin = after(name, "\"");
    return begin == std::string::npos ? "" : text.substr(begin, text.find('"', begin) - begin);
  }

  /// The number of this name, the first of a list; 0 if there is none.
  double number(const std::string& name) const {
    std::size_t begin = after(name, "[");
    if (begin == std::string::npos) begin = after(name, "");
    return begin == std::string::npos ? 0 : std::atof(text.c_str() + begin);
  }

  /// The object of this name within it.
  row part(const std::string& name) const {
    const std::size_t begin = after(name, "{");
    return row(begin == std::string::npos ? "" : text.substr(begin, text.find('}', begin) - begin));
  }

  std::string text;

 private:
  std::size_t after(const std::string& name, const char* open) const {
    const std::string key = '"' + name + "\": " + open;
    const std::size_t at = text.find(key);
    return at == std::string::npos ? at : at + key.size();
  }
};

/// The rows of the list of this name, of an H200.
inline std::vector<row> rows_of(const std::string& name) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/bench/results/h200/" + name + ".json");
  std::vector<row> rows;
  for (std::string line; std::getline(file, line);) rows.emplace_back(line);
  return rows;
}

}  // namespace heddle_bench
