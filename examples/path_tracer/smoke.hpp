#pragma once

#include "scene.hpp"

// A participating medium, by delta tracking, which needs only an upper bound of the density: free paths are drawn as if
// the medium were that dense everywhere, and each collision counts with a probability of density over bound.

namespace path_tracer {

/// The part of a ray inside the ball.
struct stretch {
  float from, to;
  PATH_TRACER_MEMBER bool is_empty() const { return !(from < to); }
};
PATH_TRACER_FN stretch within(const smoke_ball& ball, vec origin, vec direction, float until) {
  const vec way = ball.center - origin;
  const float along = dot(way, direction), square = fmaf(ball.radius, ball.radius, fmaf(along, along, -dot(way, way)));
  if (!(square > 0) || ball.radius == 0) return {1, 0};
  const float half = sqrtf(square);
  return {fmaxf(along - half, 0), fminf(along + half, until)};
}

/// Returns the density at a point, 0 to 1.
PATH_TRACER_CALL float density(const smoke_ball& ball, vec at) {
  const vec p = (at - ball.center) * (1 / ball.radius);
  const float inside = 1 - dot(p, p);
  if (inside <= 0) return 0;
  const float billows = fractal(vec{p.x * 2.4f, p.y * 1.7f, p.z * 2.4f} + all(3.3f), 4);
  return clamped(inside * 1.2f + billows * 2.2f - 0.35f, 0, 1) * smooth_step(0, 0.25f, inside);
}

/// Returns the distance at which a path is scattered in smoke, or -1.
PATH_TRACER_FN float meets(const smoke_ball& ball, vec origin, vec direction, stretch part, random_stream& random) {
  const float step = 1 / ball.extinction;
  for (float at = part.from;;) {
    at -= logf(1 - random.next()) * step;
    if (at >= part.to) return -1;
    if (random.next() < density(ball, plus(origin, direction, at))) return at;
  }
}

/// Returns an unbiased estimate of the transmittance.
PATH_TRACER_FN float passes(const smoke_ball& ball, vec origin, vec direction, stretch part, random_stream& random) {
  const float step = 1 / ball.extinction;
  float through = 1;
  for (float at = part.from;;) {
    at -= logf(1 - random.next()) * step;
    if (at >= part.to || through < 0.001f) return through;
    through *= 1 - density(ball, plus(origin, direction, at));
  }
}

}  // namespace path_tracer
