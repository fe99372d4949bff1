#pragma once

#include <string>
#include <vector>

#include <heddle/predict/order_choice.hpp>

// What orders do to the time of a matrix product on the GPU at hand. measured.cu where there is a CUDA compiler,
// not_measured.cpp elsewhere.

namespace demo {

/// Milliseconds in blocks of 128 x 128, and in clusters of two blocks of 128 x 256, which share what they load.
struct order_times {
  std::string order;
  double blocks, clusters;
};

struct measurement {
  std::string gpu, why_not;  // one of both
  std::vector<order_times> times;
};

/// bf16, in every order, static and persistent; medians.
measurement measure_product(int m, int n, int k, const std::vector<heddle::predict::order_choice>& orders);

}  // namespace demo
