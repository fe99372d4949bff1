#pragma once

#include <heddle/detail/device_state.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::schedule {

/// Counters of a launch, of which it uses as many as it has to count.
template <unsigned Most>
struct tallies {
  static constexpr int most = Most;

  counter launch;  // in builds with checks, the number of the launch
  unsigned used;   // entries of `count` that this launch uses
  unsigned count[Most];

  template <class Machine>
  HEDDLE_FN void clear(Machine machine) {
    launch.clear(machine);
    const unsigned dirty = machine.load(&used);
    for (unsigned i = 0; i < dirty; ++i) machine.store(&count[i], 0u);
    machine.store(&used, 0u);
  }
};

}}}  // namespace heddle::HEDDLE_ABI::detail::schedule
