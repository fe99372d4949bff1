#pragma once

#include "vec.hpp"

// A tree of boxes over triangles, and the way of a ray through it.

namespace path_tracer {

struct alignas(16) quad {
  float x, y, z, w;
};

/// Two boxes and what is in them: a node by its number, or ~(first * 8 + count) for triangles.
struct alignas(16) node {
  quad left, right, depths;  // least and most: x and y of the left box, of the right one, and z of both
  int children[4];           // two of them
};

/// A corner and the edges from there.
struct alignas(16) triangle {
  quad corner, edge, other;

  PATH_TRACER_MEMBER vec normal() const { return cross(vec{edge.x, edge.y, edge.z}, vec{other.x, other.y, other.z}); }
};

struct hit {
  float distance, u, v;  // along the ray; weights of the second and the third corner
  int triangle;          // -1 is none
};

struct bvh {
  static constexpr int most_depth = 48;

  const node* nodes;
  const triangle* triangles;
};

/// A box in the way: from where, and infinity where it is not.
PATH_TRACER_FN float entry(float x0, float x1, float y0, float y1, float z0, float z1, vec from, vec inverse,
                           float until) {
  const float ax = fmaf(x0, inverse.x, from.x), bx = fmaf(x1, inverse.x, from.x);
  const float ay = fmaf(y0, inverse.y, from.y), by = fmaf(y1, inverse.y, from.y);
  const float az = fmaf(z0, inverse.z, from.z), bz = fmaf(z1, inverse.z, from.z);
  const float in = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0));
  const float out = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fminf(fmaxf(az, bz), until));
  return in <= out ? in : INFINITY;
}

/// The nearest hit nearer than `until`, or any of them.
PATH_TRACER_CALL hit trace(bvh in, vec origin, vec direction, float until, bool any) {
  const auto inverse_of = [](float of) { return 1 / (fabsf(of) > 1e-12f ? of : copysignf(1e-12f, of)); };
  const vec inverse{inverse_of(direction.x), inverse_of(direction.y), inverse_of(direction.z)};
  const vec from = -(origin * inverse);
  hit found{until, 0, 0, -1};
  int stack[bvh::most_depth], height = 0, at = 0;
  while (true) {
    while (at >= 0) {
      const node here = in.nodes[at];
      const float left = entry(here.left.x, here.left.y, here.left.z, here.left.w, here.depths.x, here.depths.y, from,
                               inverse, found.distance);
      const float right = entry(here.right.x, here.right.y, here.right.z, here.right.w, here.depths.z, here.depths.w,
                                from, inverse, found.distance);
      const bool swap = right < left;
      const int near = swap ? here.children[1] : here.children[0], far = swap ? here.children[0] : here.children[1];
      if (fminf(left, right) == INFINITY) {
        if (height == 0) return found;
        at = stack[--height];
      } else {
        if (fmaxf(left, right) < INFINITY) stack[height++] = far;
        at = near;
      }
    }
    const int first = ~at >> 3, last = first + (~at & 7);
    for (int i = first; i < last; ++i) {
      const triangle of = in.triangles[i];
      const vec edge{of.edge.x, of.edge.y, of.edge.z}, other{of.other.x, of.other.y, of.other.z};
      const vec across = cross(direction, other), way = origin - vec{of.corner.x, of.corner.y, of.corner.z};
      const float scale = 1 / dot(edge, across), u = dot(way, across) * scale;
      const vec up = cross(way, edge);
      const float v = dot(direction, up) * scale, distance = dot(other, up) * scale;
      if (u >= 0 && v >= 0 && u + v <= 1 && distance > 0 && distance < found.distance) {
        found = {distance, u, v, i};
        if (any) return found;
      }
    }
    if (height == 0) return found;
    at = stack[--height];
  }
}

}  // namespace path_tracer
