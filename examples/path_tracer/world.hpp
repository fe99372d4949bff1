#pragma once

#include <vector>

#include "scene.hpp"

namespace path_tracer {

/// A scene with the memory that it is in, on the host.
struct world {
  std::vector<node> nodes;
  std::vector<triangle> triangles;
  std::vector<shading> shadings;
  std::vector<material> materials;
  scene numbers{};

  /// The scene, with pointers into this world.
  scene view() const {
    scene result = numbers;
    result.tree = {nodes.data(), triangles.data()};
    result.shadings = shadings.data();
    result.materials = materials.data();
    return result;
  }
};

}  // namespace path_tracer
