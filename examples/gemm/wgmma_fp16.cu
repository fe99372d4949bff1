#include "wgmma_variants.cuh"

std::vector<const gemm::variant*> gemm::wgmma_variants_fp16(const problem& problem) {
  return wgmma_variants<__half>(problem);
}
