#pragma once

#include "smoke.hpp"

namespace path_tracer {

/// A path. It owns its random numbers, so its result does not depend on the thread that works on it.
struct alignas(16) path {
  vec origin, direction, throughput, light;
  hit next;  // what the last ray has met
  unsigned pixel;
  random_stream random;
  // Bits 0 to 6: kind; 7: whether a lamp that it hits counts; 8 to 15: bounces; 16: whether it ends here.
  unsigned state = 0;

  PATH_TRACER_MEMBER kind what() const { return static_cast<kind>(state & 127); }
  PATH_TRACER_MEMBER int bounces() const { return static_cast<int>(state >> 8 & 255); }
  PATH_TRACER_MEMBER bool sees_lamps() const { return (state >> 7 & 1) != 0; }
  PATH_TRACER_MEMBER bool ends() const { return (state >> 16 & 1) != 0; }

  PATH_TRACER_MEMBER void turn_to(kind what) { state = (state & ~127u) | static_cast<unsigned>(what); }
  PATH_TRACER_MEMBER void bounced(bool sees) { state = ((state + 256) & ~128u) | (sees ? 128u : 0); }
  PATH_TRACER_MEMBER void end_here() { state |= 1u << 16; }
};

/// A ray from a path to a lamp, and the light that the path gets if nothing is in between.
struct alignas(16) aim {
  vec direction;
  float distance = 0;  // 0: no ray
  vec worth;
};

PATH_TRACER_FN unsigned octant_of(vec direction) {
  return (direction.x < 0 ? 1u : 0u) | (direction.y < 0 ? 2u : 0u) | (direction.z < 0 ? 4u : 0u);
}

/// The offset of a ray from its surface, so that it does not hit it again.
inline constexpr float off = 2e-4f;

/// Returns a path from the camera through a pixel.
PATH_TRACER_FN path begun(const scene& in, int x, int y, int width, int height, unsigned pass) {
  path of;
  of.pixel = static_cast<unsigned>(y) * static_cast<unsigned>(width) + static_cast<unsigned>(x);
  of.random = random_stream::of(of.pixel, pass);
  const float right = 2 * (static_cast<float>(x) + of.random.next()) / static_cast<float>(width) - 1;
  const float up = 1 - 2 * (static_cast<float>(y) + of.random.next()) / static_cast<float>(height);
  const circle around = on_circle(of.random.next());
  const float radius = in.eye.lens * sqrtf(of.random.next());
  const vec shift = plus(in.eye.right * (around.cosine * radius), in.eye.up, around.sine * radius);
  const vec toward = plus(plus(in.eye.forward, in.eye.right, right * in.eye.wide), in.eye.up, up * in.eye.high);
  of.origin = in.eye.from + shift;
  of.direction = normalized(toward * in.eye.focus - shift);
  of.throughput = all(1);
  of.light = {};
  of.next = {INFINITY, 0, 0, -1};
  of.state = 128;
  return of;
}

}  // namespace path_tracer
