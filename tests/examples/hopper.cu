// Kernels for Hopper, compiled alone: attention over the scheduler that needs the most registers, and the product of each
// kind, but for the one that makes tiles in turn, which spills 12 bytes.

#include <heddle/order/grouped.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/schedule/ticket.hpp>

#include "attention/on_hopper.cuh"
#include "gemm/on_hopper.cuh"

using scheduler = heddle::ticket<heddle::reversed<heddle::grouped>>;

template __global__ void attention::attend_wgmma<attention::wgmma_shape<128>, __nv_bfloat16, scheduler>(
    const __grid_constant__ scheduler, const __grid_constant__ attention::wgmma_arguments);
template __global__ void attention::attend_wgmma<attention::wgmma_shape<64>, __half, scheduler>(
    const __grid_constant__ scheduler, const __grid_constant__ attention::wgmma_arguments);

namespace gemm {

extern const variant products[]{
    make_variant<kind::together, on_hopper<wgmma_shape<128, 256, 2, 1>, __nv_bfloat16>>("wide"),
    make_variant<kind::together, on_hopper<transposed_shape<256, 160, 1, 2>, __nv_bfloat16>>("transposed"),
    make_variant<kind::drawn, on_hopper<wgmma_shape<128, 256, 2, 1>, __nv_bfloat16, major::mn, major::mn>>("drawn"),
    make_variant<kind::along_k, on_hopper<wgmma_shape<64, 64, 1, 1>, __nv_bfloat16>>("along k"),
};

}  // namespace gemm
