#pragma once

// An order of a space that has no picture.

/// A line of tiles.
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
