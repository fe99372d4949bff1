#pragma once

#include "noise.hpp"

// The materials of surfaces. Each kind has code of its own; materials of one kind differ in their parameters.

namespace path_tracer {

/// What a path has met, and so its next step: the key of a path. The most expensive kinds come first.
enum class kind : unsigned char {
  smoke,     // on the way: is the path scattered in it?
  ceramic,   // a glaze with a bumpy surface
  marble,    // veins, warped by noise
  terrazzo,  // stones of two sizes in cement
  rust,      // bare metal, and rust on it
  flakes,    // car paint
  clouds,    // nothing was hit: a sky with clouds
  wood,
  glass,
  metal,
  plastic,  // diffuse under a clear coat
  plain,    // diffuse
  light,
  haze,    // nothing was hit: a sky without clouds
  camera,  // the path has ended, and another begins
};
inline constexpr unsigned kinds = 15;

/// Returns about how many instructions only this kind takes: estimated from the octaves and cells of its noise.
PATH_TRACER_FN float instructions_of(kind of) {
  switch (of) {
    case kind::smoke:
      return 7000;
    case kind::ceramic:
      return 4500;
    case kind::marble:
      return 4200;
    case kind::terrazzo:
      return 2400;
    case kind::rust:
      return 2900;
    case kind::flakes:
      return 1300;
    case kind::clouds:
      return 1400;
    case kind::wood:
      return 1500;
    case kind::camera:
      return 250;
    default:
      return 100;
  }
}

struct material {
  kind what = kind::plain;
  bool sampled = false;  // a light that paths aim at
  float roughness = 0, scale = 1;
  vec color, other, emission;
};

/// How light is reflected or transmitted at a point.
enum class lobe : unsigned char { diffuse, glossy, glass };

struct surface {
  lobe how = lobe::diffuse;
  float roughness = 0, coat = 0;  // coat: what a clear coat reflects at normal incidence
  vec color, emission, normal;
};

PATH_TRACER_FN surface ceramic(const material& of, vec at, vec normal) {
  const vec p = at * (of.scale * 2);
  constexpr float step = 0.05f;
  const float here = turbulence(p, 4);
  const vec slope{turbulence({p.x + step, p.y, p.z}, 4) - here, turbulence({p.x, p.y + step, p.z}, 4) - here,
                  turbulence({p.x, p.y, p.z + step}, 4) - here};
  const vec bumped = normalized(plus(normal, slope - normal * dot(slope, normal), -2.2f));
  const float craze = smooth_step(0, 0.1f, here);
  return {lobe::diffuse, 0.03f, 0.05f, mix(of.other, of.color, craze), {}, bumped};
}

PATH_TRACER_FN surface marble(const material& of, vec at, vec normal) {
  const vec p = at * of.scale;
  const vec warp{fractal(p, 4), fractal(p + all(5.2f), 4), fractal(p + all(9.7f), 4)};
  const float veins = turbulence(plus(p, warp, 1.6f) * 1.5f, 6);
  const float along = fabsf(on_circle(fabsf(0.35f * (p.x + p.y) + 1.3f * veins)).sine);
  const float strength = 1 - along * along;
  return {lobe::diffuse, 0.02f, 0.04f, mix(of.color, of.other, strength * strength), {}, normal};
}

PATH_TRACER_FN surface terrazzo(const material& of, vec at, vec normal) {
  const vec p = at * (of.scale * 2);
  const cell large = cells(p), small = cells(p * 2.7f + all(31.7f));
  const float grain = fractal(p * 6, 2);
  const auto stone = [&](unsigned number) {
    const float shade = 0.35f + 0.65f * static_cast<float>(number >> 8 & 255) / 255;
    return mix(of.other, vec{0.75f, 0.72f, 0.68f}, static_cast<float>(number & 255) / 255) * shade;
  };
  vec color = of.color * (1 + 0.25f * grain);
  if (small.second - small.nearest > 0.12f && (small.number & 3) != 0) color = stone(small.number);
  if (large.second - large.nearest > 0.1f && (large.number & 7) < 5) color = stone(large.number);
  return {lobe::diffuse, 0.06f, 0.04f, color, {}, normal};
}

PATH_TRACER_FN surface rust(const material& of, vec at, vec normal) {
  const vec p = at * (of.scale * 1.5f);
  const float patches = fractal(p, 5) + 0.35f * fractal(p * 4, 3), pits = cells(p * 7).nearest;
  const float bare = smooth_step(-0.02f, 0.12f, patches + 0.12f * pits - 0.03f);
  if (bare > 0.5f) return {lobe::glossy, of.roughness + 0.25f * (1 - bare), 0, of.color, {}, normal};
  const float shade = 0.5f + 0.9f * turbulence(p * 5, 4);
  return {lobe::diffuse, 0, 0, of.other * shade, {}, normal};
}

PATH_TRACER_FN surface flakes(const material& of, vec at, vec normal) {
  const cell flake = cells(at * (of.scale * 40));
  const auto tilt = [&](int shift) { return static_cast<float>(flake.number >> shift & 255) / 255 - 0.5f; };
  const vec tilted = normalized(plus(normal, vec{tilt(0), tilt(8), tilt(16)}, 0.35f));
  const float glint = static_cast<float>(flake.number >> 24) / 255;
  return {lobe::glossy, 0.25f, 0.06f, mix(of.color, of.other, glint * glint), {}, tilted};
}

PATH_TRACER_FN surface wood(const material& of, vec at, vec normal) {
  const vec p = at * of.scale;
  const float wobble = fractal(p * vec{1.2f, 0.35f, 1.2f}, 4), grain = fractal(p * vec{28, 2.5f, 28}, 2);
  const float radius = sqrtf(fmaf(p.x, p.x, p.z * p.z)) * 4 + 1.8f * wobble;
  const float ring = radius - floorf(radius), dark = smooth_step(0.35f, 0.9f, ring) * (1 - smooth_step(0.93f, 1, ring));
  return {lobe::diffuse, 0.12f, 0.03f, mix(of.color, of.other, clamped(dark + 0.45f * grain, 0, 1)), {}, normal};
}

PATH_TRACER_FN surface surface_of(const material& of, vec at, vec normal) {
  switch (of.what) {
    case kind::ceramic:
      return ceramic(of, at, normal);
    case kind::marble:
      return marble(of, at, normal);
    case kind::terrazzo:
      return terrazzo(of, at, normal);
    case kind::rust:
      return rust(of, at, normal);
    case kind::flakes:
      return flakes(of, at, normal);
    case kind::wood:
      return wood(of, at, normal);
    case kind::glass:
      return {lobe::glass, of.roughness, 0, of.color, {}, normal};
    case kind::metal:
      return {lobe::glossy, of.roughness, 0, of.color, {}, normal};
    case kind::plastic:
      return {lobe::diffuse, of.roughness, 0.04f, of.color, {}, normal};
    default:
      return {lobe::diffuse, 0, 0, of.color, of.emission, normal};
  }
}

/// The evening sky.
PATH_TRACER_FN vec haze(vec direction) {
  const float up = clamped(direction.y, 0, 1), low = 1 - up;
  const vec horizon{0.95f, 0.55f, 0.42f}, zenith{0.09f, 0.19f, 0.45f};
  const float toward_sun = clamped(dot(direction, vec{-0.78f, 0.17f, -0.6f}), 0, 1);
  const float glow = toward_sun * toward_sun * toward_sun * toward_sun;
  return plus(mix(zenith, horizon, low * low * low * low) * 0.55f, vec{1.0f, 0.55f, 0.25f}, glow * glow * 1.1f);
}

PATH_TRACER_FN vec clouds(vec direction) {
  const float far = 1 / fmaxf(direction.y + 0.12f, 0.05f);
  const vec p{direction.x * far, 0, direction.z * far};
  const float cover = fractal(p * vec{0.7f, 1, 1.3f}, 6), lit = fractal(p * vec{0.7f, 1, 1.3f} + all(0.21f), 4);
  const float dense = smooth_step(-0.02f, 0.42f, cover) * smooth_step(-0.02f, 0.25f, direction.y);
  const vec color = mix(vec{1.1f, 0.62f, 0.46f}, vec{0.30f, 0.28f, 0.42f}, smooth_step(-0.25f, 0.3f, lit));
  return mix(haze(direction), color * 0.75f, dense * 0.9f);
}

}  // namespace path_tracer
