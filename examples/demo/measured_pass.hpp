#pragma once

#include <heddle/predict/stencil_problem.hpp>
#include <heddle/recipe/recipe.hpp>

#include "measured.hpp"

// Apart from measured.hpp: without the problem, the other kernels compile faster.

namespace demo {

struct pass_time {
  std::string choice;
  double milliseconds;
};

/// A level of the denoiser of examples/convolution, float4, by each choice; medians.
measurement<pass_time> measure_pass(const heddle::predict::stencil_problem& pass,
                                    const std::vector<heddle::recipe>& choices);

}  // namespace demo
