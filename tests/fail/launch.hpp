#pragma once

#include <heddle/launch/launch_shape.hpp>
#include <heddle/schedule/strided.hpp>

template <heddle::tile_scheduler Scheduler>
__global__ void kernel(const __grid_constant__ Scheduler, const float*, float*, int) {}

using row_by_row = heddle::strided<heddle::row_major>;
const row_by_row scheduler{heddle::row_major{{3, 4}}};
float* data = nullptr;
