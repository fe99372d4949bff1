#pragma once

#include "world.hpp"

namespace path_tracer {

/// An evening on a terrace. Where it is `cheap` all that has a procedural texture is plain or has a coat, and there is
/// neither smoke nor a cloud.
world terrace(bool cheap, float aspect);

/// A closed box that shines as much as it reflects: half. All that is seen in it is 1, but for what is cut off.
world furnace(int bounces);

}  // namespace path_tracer
