// expect: contains_tiles

#include <heddle/schedule/strided.hpp>

struct half_of_clusters {
  heddle::extent shape{1, 1};

  HEDDLE_FN heddle::extent grid() const { return shape; }
  HEDDLE_FN int size() const { return 1; }
  HEDDLE_FN heddle::coord operator()(int) const { return {0, 0}; }
  HEDDLE_FN int index(heddle::coord) const { return 0; }
  HEDDLE_FN heddle::coord tile(int, int block) const { return {0, block}; }
  HEDDLE_FN heddle::extent tiles() const { return shape; }
  HEDDLE_FN int blocks_in_cluster() const { return 1; }
};

heddle::strided<half_of_clusters> scheduler{half_of_clusters{}};
