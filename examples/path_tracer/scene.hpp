#pragma once

#include "bvh.hpp"
#include "materials.hpp"

// What a path can meet, as kernels see it: values and pointers.

namespace path_tracer {

/// The normals at the corners of a triangle, and the number of its material.
struct shading {
  vec normals[3];
  int material;
};

/// A parallelogram that shines to both sides, and that paths aim at.
struct lamp {
  vec corner, edge, other, emission;
};

/// Smoke in a ball; noise gives its density.
struct smoke_ball {
  vec center;
  float radius = 0;      // 0: no smoke
  float extinction = 0;  // at the densest point, in 1 / length
  float albedo = 0;
};

struct camera {
  vec from, right, up, forward;
  float wide, high;  // half the extents of the picture at distance 1
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
  vec sky_color;  // a factor of the sky's light
  int most_bounces;
  unsigned kinds_there;
  float instructions_of_visit;  // the average over the kinds that are there
};

}  // namespace path_tracer
