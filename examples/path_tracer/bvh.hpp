#pragma once

#include "vec.hpp"

// A tree of boxes over triangles, and the walk of a ray through it.

namespace path_tracer {

struct alignas(16) quad {
  float x, y, z, w;
};

/// Two boxes and what is in each: the number of a node, or ~(first * 8 + count) for triangles.
struct alignas(16) node {
  quad left, right, depths;  // bounds: x and y of the left box; of the right one; z of both
  int children[4];           // the first two are used
};

/// A corner and the two edges from it.
struct alignas(16) triangle {
  quad corner, edge, other;

  PATH_TRACER_MEMBER vec normal() const { return cross(vec{edge.x, edge.y, edge.z}, vec{other.x, other.y, other.z}); }
};

struct hit {
  float distance, u, v;  // along the ray; u, v: weights of the second and the third corner
  int triangle;          // -1: none
};

struct bvh {
  static constexpr int most_depth = 48;

  const node* nodes;
  const triangle* triangles;
};

/// Returns the distance at which a ray enters a box, or infinity if it misses it.
PATH_TRACER_FN float entry(float x0, float x1, float y0, float y1, float z0, float z1, vec from, vec inverse,
                           float until) {
  const float ax = fmaf(x0, inverse.x, from.x), bx = fmaf(x1, inverse.x, from.x);
  const float ay = fmaf(y0, inverse.y, from.y), by = fmaf(y1, inverse.y, from.y);
  const float az = fmaf(z0, inverse.z, from.z), bz = fmaf(z1, inverse.z, from.z);
  const float in = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0));
  const float out = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fminf(fmaxf(az, bz), until));
  return in <= out ? in : INFINITY;
}

/// The walk of a ray through the tree, one step per call, so that a warp can interleave the walks of its lanes.
class walk {
  static constexpr int nowhere = -0x7fffffff - 1;

 public:
  /// The stack of nodes still to visit; apart from the rest, which should stay in registers.
  struct later {
    int nodes[bvh::most_depth];
  };

  walk() = default;
  PATH_TRACER_MEMBER walk(vec origin, vec direction, float until, bool any)
      : origin_(origin), direction_(direction), found_{until, 0, 0, -1}, any_(any), at_(0) {
    const auto inverse_of = [](float of) { return 1 / (fabsf(of) > 1e-12f ? of : copysignf(1e-12f, of)); };
    inverse_ = {inverse_of(direction.x), inverse_of(direction.y), inverse_of(direction.z)};
    from_ = -(origin * inverse_);
  }

  PATH_TRACER_MEMBER bool at_node() const { return at_ >= 0; }
  PATH_TRACER_MEMBER bool at_triangle() const { return at_ < 0 && at_ != nowhere; }

  PATH_TRACER_MEMBER bool has_arrived() const { return at_ == nowhere; }

  /// Returns the nearest hit nearer than `until`; or, with `any`, the first one found.
  PATH_TRACER_MEMBER hit found() const { return found_; }

  PATH_TRACER_MEMBER void pass_node(const bvh& in, later& stack) {
    const node here = in.nodes[at_];
    const float left = entry(here.left.x, here.left.y, here.left.z, here.left.w, here.depths.x, here.depths.y, from_,
                             inverse_, found_.distance);
    const float right = entry(here.right.x, here.right.y, here.right.z, here.right.w, here.depths.z, here.depths.w,
                              from_, inverse_, found_.distance);
    const bool swap = right < left;
    const int near = swap ? here.children[1] : here.children[0], far = swap ? here.children[0] : here.children[1];
    if (fminf(left, right) == INFINITY) return go_back(stack);
    if (fmaxf(left, right) < INFINITY) stack.nodes[height_++] = far;
    at_ = near;
  }

  PATH_TRACER_MEMBER void pass_triangle(const bvh& in, later& stack) {
    const int number = ~at_ >> 3, left = ~at_ & 7;
    const triangle of = in.triangles[number];
    const vec edge{of.edge.x, of.edge.y, of.edge.z}, other{of.other.x, of.other.y, of.other.z};
    const vec across = cross(direction_, other), way = origin_ - vec{of.corner.x, of.corner.y, of.corner.z};
    const float scale = 1 / dot(edge, across), u = dot(way, across) * scale;
    const vec up = cross(way, edge);
    const float v = dot(direction_, up) * scale, distance = dot(other, up) * scale;
    if (u >= 0 && v >= 0 && u + v <= 1 && distance > 0 && distance < found_.distance) {
      found_ = {distance, u, v, number};
      if (any_) height_ = 0;
    }
    if (left > 1 && !(any_ && found_.triangle >= 0)) {
      at_ = ~((number + 1) * 8 + left - 1);
    } else {
      go_back(stack);
    }
  }

 private:
  PATH_TRACER_MEMBER void go_back(later& stack) { at_ = height_ == 0 ? nowhere : stack.nodes[--height_]; }

  vec origin_, direction_, inverse_, from_;
  hit found_{};
  bool any_ = false;
  int at_ = nowhere, height_ = 0;
};

}  // namespace path_tracer
