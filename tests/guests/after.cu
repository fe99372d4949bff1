#include <heddle/guest/cutlass.hpp>

#include "kernel.cuh"

using kernel = cutlass::gemm::kernel::GemmUniversal<problem_shape, mainloop, epilogue, heddle::guest::drawn>;

void choose_order(kernel::Arguments& arguments) {
  arguments.scheduler.launch = heddle::recipe{.order = heddle::recipe::cta_swizzle, .width = 8};
}

template __global__ void cutlass::device_kernel<kernel>(CUTLASS_GRID_CONSTANT kernel::Params const);
