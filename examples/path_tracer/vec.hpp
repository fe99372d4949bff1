#pragma once

#include <cmath>

// Vectors, the same on host and device. Sums of products are fused explicitly: the program is compiled without
// contraction, so that every kernel with this code rounds alike.

#if defined(__CUDACC__)
#define PATH_TRACER_MEMBER __host__ __device__
#define PATH_TRACER_FN __host__ __device__ inline
#define PATH_TRACER_CALL __host__ __device__ __noinline__ inline  // not inlined: many places call it
#else
#define PATH_TRACER_MEMBER
#define PATH_TRACER_FN inline
#define PATH_TRACER_CALL inline
#endif

namespace path_tracer {

struct vec {
  float x = 0, y = 0, z = 0;
};

PATH_TRACER_FN vec all(float each) {
  return {each, each, each};
}
PATH_TRACER_FN vec operator+(vec a, vec b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
PATH_TRACER_FN vec operator-(vec a, vec b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
PATH_TRACER_FN vec operator-(vec a) {
  return {-a.x, -a.y, -a.z};
}
PATH_TRACER_FN vec operator*(vec a, vec b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
PATH_TRACER_FN vec operator*(vec a, float by) {
  return {a.x * by, a.y * by, a.z * by};
}

/// Returns a + b * by.
PATH_TRACER_FN vec plus(vec a, vec b, float by) {
  return {fmaf(b.x, by, a.x), fmaf(b.y, by, a.y), fmaf(b.z, by, a.z)};
}
PATH_TRACER_FN float dot(vec a, vec b) {
  return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}
PATH_TRACER_FN vec cross(vec a, vec b) {
  return {fmaf(a.y, b.z, -(a.z * b.y)), fmaf(a.z, b.x, -(a.x * b.z)), fmaf(a.x, b.y, -(a.y * b.x))};
}
PATH_TRACER_FN vec normalized(vec a) {
  return a * (1 / sqrtf(dot(a, a)));
}
PATH_TRACER_FN float mix(float a, float b, float by) {
  return fmaf(b - a, by, a);
}
PATH_TRACER_FN vec mix(vec a, vec b, float by) {
  return plus(a, b - a, by);
}
PATH_TRACER_FN float clamped(float value, float least, float most) {
  return fminf(fmaxf(value, least), most);
}
PATH_TRACER_FN float smooth_step(float from, float to, float at) {
  const float t = clamped((at - from) / (to - from), 0, 1);
  return t * t * (3 - 2 * t);
}
PATH_TRACER_FN float largest(vec a) {
  return fmaxf(a.x, fmaxf(a.y, a.z));
}
PATH_TRACER_FN vec reflected(vec direction, vec normal) {
  return plus(direction, normal, -2 * dot(direction, normal));
}

/// Cosine and sine of an angle. `on_circle` takes it in turns, 0 to 1.
struct circle {
  float cosine, sine;
};
PATH_TRACER_FN circle on_circle(float turns) {
  const float quarters = turns * 4, nearest = floorf(quarters + 0.5f), x = (quarters - nearest) * 1.57079633f;
  const float square = x * x;
  const float sine = x * fmaf(square, fmaf(square, fmaf(square, -1.f / 5040, 1.f / 120), -1.f / 6), 1);
  const float cosine =
      fmaf(square, fmaf(square, fmaf(square, fmaf(square, 1.f / 40320, -1.f / 720), 1.f / 24), -0.5f), 1);
  switch (static_cast<int>(nearest) & 3) {
    case 0:
      return {cosine, sine};
    case 1:
      return {-sine, cosine};
    case 2:
      return {-cosine, -sine};
    default:
      return {sine, -cosine};
  }
}

/// An orthonormal basis around a normal.
struct frame {
  vec tangent, bitangent, normal;

  PATH_TRACER_MEMBER explicit frame(vec of) : normal(of) {
    const float sign = of.z < 0 ? -1.f : 1.f, a = -1 / (sign + of.z), b = of.x * of.y * a;
    tangent = {1 + sign * of.x * of.x * a, sign * b, -sign * of.x};
    bitangent = {b, sign + of.y * of.y * a, -of.y};
  }
  PATH_TRACER_MEMBER vec to_world(float x, float y, float z) const {
    return plus(plus(normal * z, bitangent, y), tangent, x);
  }
};

}  // namespace path_tracer
