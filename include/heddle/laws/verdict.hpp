#pragma once

#include <string>

#include <heddle/coord.hpp>

namespace heddle::inline v0::laws {

/// What a checker found: true where the law holds, else the first failure in words.
struct verdict {
  std::string failure;

  explicit operator bool() const { return failure.empty(); }
};

inline std::string in_words(coord tile) {
  return "{" + std::to_string(tile.row) + ", " + std::to_string(tile.col) + "}";
}

inline std::string in_words(extent grid) {
  return std::to_string(grid.rows) + " x " + std::to_string(grid.cols);
}

/// A tile of the caller's own kind has no words here.
template <class Tile>
std::string in_words(const Tile&) {
  return "a tile";
}

}  // namespace heddle::inline v0::laws
