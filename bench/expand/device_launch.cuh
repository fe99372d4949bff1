#pragma once

#include <cuda_runtime.h>

#include "use.cuh"

// A launch for each source, from the device: no list and no search, and as many launches as there are sources.

namespace heddle_bench {

/// Makes room for so many launches that have not begun; false where no code for this GPU was compiled.
bool makes_room_for_device_launches(unsigned launches);

/// Their begins are known beforehand.
template <consumer Consumer>
void launch_from_device(const unsigned* n, const unsigned* begin, unsigned size, use<Consumer> with);

}  // namespace heddle_bench
