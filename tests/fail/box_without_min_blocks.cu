// expect: launch_params

#include <heddle/launch/launch_box.hpp>

struct box {
  struct params {
    int threads;
  };
  HEDDLE_FN params operator()(heddle::arch) const { return {256}; }
};

constexpr heddle::launch_box auto checked = box{};
