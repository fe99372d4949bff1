#include "study.cuh"

std::vector<gemm_study::kernel> gemm_study::portable_kernels() {
  using enum heddle::recipe::schedule_kind;
  return {make_kernel<on_any, one_shot, strided, ticket>("portable 128x128")};
}
