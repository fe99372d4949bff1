#pragma once

#include <heddle/coord.hpp>

/// An order without its inverse.
struct one_way {
  heddle::extent shape{1, 1};

  HEDDLE_FN heddle::extent grid() const { return shape; }
  HEDDLE_FN int size() const { return 1; }
  HEDDLE_FN heddle::coord operator()(int) const { return {0, 0}; }
};
