#pragma once

#include <heddle/concepts.hpp>
#include <heddle/launch/arch.hpp>

namespace heddle::inline HEDDLE_ABI {

/// What a launch box gives: `threads` of a block, `min_blocks` that a multiprocessor should hold (0: as many as
/// come), and whatever else the kernel is tuned by.
template <class Params>
concept launch_params = requires(Params params) {
  { params.threads } -> detail::same_as<int&>;
  { params.min_blocks } -> detail::same_as<int&>;
};

template <class Box>
using params_of = decltype(Box{}(arch{90}));

template <class Box>
concept callable_with_arch = requires {
  typename params_of<Box>;
};

/// A function object from architecture to the parameters of a launch, evaluated by the compiler.
template <class Box>
concept launch_box = callable_with_arch<Box> && launch_params<params_of<Box>>;

static_assert(!launch_box<int> && !launch_params<arch>);

template <class Params>
struct box_entry {
  arch target;
  Params params;
};

/// The parameters of the entry that is nearest to `target`:
///   - an `a` entry for this architecture and no other;
///   - else an `f` entry of its family, for code that is compiled with a suffix;
///   - else a plain entry, the newest at or below: an architecture that is newer than all takes the newest.
/// Older than all is refused.
template <class Params, unsigned Count>
HEDDLE_FN Params match(arch target, const box_entry<Params> (&entries)[Count]) {
  const box_entry<Params>* nearest = nullptr;
  int oldest_plain = 256;
  for (const box_entry<Params>& entry : entries) {
    if (entry.target.suffix == '\0' && entry.target.capability < oldest_plain) oldest_plain = entry.target.capability;
    if (!detail::suits(entry.target, target)) continue;
    const auto rank = [](arch of) { return (of.suffix == 'a' ? 2048 : of.suffix == 'f' ? 1024 : 0) + of.capability; };
    if (nearest == nullptr || rank(entry.target) > rank(nearest->target)) nearest = &entry;
  }
  if (nearest == nullptr)
    detail::require_in_range("heddle::match: the architecture", target.capability, oldest_plain, 256);
  return nearest->params;
}

namespace detail {

template <int>
struct constant_of {};

/// Whether the box has parameters for what this code names.
template <class Box, int Code>
concept knows = requires {
  typename constant_of<Box{}(arch::of_code(Code)).threads>;
};

/// Of several, the first that the box knows, else the first.
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

/// What the box is asked for in this pass. The pass of the host compiles kernels too, and throws them away: any
/// architecture that the program is compiled for will do there.
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

/// In a kernel and in its __launch_bounds__: the parameters for the architecture that it is compiled for.
template <launch_box Box>
HEDDLE_DEVICE constexpr params_of<Box> here() {
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

}  // namespace heddle::inline HEDDLE_ABI
