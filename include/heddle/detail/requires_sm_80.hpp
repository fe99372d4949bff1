#pragma once

#include <heddle/launch/arch.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

// A class that is instantiated once checks the architecture at the use of a part. A header thus compiles for any
// architecture, and a kernel for one that is too old gives one error, which names the part and the architecture.

inline constexpr int sm_80 = 4 * 80;

template <int Code>
struct expansion_needs {
  static constexpr bool is_met = Code == 0 || Code >= sm_80;
  static_assert(is_met, "heddle: work expansion (expand/) needs sm_80 or newer: compile with -arch=sm_80");
};

template <int Code, class Scheduler>
struct roles_need {
  static_assert(Code == 0 || Code >= sm_80,
                "heddle: roles (start, lead, follow) of a scheduler that draws need sm_80 or newer: compile with "
                "-arch=sm_80, or walk by tiles");
};

}  // namespace heddle::inline HEDDLE_ABI::detail
