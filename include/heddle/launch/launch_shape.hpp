#pragma once

#include <heddle/launch/launch_config.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

namespace heddle { inline namespace HEDDLE_ABI {

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

/// Names, in an error, what a kernel template needs: parameters of exactly the types of the arguments.
template <class... Args>
struct kernel_whose_parameters_are {
  using type = void (*)(Args...);
};

template <class Policy, class Kernel>
concept names_launch = requires(const Policy& policy, Kernel kernel, launch_shape shape) {
  { policy.grid(kernel, shape.threads, shape.dynamic_smem) } -> same_as<launch_config>;
};
template <class Policy, class Kernel>
concept takes_cap = requires(const Policy& policy, Kernel kernel, launch_shape shape) {
  { policy.grid(kernel, shape.threads, shape.dynamic_smem, shape.cap) } -> same_as<launch_config>;
};

/// The launch of a kernel over a policy: what its `grid` says, or one block per tile of an order.
template <class Policy, class Kernel>
launch_config config_of(const launch_shape& shape, Kernel kernel, const Policy& policy) {
  if constexpr (takes_cap<Policy, Kernel>) {
    return policy.grid(kernel, shape.threads, shape.dynamic_smem, shape.cap);
  } else {
    require_equal(launch_shape{}.cap, "heddle::launch: cap, of a launch of a block per tile,", shape.cap);
    if constexpr (names_launch<Policy, Kernel>) {
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
