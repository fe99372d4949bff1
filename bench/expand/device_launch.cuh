#pragma once

#include <cuda_runtime.h>

#include "use.cuh"

// One launch per source, from the device: no list, no search, and as many launches as sources.

namespace heddle_bench {

/// Makes room for `launches` launches that have not begun. Returns false if no code for this GPU was compiled.
bool makes_room_for_device_launches(unsigned launches);

/// Launches a grid per source. The begins of the items are known beforehand.
template <consumer Consumer>
void launch_from_device(const unsigned* n, const unsigned* begin, unsigned size, use<Consumer> with);

}  // namespace heddle_bench
