#pragma once

#include <vector>

#include "scene.hpp"

namespace path_tracer {

/// A scene and its memory on the host.
struct world {
  std::vector<node> nodes;
  std::vector<triangle> triangles;
  std::vector<shading> shadings;
  std::vector<material> materials;
  scene numbers{};

  /// Returns the scene with pointers into this world, which must outlive it.
  scene view() const {
    scene result = numbers;
    result.tree = {nodes.data(), triangles.data()};
    result.shadings = shadings.data();
    result.materials = materials.data();
    return result;
  }
};

}  // namespace path_tracer
