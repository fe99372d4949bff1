#pragma once

#include <heddle/coord.hpp>

// Orders that lack something, or that some parts of heddle refuse.

/// An order without its inverse.
struct one_way {
  heddle::extent shape{1, 1};

  HEDDLE_FN heddle::extent space() const { return shape; }
  HEDDLE_FN int size() const { return 1; }
  HEDDLE_FN heddle::coord operator()(int) const { return {0, 0}; }
};

/// An order without the extent of its tiles.
struct row_of_two {
  int size() const { return 2; }
  heddle::coord operator()(int i) const { return {0, i}; }
  int index(heddle::coord tile) const { return tile.col; }
};

/// An order of clusters that does not say which of their tiles exist.
struct half_of_clusters : one_way {
  HEDDLE_FN int index(heddle::coord) const { return 0; }
  HEDDLE_FN heddle::coord tile(int, int block) const { return {0, block}; }
  HEDDLE_FN heddle::extent tiles() const { return shape; }
  HEDDLE_FN int blocks_in_cluster() const { return 1; }
};

/// A line of tiles: a space that has no picture.
struct line {
  int tiles;

  int size() const { return tiles; }
  int tile(int number) const { return number; }
  int number(int tile) const { return tile; }
  bool contains(int tile) const { return 0 <= tile && tile < tiles; }
};

struct in_line {
  line all;

  line space() const { return all; }
  int size() const { return all.tiles; }
  int operator()(int i) const { return i; }
  int index(int tile) const { return tile; }
};
