#pragma once

// The words of the CUDA runtime that configurations of launches use, on the host: a GPU of `runtime::chip`, kernels of
// `runtime::of_kernel`, and a list of what was launched. Include this header first: the host's compiler then compiles
// the headers after it as nvcc's pass of the host would.

#include <cstddef>
#include <map>
#include <vector>

#define __CUDACC__
#define __device__
#define __host__

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned of_x = 1, unsigned of_y = 1, unsigned of_z = 1) : x(of_x), y(of_y), z(of_z) {}
};

// What code of kernels names: it is compiled and not run.
extern const dim3 threadIdx, blockIdx, blockDim, gridDim;
void __syncthreads();
void __threadfence();
void __nanosleep(unsigned);
void __trap();
unsigned long long __cvta_generic_to_shared(const void*);

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorInvalidClusterSize = 912
};
inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "an error";
}

using cudaStream_t = struct stream_of_tests*;

enum cudaLaunchAttributeID {
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributePriority = 8
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  union {
    struct {
      unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
    int priority;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 13
};
struct cudaFuncAttributes {
  std::size_t localSizeBytes;
  int numRegs, maxDynamicSharedSizeBytes;
};
struct cudaDeviceProp {
  int multiProcessorCount;
};

namespace runtime {

/// What the GPU is, and which calls fail.
struct chip {
  int multiprocessors = 10;
  int blocks_per_multiprocessor = 2;  // of any kernel
  int clusters = 7;                   // that are resident at once
  int most_dynamic_smem = 200'000;
  cudaError_t error = cudaSuccess;  // of all calls but those that launch
};
inline chip gpu;

/// What the runtime keeps of a kernel.
struct kernel {
  cudaFuncAttributes attributes{.localSizeBytes = 24, .numRegs = 40, .maxDynamicSharedSizeBytes = 48 * 1024};
  int non_portable = 0;
};
inline std::map<const void*, kernel> kernels;

/// What was launched.
struct launched {
  unsigned blocks, threads;
  cudaStream_t stream;
  std::vector<cudaLaunchAttribute> attributes;
};
inline std::vector<launched> launches;

/// Calls of the two instructions of programmatic launches.
inline int waits = 0, triggers = 0;

inline void reset() {
  gpu = {};
  kernels.clear();
  launches.clear();
  waits = triggers = 0;
}

}  // namespace runtime

inline cudaError_t cudaGetDevice(int* device) {
  *device = 3;
  return runtime::gpu.error;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int device) {
  *value = device == 3 ? runtime::gpu.multiprocessors : -1;
  return runtime::gpu.error;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  properties->multiProcessorCount = device == 3 ? runtime::gpu.multiprocessors : -1;
  return runtime::gpu.error;
}

template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* of) {
  *attributes = runtime::kernels[reinterpret_cast<const void*>(of)].attributes;
  return runtime::gpu.error;
}
inline cudaError_t cudaFuncSetAttribute(const void* of, cudaFuncAttribute attribute, int value) {
  runtime::kernel& kernel = runtime::kernels[of];
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    kernel.non_portable = value;
  } else if (value < 0 || value > runtime::gpu.most_dynamic_smem) {
    return cudaErrorInvalidValue;
  } else {
    kernel.attributes.maxDynamicSharedSizeBytes = value;
  }
  return runtime::gpu.error;
}

template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* of, int threads, std::size_t smem) {
  *blocks = 0;
  if (threads < 1 || threads > 1024) return cudaErrorInvalidValue;
  const auto& kernel = runtime::kernels[reinterpret_cast<const void*>(of)];
  if (smem <= static_cast<std::size_t>(kernel.attributes.maxDynamicSharedSizeBytes)) {
    *blocks = runtime::gpu.blocks_per_multiprocessor;
  }
  return runtime::gpu.error;
}
/// Like the runtime, it refuses a grid that is no multiple of the clusters.
inline cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void*, const cudaLaunchConfig_t* config) {
  const unsigned size = config->numAttrs == 1 ? config->attrs[0].val.clusterDim.x : 1;
  *clusters = config->gridDim.x % size == 0 ? runtime::gpu.clusters : 0;
  return config->gridDim.x % size == 0 ? runtime::gpu.error : cudaErrorInvalidClusterSize;
}

/// Like the runtime, it refuses a grid of no blocks, and one that is no multiple of the clusters.
template <class... Params, class... Args>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Params...), Args&&... args) {
  if (config->gridDim.x == 0 || config->gridDim.x > 0x7fffffff) return cudaErrorInvalidConfiguration;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension &&
        config->gridDim.x % config->attrs[i].val.clusterDim.x != 0) {
      return cudaErrorInvalidClusterSize;
    }
  }
  runtime::launches.push_back(
      {config->gridDim.x, config->blockDim.x, config->stream, {config->attrs, config->attrs + config->numAttrs}});
  kernel(static_cast<Args&&>(args)...);
  return cudaSuccess;
}
