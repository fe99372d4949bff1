#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "scene.hpp"

// Shapes made of triangles, with normals.

namespace path_tracer {

struct corner {
  vec at, normal;
};

struct face_of_mesh {
  corner corners[3];
  int material;
};

/// A scale, a rotation about an axis, and then a translation.
struct placement {
  vec at;
  float size = 1;
  vec axis{0, 1, 0};
  float angle = 0;

  vec turned(vec v) const {
    const float c = std::cos(angle), s = std::sin(angle);
    return v * c + cross(axis, v) * s + axis * (dot(axis, v) * (1 - c));
  }
  corner operator()(corner of) const { return {turned(of.at) * size + at, turned(of.normal)}; }
};

class mesh {
 public:
  std::vector<face_of_mesh> faces;

  void add(const corner& a, const corner& b, const corner& c, int material) { faces.push_back({{a, b, c}, material}); }

  /// Adds a parallelogram.
  void add_flat(vec corner_at, vec edge, vec other, int material) {
    const vec normal = normalized(cross(edge, other));
    const corner a{corner_at, normal}, b{corner_at + edge, normal}, c{corner_at + other, normal},
        d{corner_at + edge + other, normal};
    add(a, b, d, material);
    add(a, d, c, material);
  }

  void add_box(const placement& place, vec half, int material) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const float side : {-1.f, 1.f}) {
        vec normal, u, v;
        (&normal.x)[axis] = side;
        (&u.x)[(axis + 1) % 3] = side;
        (&v.x)[(axis + 2) % 3] = 1;
        const auto at = [&](float along_u, float along_v) {
          return place({(normal + u * along_u + v * along_v) * half, normal});
        };
        add(at(-1, -1), at(1, -1), at(1, 1), material);
        add(at(-1, -1), at(1, 1), at(-1, 1), material);
      }
    }
  }

  /// Adds a surface of two parameters from 0 to 1; `of(u, v)` is a point. Normals come from differences.
  template <class Of>
  void add_surface(const placement& place, int columns, int rows, int material, Of of) {
    const auto corner_at = [&](int column, int row) {
      const float u = static_cast<float>(column) / static_cast<float>(columns),
                  v = static_cast<float>(row) / static_cast<float>(rows), step = 1e-3f;
      const vec along = of(u + step, v) - of(u - step, v), across = of(u, v + step) - of(u, v - step);
      const vec normal = cross(across, along);
      const float length = std::sqrt(dot(normal, normal));
      return place({of(u, v), length > 1e-12f ? normal * (1 / length) : vec{0, v < 0.5f ? 1.f : -1.f, 0}});
    };
    const std::size_t first = faces.size();
    std::vector<corner> above, row;
    for (int j = 0; j <= rows; ++j) {
      row.clear();
      for (int i = 0; i <= columns; ++i) row.push_back(corner_at(i, j));
      for (std::size_t i = 0; j > 0 && i < static_cast<std::size_t>(columns); ++i) {
        add(above[i], row[i], row[i + 1], material);
        add(above[i], row[i + 1], above[i + 1], material);
      }
      above = row;
    }
    turn_outside(first);
  }

  /// Turns faces from `first` on outside: the signed volume of a closed surface is negative if it is inside out.
  void turn_outside(std::size_t first) {
    float volume = 0;
    const vec center = faces[first].corners[0].at;
    for (std::size_t i = first; i < faces.size(); ++i) {
      const auto& [a, b, c] = faces[i].corners;
      volume += dot(a.at - center, cross(b.at - center, c.at - center));
    }
    if (volume >= 0) return;
    for (std::size_t i = first; i < faces.size(); ++i) {
      std::swap(faces[i].corners[1], faces[i].corners[2]);
      for (corner& each : faces[i].corners) each.normal = -each.normal;
    }
  }

  void add_sphere(const placement& place, int detail, int material) {
    add_surface(place, 2 * detail, detail, material, [](float u, float v) {
      const float around = 6.2831853f * u, down = 3.14159265f * v;
      return vec{std::sin(down) * std::cos(around), std::cos(down), std::sin(down) * std::sin(around)};
    });
  }

  void add_torus(const placement& place, float thickness, int detail, int material) {
    add_surface(place, 2 * detail, detail, material, [=](float u, float v) {
      const float around = 6.2831853f * u, over = 6.2831853f * v, far = 1 + thickness * std::cos(over);
      return vec{far * std::cos(around), thickness * std::sin(over), far * std::sin(around)};
    });
  }

  /// Adds a tube along a knot that winds `p` times round and `q` times through.
  void add_knot(const placement& place, int p, int q, float thickness, int columns, int rows, int material) {
    const auto line = [=](float t) {
      const float around = 6.2831853f * static_cast<float>(p) * t, through = 6.2831853f * static_cast<float>(q) * t;
      const float far = 1 + 0.45f * std::cos(through);
      return vec{far * std::cos(around), 0.45f * std::sin(through), far * std::sin(around)};
    };
    add_surface(place, columns, rows, material, [=](float u, float v) {
      const vec here = line(u), along = normalized(line(u + 1e-3f) - line(u - 1e-3f));
      const vec side = normalized(cross(along, normalized(here - vec{0, here.y, 0}))), up = cross(side, along);
      const float angle = 6.2831853f * v;
      return here + side * (thickness * std::cos(angle)) + up * (thickness * std::sin(angle));
    });
  }
};

}  // namespace path_tracer
