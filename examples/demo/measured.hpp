#pragma once

#include <string>
#include <vector>

#include <heddle/predict/advice.hpp>
#include <heddle/predict/stencil_problem.hpp>

// What orders and schedules do to time on the GPU at hand. measured_*.cu where there is a CUDA compiler,
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

struct pass_time {
  std::string choice;
  double milliseconds;
};

struct pass_measurement {
  std::string gpu, why_not;  // one of both
  std::vector<pass_time> times;
};

/// A level of the denoiser of examples/convolution, float4, by each choice; medians.
pass_measurement measure_pass(const heddle::predict::stencil_problem& pass,
                              const std::vector<heddle::predict::advice>& choices);

}  // namespace demo
