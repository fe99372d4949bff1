// expect: a launch box has threads from 1 to 1024

#include <heddle/launch/launch_box.hpp>

struct box {
  struct params {
    int threads, min_blocks;
  };
  HEDDLE_FN params operator()(heddle::arch) const { return {2048, 0}; }
};

template <heddle::launch_box Box>
__global__ __launch_bounds__(heddle::box_params<Box>().threads) void kernel() {}

template __global__ void kernel<box>();
