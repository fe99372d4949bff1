#pragma once

// The words of the toolkit's calculator of occupancy, for tests of what is made of its answer: it gives `answer`.

struct cudaOccDeviceProp {
  explicit cudaOccDeviceProp(const cudaDeviceProp&) {}
};
struct cudaOccFuncAttributes {
  explicit cudaOccFuncAttributes(const cudaFuncAttributes&) {}
};
struct cudaOccDeviceState {
  int unused = 0;
};
struct cudaOccResult {
  int activeBlocksPerMultiprocessor, blockLimitWarps, blockLimitBlocks, blockLimitSharedMem, blockLimitRegs;
};
enum cudaOccError { CUDA_OCC_SUCCESS = 0, CUDA_OCC_ERROR_UNKNOWN_DEVICE = 3 };

namespace runtime {

inline cudaOccResult answer{};
inline cudaOccError answer_error = CUDA_OCC_SUCCESS;

}  // namespace runtime

inline cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(cudaOccResult* result, const cudaOccDeviceProp*,
                                                            const cudaOccFuncAttributes*, const cudaOccDeviceState*,
                                                            int, std::size_t) {
  *result = runtime::answer;
  return runtime::answer_error;
}
