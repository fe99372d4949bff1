#pragma once

// The instructions of programmatic launches, for tests of configurations: they are counted.

namespace heddle::inline HEDDLE_ABI::detail::ptx {

inline void griddepcontrol_wait() {
  ++runtime::waits;
}
inline void griddepcontrol_launch_dependents() {
  ++runtime::triggers;
}

}  // namespace heddle::inline HEDDLE_ABI::detail::ptx
