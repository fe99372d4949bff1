#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "build_bvh.hpp"
#include "mesh.hpp"
#include "world.hpp"

namespace path_tracer {

/// Collects shapes, materials and lamps, and builds a world of them.
struct stage {
  world of;
  mesh shapes;

  int add(const material& next) {
    of.materials.push_back(next);
    return static_cast<int>(of.materials.size()) - 1;
  }

  /// Adds a lamp and its two triangles.
  void add_lamp(const lamp& next) {
    material shining;
    shining.what = kind::light;
    shining.sampled = true;
    shining.emission = next.emission;
    shapes.add_flat(next.corner, next.edge, next.other, add(shining));
    of.numbers.lamps[of.numbers.lamp_count++] = next;
  }

  void look(vec from, vec at, float degrees, float aspect, float lens) {
    const vec way = at - from, forward = normalized(way), right = normalized(cross(forward, {0, 1, 0}));
    const float half = std::tan(degrees * 3.14159265f / 360);
    of.numbers.eye = {from, right, cross(right, forward), forward, half * aspect, half, lens, std::sqrt(dot(way, way))};
  }

  /// Builds the tree over all triangles, averages the cost of a visit over the kinds there are, and returns the world.
  world built() {
    std::vector<box> boxes;
    for (const face_of_mesh& each : shapes.faces) {
      box its;
      for (const corner& at : each.corners) its.add(at.at);
      boxes.push_back(its);
    }
    bvh_builder tree(std::move(boxes));
    of.nodes = std::move(tree.nodes);
    bool there[kinds] = {};
    there[static_cast<int>(of.numbers.sky)] = there[static_cast<int>(kind::camera)] = true;
    there[static_cast<int>(kind::smoke)] = of.numbers.smoke.radius > 0;
    for (const int number : tree.order) {
      const face_of_mesh& each = shapes.faces[static_cast<std::size_t>(number)];
      const vec a = each.corners[0].at, b = each.corners[1].at - a, c = each.corners[2].at - a;
      of.triangles.push_back({{a.x, a.y, a.z, 0}, {b.x, b.y, b.z, 0}, {c.x, c.y, c.z, 0}});
      of.shadings.push_back({{each.corners[0].normal, each.corners[1].normal, each.corners[2].normal}, each.material});
      there[static_cast<int>(of.materials[static_cast<std::size_t>(each.material)].what)] = true;
    }
    float sum = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < kinds; ++i) {
      if (!there[i]) continue;
      sum += instructions_of(static_cast<kind>(i));
      ++count;
    }
    of.numbers.kinds_there = count;
    of.numbers.instructions_of_visit = sum / static_cast<float>(count);
    return std::move(of);
  }
};

}  // namespace path_tracer
