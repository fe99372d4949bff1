#pragma once

#include "vec.hpp"

namespace path_tracer {

PATH_TRACER_FN unsigned mixed(unsigned word) {
  word = (word ^ word >> 16) * 0x7feb352du;
  word = (word ^ word >> 15) * 0x846ca68bu;
  return word ^ word >> 16;
}

/// A stream of random numbers that a path owns: they do not depend on the thread that works on the path.
struct random_stream {
  unsigned state = 0;

  PATH_TRACER_MEMBER static random_stream of(unsigned pixel, unsigned pass) {
    return {mixed(mixed(pixel + 0x9e3779b9u) + pass)};
  }

  /// Returns a number from 0 to below 1.
  PATH_TRACER_MEMBER float next() {
    state = state * 747796405u + 2891336453u;
    const unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return static_cast<float>((word >> 22 ^ word) >> 8) * 0x1p-24f;
  }
};

}  // namespace path_tracer
