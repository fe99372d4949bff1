#pragma once

#include "bvh.hpp"
#include "materials.hpp"

// What a path can meet, as kernels see it: numbers and pointers.

namespace path_tracer {

/// Of the corners of a triangle, and which material it has.
struct shading {
  vec normals[3];
  int material;
};

/// A parallelogram that shines to both sides, and that is aimed at.
struct lamp {
  vec corner, edge, other, emission;
};

/// Smoke in a ball: how dense it is, noise says.
struct smoke_ball {
  vec center;
  float radius = 0;      // 0 is none
  float extinction = 0;  // where it is densest, in 1 / length
  float albedo = 0;
};

struct camera {
  vec from, right, up, forward;
  float wide, high;  // half the picture at distance 1
  float lens, focus;
};

struct scene {
  static constexpr int most_lamps = 4;

  bvh tree;
  const shading* shadings;
  const material* materials;
  lamp lamps[most_lamps];
  int lamp_count;
  smoke_ball smoke;
  camera eye;
  kind sky;
  vec sky_color;  // times that of the kind
  int most_bounces;
  unsigned kinds_there;
  float instructions_of_visit;  // on average over these kinds
};

}  // namespace path_tracer
