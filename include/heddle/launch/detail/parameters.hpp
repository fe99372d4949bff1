#pragma once

#include <heddle/config.hpp>

// What `launch` says of arguments that a kernel does not take.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

template <class Argument, class Parameter>
concept converts_to = requires(Argument argument, void (*take)(Parameter)) {
  take(static_cast<Argument>(argument));
};

template <class... Params>
struct parameters {
  /// Gives one error for a wrong number of arguments, or one for each that is wrong, with both types.
  template <class... Args>
  HEDDLE_FN static bool take() {
    if constexpr (sizeof...(Args) == sizeof...(Params)) {
      return (takes<Params, Args>() && ...);
    } else {
      static_assert(sizeof...(Args) == sizeof...(Params),
                    "heddle::launch: the kernel has another number of parameters");
      return false;
    }
  }

 private:
  template <class Parameter, class Argument>
  HEDDLE_FN static bool takes() {
    static_assert(converts_to<Argument, Parameter>, "heddle::launch: an argument does not convert to its parameter");
    return converts_to<Argument, Parameter>;
  }
};

/// Names, in an error, what a kernel template needs: parameters of exactly the types of the arguments.
template <class... Args>
struct kernel_whose_parameters_are {
  using type = void (*)(Args...);
};

}}}  // namespace heddle::HEDDLE_ABI::detail
