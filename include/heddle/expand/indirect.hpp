#pragma once

#include <heddle/expand/detail/expander.hpp>
#include <heddle/granularity.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

namespace heddle::inline HEDDLE_ABI {

namespace detail {

/// Between the passes: a thread for every item and source, or a warp or a block; at least one block and at most `most`.
/// Whatever is set, the second pass deals out all items.
template <class Work>
__global__ void set_grid(const __grid_constant__ Work work, cudaGraphDeviceNode_t second_pass, unsigned of_block,
                         unsigned most) {
#if defined(__CUDACC_RDC__)
  const expansion needed = work.required(), room = work.capacity();
  const auto all = (needed.items < room.items ? needed.items : room.items) +
                   (needed.sources < room.sources ? needed.sources : room.sources);
  const auto blocks = all == 0 ? 1 : (all - 1) / of_block + 1;
  cudaGraphKernelNodeSetGridDim(second_pass, dim3(blocks < most ? static_cast<unsigned>(blocks) : most));
#else
  static_assert(sizeof(Work) == 0,
                "heddle::launch_indirect sets a grid on the device: compile with -rdc=true, link cudadevrt");
#endif
}

/// What was captured last in a stream.
struct [[nodiscard]] captured_node {
  cudaGraphNode_t node;
  cudaError_t error;
};
inline captured_node last_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* nodes = nullptr;
  decltype(sizeof 0) count = 0;
#if CUDART_VERSION >= 13000
  const cudaError_t error = cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, nullptr, &count);
#else
  const cudaError_t error = cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, &count);
#endif
  if (error != cudaSuccess) return {nullptr, error};
  if (count != 1) return {nullptr, cudaErrorStreamCaptureInvalidated};
  return {nodes[0], cudaSuccess};
}

}  // namespace detail

/// Captures the second pass, kernel(work, args...), with a grid that the device sets in every replay, by what the first
/// pass pushed: of as many blocks as that is work for, and at most those of `grid`, which is `work.grid(kernel, …)`.
/// How the kernel takes its items is the granularity.
///
///   captured      begin   first pass   set_grid   second pass
///
/// For few items, in a graph: a node more for fewer blocks. The graph is uploaded (cudaGraphUpload) before its first
/// launch, and instantiated once. Needs relocatable device code and cudadevrt: CUDA_SEPARABLE_COMPILATION in CMake. In
/// a stream that is not captured it is `launch`.
template <granularity Granularity = granularity::thread, expander Work, class... Params, class... Args>
[[nodiscard]] cudaError_t launch_indirect(launch_config grid, cudaStream_t stream, void (*kernel)(Params...),
                                          const Work& work, Args&&... args) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (grid.error == cudaSuccess) grid.error = cudaStreamIsCapturing(stream, &status);
  if (grid.error != cudaSuccess || grid.config.gridDim.x == 0 || status != cudaStreamCaptureStatusActive) {
    return launch(grid, stream, kernel, work, static_cast<Args&&>(args)...);
  }
  if (grid.config.numAttrs > 0 || grid.added_count > 0) return cudaErrorInvalidValue;  // the attribute is set below

  const dim3 block = grid.config.blockDim;
  const unsigned threads = block.x * block.y * block.z;
  unsigned most = grid.config.gridDim.x;
  unsigned of_block = Granularity == granularity::thread ? threads
                      : Granularity == granularity::warp ? threads / 32
                                                         : 1;

  // Which node it sets is known when that is captured, after it.
  cudaGraphDeviceNode_t second_pass = nullptr;
  cudaLaunchConfig_t one{};
  one.gridDim = one.blockDim = dim3(1);
  one.stream = stream;
  if (const cudaError_t error = cudaLaunchKernelEx(&one, detail::set_grid<Work>, work, second_pass, of_block, most);
      error != cudaSuccess) {
    return error;
  }
  const detail::captured_node setter = detail::last_captured(stream);
  if (setter.error != cudaSuccess) return setter.error;

  cudaLaunchAttribute updatable{};
  updatable.id = cudaLaunchAttributeDeviceUpdatableKernelNode;
  updatable.val.deviceUpdatableKernelNode.deviceUpdatable = 1;
  grid.config.attrs = &updatable;
  grid.config.numAttrs = 1;
  if (const cudaError_t error = launch(grid, stream, kernel, work, static_cast<Args&&>(args)...);
      error != cudaSuccess) {
    return error;
  }
  second_pass = updatable.val.deviceUpdatableKernelNode.devNode;

  Work its_work = work;
  void* arguments[] = {&its_work, &second_pass, &of_block, &most};
  cudaKernelNodeParams its{};
  its.func = reinterpret_cast<void*>(detail::set_grid<Work>);
  its.gridDim = its.blockDim = dim3(1);
  its.kernelParams = arguments;
  return cudaGraphKernelNodeSetParams(setter.node, &its);
}

}  // namespace heddle::inline HEDDLE_ABI

#endif
