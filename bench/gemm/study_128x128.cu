#include "study.cuh"

std::vector<gemm_study::kernel> gemm_study::kernels_128x128() {
  using enum heddle::recipe::schedule_kind;
  return {make_kernel<on_hopper<gemm::wgmma_shape<128, 128, 1, 1>>, one_shot, strided, ticket>("128x128",
                                                                                               /*also_by_table*/ true),
          make_kernel<on_hopper<gemm::wgmma_shape<128, 128, 2, 1>>, one_shot, strided, ticket>("128x128, cluster 2x1"),
          make_kernel<on_hopper<gemm::wgmma_shape<128, 128, 1, 2>>, strided>("128x128, cluster 1x2")};
}
