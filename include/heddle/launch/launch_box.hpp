#pragma once

#include <heddle/concepts.hpp>
#include <heddle/launch/arch.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// The parameters of a launch: `threads` per block, `min_blocks` per multiprocessor (0: no demand), and any others.
template <class Params>
concept launch_params = requires(Params params) {
  { params.threads } -> detail::same_as<int&>;
  { params.min_blocks } -> detail::same_as<int&>;
};

/// The parameters that a launch box returns.
template <class Box>
using params_of = decltype(Box{}(arch{90}));

/// A function object from architecture to the parameters of a launch, which the compiler evaluates.
template <class Box>
concept launch_box = launch_params<params_of<Box>>;

static_assert(!launch_box<int> && !launch_params<arch>);

/// One entry of a launch box: the parameters for an architecture.
template <class Params>
struct box_entry {
  arch target;    // what the parameters are tuned for
  Params params;  // of the launch
};

/// Returns the parameters of the entry that fits `target` best.
///
///   1. an `a` entry of exactly this architecture
///   2. else the newest `f` entry of its family at or below it, if `target` has a suffix
///   3. else the newest plain entry at or below it
///
/// **Preconditions**: some entry fits. An architecture that none fits, such as one older than every entry, is refused:
/// a compile error in a kernel.
///
/// **Example** (examples/03_launch_box/reduce.cu):
///
///     HEDDLE_FN params operator()(heddle::arch target) const {
///       return heddle::box_match<params>(target, {{80, {256, 0, 8}}, {90, {512, 0, 8}}, {{90, 'a'}, {512, 2, 16}}});
template <class Params, unsigned Count>
HEDDLE_FN Params box_match(arch target, const box_entry<Params> (&entries)[Count]) {
  const box_entry<Params>* nearest = nullptr;
  int oldest_plain = 256;
  for (const box_entry<Params>& entry : entries) {
    if (entry.target.suffix == '\0' && entry.target.capability < oldest_plain) oldest_plain = entry.target.capability;
    if (!detail::suits(entry.target, target)) continue;
    const auto rank = [](arch of) { return (of.suffix == 'a' ? 2048 : of.suffix == 'f' ? 1024 : 0) + of.capability; };
    if (nearest == nullptr || rank(entry.target) > rank(nearest->target)) nearest = &entry;
  }
  if (nearest == nullptr)
    detail::require_in_range("heddle::box_match: the architecture", target.capability, oldest_plain, 256);
  return nearest->params;
}

namespace detail {

template <int>
struct constant_of {};

/// Whether the box has parameters for the architecture of this code.
template <class Box, int Code>
concept knows = requires {
  typename constant_of<Box{}(arch::of_code(Code)).threads>;
};

/// The first of these codes that the box knows; if it knows none, the first.
template <class Box, int... Codes>
HEDDLE_FN int first_known() {
  int found = 0, first = 0;
  ((first = first == 0 ? Codes : first, found = found == 0 && knows<Box, Codes> ? Codes : found), ...);
  return found == 0 ? first : found;
}

template <class Box, int... Capabilities>
HEDDLE_FN int first_known_of() {
  return first_known<Box, (4 * (Capabilities / 10))..., (4 * (Capabilities / 10) + 1)...,
                     (4 * (Capabilities / 10) + 2)...>();
}

/// The code that the box is evaluated for in this pass. The host's pass compiles kernels too and discards them: there
/// any architecture that the program is compiled for will do.
template <class Box>
HEDDLE_FN int code_here() {
  if constexpr (compiled_code != 0) return compiled_code;
#if defined(__CUDA_ARCH_LIST__)
  return first_known_of<Box, __CUDA_ARCH_LIST__>();
#else
  return first_known_of<Box, 2550>();
#endif
}

}  // namespace detail

/// Returns the parameters for the architecture that is being compiled, in a kernel and in its __launch_bounds__.
///
/// **Preconditions**: the box has an entry for the architecture, `threads` from 1 to 1024 and `min_blocks` from 0
/// to 32. Anything else is a compile error.
///
/// **Cost**: none at run time.
///
/// **Example** (examples/03_launch_box/reduce.cu):
///
///     template <heddle::launch_box Box>
///     __global__ __launch_bounds__(heddle::box_params<Box>().threads,
///     …
///       constexpr auto tuned = heddle::box_params<Box>();
template <launch_box Box>
HEDDLE_DEVICE constexpr params_of<Box> box_params() {
  constexpr int code = detail::code_here<Box>();
  static_assert(detail::knows<Box, code>,
                "heddle: this launch box has no entry for an architecture that is being compiled. Give it a plain "
                "entry for that architecture or an older one, such as {80, {...}}, or compile for newer ones only");
  if constexpr (detail::knows<Box, code>) {
    constexpr params_of<Box> params = Box{}(arch::of_code(code));
    static_assert(params.threads >= 1 && params.threads <= 1024, "heddle: a launch box has threads from 1 to 1024");
    static_assert(params.min_blocks >= 0 && params.min_blocks <= 32,
                  "heddle: a launch box has min_blocks from 0, for no cap, to 32");
    return params;
  } else {
    return {};
  }
}

}}  // namespace heddle::HEDDLE_ABI
