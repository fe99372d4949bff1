#pragma once

#include "world.hpp"

namespace path_tracer {

/// Returns a terrace in the evening. With `cheap`, procedural textures are replaced by plain, coated or metal surfaces,
/// and there are neither smoke nor clouds.
world terrace(bool cheap, float aspect);

/// Returns a closed box that shines 1/2 and reflects 1/2: light in it is 1, less what the limit of bounces cuts off.
world furnace(int bounces);

}  // namespace path_tracer
