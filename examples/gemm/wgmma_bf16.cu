#include "wgmma_variants.cuh"

std::vector<const gemm::variant*> gemm::wgmma_variants_bf16(const problem& problem) {
  return wgmma_variants<__nv_bfloat16>(problem);
}
