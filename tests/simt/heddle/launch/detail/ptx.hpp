#pragma once

#include <heddle/detail/ptx.hpp>

// In place of include/heddle/launch/detail/ptx.hpp.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

// A launch ends here before the next one starts.

inline void griddepcontrol_wait() {}

inline void griddepcontrol_launch_dependents() {}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx
