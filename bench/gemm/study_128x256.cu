#include "study.cuh"

std::vector<gemm_study::kernel> gemm_study::kernels_128x256() {
  using enum heddle::recipe::schedule_kind;
  return {make_kernel<on_hopper<gemm::wgmma_shape<128, 256, 1, 1>>, one_shot, strided, ticket>("128x256"),
          make_kernel<on_hopper<gemm::wgmma_shape<128, 256, 2, 1>>, one_shot, strided, ticket>("128x256, cluster 2x1"),
          make_kernel<on_hopper<gemm::wgmma_shape<128, 256, 1, 2>>, strided>("128x256, cluster 1x2")};
}
