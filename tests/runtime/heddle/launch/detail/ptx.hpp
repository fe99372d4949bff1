#pragma once

// The instructions of programmatic launches, for tests of configurations: they are counted.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

inline void griddepcontrol_wait() {
  ++runtime::waits;
}
inline void griddepcontrol_launch_dependents() {
  ++runtime::triggers;
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx
