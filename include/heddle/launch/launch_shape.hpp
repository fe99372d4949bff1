#pragma once

#include <heddle/concepts.hpp>
#include <heddle/launch/detail/opt_in.hpp>
#include <heddle/launch/detail/parameters.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

namespace heddle { inline namespace HEDDLE_ABI {

/// Holds a configuration for cudaLaunchKernelEx, or the error that prevented one: what `scheduler.grid(...)` returns.
///
/// A configuration of no blocks is valid, and stands for no work: `launch` then launches nothing, successfully. Values
/// may be copied and kept for many launches.
///
/// **Example** (tests/gpu/again.cu):
///
///     const launch_config config = scheduler.grid(kernel, 64).with(programmatic_launch());
///     …
///     const auto enqueue = [&] { check(launch(config, on, kernel, scheduler, visits.data())); };
struct [[nodiscard]] launch_config {
  static constexpr unsigned most_attributes = 8;  // in all, with the one that asks for clusters

  cudaLaunchConfig_t config;                        // its attributes are null, or ask for clusters
  cudaError_t error;                                // of the runtime; `launch` returns it
  cudaLaunchAttribute added[most_attributes] = {};  // by `with`; `launch` passes them with those of `config`
  unsigned added_count = 0;                         // entries of `added` in use

  /// Returns the same launch with one more attribute, such as a priority. More than `most_attributes` are refused.
  launch_config with(const cudaLaunchAttribute& attribute) const {
    detail::require_at_most(most_attributes, "heddle::launch_config: attributes", config.numAttrs + added_count + 1LL);
    launch_config grid = *this;
    grid.added[grid.added_count++] = attribute;
    return grid;
  }
};

/// Enqueues the kernel on the stream, and returns the error of the launch or of its configuration. A configuration of
/// no blocks enqueues nothing and succeeds.
template <class... Params, class... Args>
[[nodiscard]] cudaError_t launch(launch_config grid, cudaStream_t stream, void (*kernel)(Params...), Args&&... args) {
  if (grid.error != cudaSuccess || grid.config.gridDim.x == 0) return grid.error;
  grid.config.stream = stream;
  if (grid.added_count > 0) {
    for (unsigned i = 0; i < grid.config.numAttrs; ++i) grid.added[grid.added_count++] = grid.config.attrs[i];
    grid.config.attrs = grid.added;
    grid.config.numAttrs = grid.added_count;
  }
  if constexpr (detail::parameters<Params...>::template take<Args&&...>()) {
    return cudaLaunchKernelEx(&grid.config, kernel, static_cast<Args&&>(args)...);
  } else {
    return cudaErrorInvalidValue;
  }
}

namespace detail {

/// The attribute that asks for clusters of this many blocks. A configuration points at its attributes and is copied
/// freely, so they live as long as the program.
inline cudaLaunchAttribute* clusters_of(unsigned blocks) {
  static struct every_size {
    cudaLaunchAttribute attributes[17];
    every_size() : attributes{} {
      for (unsigned size = 1; size < 17; ++size) {
        attributes[size].id = cudaLaunchAttributeClusterDimension;
        attributes[size].val.clusterDim = {size, 1, 1};
      }
    }
  } table;
  return &table.attributes[blocks];
}

/// The launch of a kernel with this many workers. A worker is a block, or a cluster of `blocks_in_worker` blocks. More
/// than 2^31 - 1 blocks are an error.
inline launch_config all_of(const void* kernel, dim3 threads, decltype(sizeof 0) dynamic_smem, unsigned workers,
                            unsigned blocks_in_worker) {
  launch_config grid{};
  const auto blocks = 1ull * workers * blocks_in_worker;
  grid.config.gridDim = dim3(static_cast<unsigned>(blocks));
  grid.config.blockDim = threads;
  grid.config.dynamicSmemBytes = dynamic_smem;
  if (blocks_in_worker > 16) return {grid.config, cudaErrorInvalidClusterSize};
  if (blocks > 0x7fffffff) return {grid.config, cudaErrorInvalidConfiguration};
  if (blocks_in_worker > 1) {
    grid.config.attrs = clusters_of(blocks_in_worker);
    grid.config.numAttrs = 1;
  }
  if (blocks_in_worker > 8) {
    grid.error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  }
  if (grid.error == cudaSuccess && dynamic_smem > 0) grid.error = opt_in(kernel, dynamic_smem);
  return grid;
}

/// The launch of a kernel with this many workers, or as many as are resident at once on `processors` multiprocessors,
/// of at most `most_threads` threads each.
inline launch_config resident_of(const void* kernel, dim3 threads, decltype(sizeof 0) dynamic_smem, unsigned workers,
                                 unsigned blocks_in_worker, int processors, unsigned most_threads = ~0u) {
  require_at_least(1, "heddle: cap, in multiprocessors,", processors);
  constexpr unsigned more_than_resident = 0x7fffffff / 16;  // on any GPU, in clusters of any size
  launch_config grid = all_of(kernel, threads, dynamic_smem,
                              workers < more_than_resident ? workers : more_than_resident, blocks_in_worker);
  if (grid.error != cudaSuccess || workers == 0) return grid;
  int device = 0, all_processors = 0, resident = 0;
  grid.error = cudaGetDevice(&device);
  if (grid.error != cudaSuccess) return grid;
  grid.error = cudaDeviceGetAttribute(&all_processors, cudaDevAttrMultiProcessorCount, device);
  if (grid.error != cudaSuccess) return grid;
  const int used = processors < all_processors ? processors : all_processors;
  if (blocks_in_worker > 1) {
    grid.error = cudaOccupancyMaxActiveClusters(&resident, kernel, &grid.config);
    const auto share = static_cast<long long>(resident) * used / all_processors;
    resident = static_cast<int>(resident > 0 && share == 0 ? 1 : share);
  } else {
    const unsigned in_block = threads.x * threads.y * threads.z;
    grid.error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, static_cast<int>(in_block), dynamic_smem);
    if (static_cast<unsigned>(resident) * in_block > most_threads) resident = static_cast<int>(most_threads / in_block);
    resident *= used;
  }
  if (grid.error == cudaSuccess && resident == 0) grid.error = cudaErrorInvalidConfiguration;
  if (grid.error == cudaSuccess && static_cast<unsigned>(resident) < workers) {
    grid.config.gridDim.x = static_cast<unsigned>(resident) * blocks_in_worker;
  }
  return grid;
}

}  // namespace detail

/// Says how to launch a kernel over a policy: everything but the number of blocks, which the policy knows.
///
/// **Example** (examples/02_schedule/after.cu):
///
///     const heddle::strided scheduler{heddle::row_major{{rows, cols}}};
///     return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
struct launch_shape {
  dim3 threads;                         // per block
  decltype(sizeof 0) dynamic_smem = 0;  // bytes per block
  cudaStream_t stream = nullptr;        // on which the kernel is enqueued
  int cap = 0x7fffffff;                 // most multiprocessors to fill, of a policy that launches what is resident
  cudaLaunchAttribute added[launch_config::most_attributes] = {};  // by `with`
  unsigned added_count = 0;                                        // entries of `added` in use

  /// Returns the same shape with one more attribute, such as `programmatic_launch()` or a priority.
  launch_shape with(const cudaLaunchAttribute& attribute) const {
    detail::require_at_most(launch_config::most_attributes, "heddle::launch_shape: attributes", added_count + 1LL);
    launch_shape shape = *this;
    shape.added[shape.added_count++] = attribute;
    return shape;
  }
};

namespace detail {

/// Returns the launch of a kernel over a policy: that of its `grid`, or one block per tile of an order.
template <class Policy, class Kernel>
launch_config config_of(const launch_shape& shape, Kernel kernel, const Policy& policy) {
  if constexpr (requires { policy.grid(kernel, shape.threads, shape.dynamic_smem, shape.cap); }) {
    return policy.grid(kernel, shape.threads, shape.dynamic_smem, shape.cap);
  } else {
    require_equal(launch_shape{}.cap, "heddle::launch: cap, of a launch of a block per tile,", shape.cap);
    if constexpr (requires { policy.grid(kernel, shape.threads, shape.dynamic_smem); }) {
      return policy.grid(kernel, shape.threads, shape.dynamic_smem);
    } else {
      static_assert(tile_order<Policy> && !cluster_order<Policy>,
                    "heddle::launch: the kernel's first argument is no scheduler, no strategy and no order of tiles");
      return all_of(reinterpret_cast<const void*>(kernel), shape.threads, shape.dynamic_smem,
                    static_cast<unsigned>(most_tiles(policy)), 1);
    }
  }
}

template <class Kernel, class Policy, class... Args>
cudaError_t launch_over(const launch_shape& shape, Kernel kernel, const Policy& policy, const Args&... args) {
  launch_config grid = config_of(shape, kernel, policy);
  for (unsigned i = 0; i < shape.added_count; ++i) grid = grid.with(shape.added[i]);
  return launch(grid, shape.stream, kernel, policy, args...);
}

}  // namespace detail

/// Enqueues a kernel template over a policy, its first argument: a scheduler, a strategy of expansion, queues, or an
/// order, which has one block per tile. The template's arguments follow from those of the kernel, so these must have
/// the types of its parameters.
///
/// **Effects**: asks the policy for the launch, as `policy.grid(…)` does, and enqueues it. No work is no launch.
template <class Policy, class... Args>
[[nodiscard]] cudaError_t launch(const launch_shape& shape,
                                 typename detail::kernel_whose_parameters_are<Policy, Args...>::type kernel,
                                 const Policy& policy, const Args&... args) {
  return detail::launch_over(shape, kernel, policy, args...);
}

/// Enqueues a kernel that is no template, or is named with its arguments. Those of the call are converted.
template <class First, class... Params, class Policy, class... Args>
[[nodiscard]] cudaError_t launch(
    const launch_shape& shape, void (*kernel)(First, Params...), const Policy& policy,
    const Args&... args) requires(!detail::same_as<void(First, Params...), void(Policy, Args...)>) {
  if constexpr (detail::same_as<First, Policy>) {
    return detail::launch_over(shape, kernel, policy, args...);
  } else {
    static_assert(detail::same_as<First, Policy>,
                  "heddle::launch: the kernel's first parameter is another policy than the one of the launch");
  }
}

}}  // namespace heddle::HEDDLE_ABI

#endif
