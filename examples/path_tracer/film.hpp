#pragma once

#include "vec.hpp"

namespace path_tracer {

/// Sums light as integers in units of 2^-20, so that sums do not depend on the order of additions.
struct film {
  using sum = unsigned long long;
  static constexpr float unit = 0x1p-20f, most = 64;  // brighter paths are clamped: they would be white dots

  sum* sums;  // red, green and blue of each pixel

  PATH_TRACER_MEMBER static sum whole(float light) {
    return static_cast<sum>(clamped(light, 0, most) * (1 / unit) + 0.5f);  // NaN becomes 0
  }

  /// Adds light to a pixel. `add(word, value)` does one addition.
  template <class Add>
  PATH_TRACER_MEMBER void expose(unsigned pixel, vec light, Add add) const {
    sum* const at = sums + 3ull * pixel;
    add(at, whole(light.x));
    add(at + 1, whole(light.y));
    add(at + 2, whole(light.z));
  }
};

}  // namespace path_tracer
