#include "kernel.cuh"

using kernel =
    cutlass::gemm::kernel::GemmUniversal<problem_shape, mainloop, epilogue, cutlass::gemm::PersistentScheduler>;

void choose_order(kernel::Arguments& arguments) {
  arguments.scheduler.raster_order = kernel::TileScheduler::RasterOrderOptions::AlongN;
  arguments.scheduler.max_swizzle_size = 8;
}

template __global__ void cutlass::device_kernel<kernel>(CUTLASS_GRID_CONSTANT kernel::Params const);
