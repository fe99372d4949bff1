// expect: Give it a plain entry for that architecture or an older one

#include <heddle/launch/launch_box.hpp>

struct box {
  struct params {
    int threads, min_blocks;
  };
  HEDDLE_FN params operator()(heddle::arch target) const {
    return heddle::box_match<params>(target, {{100, {256, 0}}});
  }
};

template <heddle::launch_box Box>
__global__ __launch_bounds__(heddle::box_params<Box>().threads) void kernel() {}

template __global__ void kernel<box>();
