#pragma once

#include <heddle/expand/detail/expander.hpp>
#include <heddle/granularity.hpp>
#include <heddle/result.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail {

/// Sets the grid of the second pass, between the passes: one thread, warp or block for each item and each source, in at
/// least one block and at most `most`. The second pass visits all items in any grid.
template <class Work>
__global__ void set_grid([[maybe_unused]] const __grid_constant__ Work work,
                         [[maybe_unused]] cudaGraphDeviceNode_t second_pass, [[maybe_unused]] unsigned of_block,
                         [[maybe_unused]] unsigned most) {
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

/// Finds the node that was captured last in a stream.
inline result<cudaGraphNode_t> last_captured(cudaStream_t stream) {
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
  return {nodes[0]};
}

}  // namespace detail

/// Captures the second pass, kernel(work, args...), with a grid that the device sets in every replay from what the
/// first pass pushed: one thread, warp or block, by the granularity, for each item and each source, and at most the
/// blocks of `grid`, which is `work.grid(kernel, …)`.
///
///   captured      begin   first pass   set_grid   second pass
///
/// **Preconditions**: relocatable device code and cudadevrt (CUDA_SEPARABLE_COMPILATION in CMake). `grid` has no launch
/// attributes; otherwise the result is cudaErrorInvalidValue. The graph is uploaded (cudaGraphUpload) before its first
/// launch, instantiated once, and not updated from the host.
///
/// **Effects**: the second pass visits the same items as with `launch`. In a stream that is not being captured, this is
/// `launch`.
///
/// **Cost**: one node of one thread per replay. H200, bench_expand --graph: 0.4 to 3.8 us more than the fixed grid, in
/// every row; it is worth that only to leave multiprocessors to other branches of the graph.
///
/// **Example** (tests/gpu/indirect.cu):
///
///     const captured_graph graph(on, [&] {
///       check(work.begin_async(on));
///       produce<<<size / in_block, in_block, 0, on>>>(work, n.data(), size);
///       …
///       check(launch_indirect<Granularity>(grid, on, tally<Granularity, Work>, work, sums.data()));
///     });
///     graph.upload(on);
template <granularity Granularity = granularity::thread, expander Work, class... Params, class... Args>
[[nodiscard]] cudaError_t launch_indirect(launch_config grid, cudaStream_t stream, void (*kernel)(Params...),
                                          const Work& work, Args&&... args) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (grid.error == cudaSuccess) grid.error = cudaStreamIsCapturing(stream, &status);
  if (grid.error != cudaSuccess || grid.config.gridDim.x == 0 || status != cudaStreamCaptureStatusActive) {
    return launch(grid, stream, kernel, work, static_cast<Args&&>(args)...);
  }
  if (grid.config.numAttrs > 0 || grid.added_count > 0) return cudaErrorInvalidValue;  // its one attribute is set below

  const dim3 block = grid.config.blockDim;
  const unsigned threads = block.x * block.y * block.z;
  unsigned most = grid.config.gridDim.x;
  unsigned of_block = Granularity == granularity::thread ? threads
                      : Granularity == granularity::warp ? threads / 32
                                                         : 1;

  // set_grid is captured first, with no node to set yet; its argument is filled in below, once that node exists.
  cudaGraphDeviceNode_t second_pass = nullptr;
  cudaLaunchConfig_t one{};
  one.gridDim = one.blockDim = dim3(1);
  one.stream = stream;
  if (const cudaError_t error = cudaLaunchKernelEx(&one, detail::set_grid<Work>, work, second_pass, of_block, most);
      error != cudaSuccess) {
    return error;
  }
  const result<cudaGraphNode_t> setter = detail::last_captured(stream);
  if (!setter) return setter.error;

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
  return cudaGraphKernelNodeSetParams(setter.value, &its);
}

}}  // namespace heddle::HEDDLE_ABI

#endif
