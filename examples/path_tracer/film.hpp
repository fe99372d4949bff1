#pragma once

#include "vec.hpp"

namespace path_tracer {

/// Where light is added up, in whole 2^-20 of it: sums do not depend on who comes first.
struct film {
  using sum = unsigned long long;
  static constexpr float unit = 0x1p-20f, most = 64;  // a path that is brighter is cut: it would be a white dot

  sum* sums;  // red, green and blue of each pixel

  PATH_TRACER_MEMBER static sum whole(float light) {
    return static_cast<sum>(clamped(light, 0, most) * (1 / unit) + 0.5f);  // of what is no number, 0
  }

  /// `add(word, value)` is how memory is added to.
  template <class Add>
  PATH_TRACER_MEMBER void expose(unsigned pixel, vec light, Add add) const {
    sum* const at = sums + 3ull * pixel;
    add(at, whole(light.x));
    add(at + 1, whole(light.y));
    add(at + 2, whole(light.z));
  }
};

}  // namespace path_tracer
