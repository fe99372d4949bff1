// The kernel for Hopper over the scheduler that needs the most registers, compiled alone.

#include <heddle/order/grouped.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/schedule/ticket.hpp>

#include "attention/on_hopper.cuh"

using scheduler = heddle::ticket<heddle::reversed<heddle::grouped>>;

template __global__ void attention::attend_wgmma<attention::wgmma_shape<128>, __nv_bfloat16, scheduler>(
    const __grid_constant__ scheduler, const __grid_constant__ attention::wgmma_arguments);
template __global__ void attention::attend_wgmma<attention::wgmma_shape<64>, __half, scheduler>(
    const __grid_constant__ scheduler, const __grid_constant__ attention::wgmma_arguments);
