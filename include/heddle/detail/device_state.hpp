#pragma once

#include <heddle/detail/check.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

using word64 = unsigned long long;

/// The memory of a scheduler: the counters of this launch and those of the next. Its owner zeroes it once.
///
/// Every worker of a launch enters exactly once, before it draws. When the last one enters, the launch before is over,
/// and all workers of this launch have read which counters to use. The last one therefore zeroes the other counters and
/// selects them for the next launch. Workers may leave early after that.
template <class Counters>
struct alternating {
  unsigned arrivals;  // bit 31: the counters of this launch; bits 0 to 30: number of its workers that have entered
  Counters both[2];

  struct entered {
    Counters* counters;
    unsigned number;  // workers that entered before
  };

  template <class Machine>
  HEDDLE_FN entered enter(Machine machine) {
    return entered_by(ask_to_enter(machine), machine);
  }

  /// Enters. The answer comes later, and `entered_by` reads it.
  template <class Machine>
  HEDDLE_FN unsigned ask_to_enter(Machine machine) {
    return machine.add(&arrivals, 1u);
  }

  template <class Machine>
  HEDDLE_FN entered entered_by(unsigned word, Machine machine) {
    const unsigned current = word >> 31, number = word & 0x7fffffff;
    check(number < machine.workers(),
          "heddle: a state in two launches at once, or not zeroed, or not entered by every block");
    if (number + 1 == machine.workers()) {
      both[1 - current].clear(machine);
      machine.store(&arrivals, (1 - current) << 31);
    }
    return {&both[current], number};
  }
};

/// A counter. In builds with checks its upper half names the launch that draws from it.
struct counter {
  word64 word;

  template <class Machine>
  HEDDLE_FN void clear(Machine machine) {
    machine.store(&word, word64{0});
  }

  template <class Machine>
  HEDDLE_FN void enter(Machine machine) {
    if constexpr (checks) {
      const word64 before = machine.bit_or(&word, word64{name(machine)} << 32);
      check(before >> 32 == 0 || before >> 32 == name(machine), in_two_launches);
    }
  }

  /// In builds with checks, checks that no other launch has entered since.
  template <class Machine>
  HEDDLE_FN void check_launch(Machine machine) const {
    if constexpr (checks) check(machine.load(&word) >> 32 == name(machine), in_two_launches);
  }

  template <class Machine>
  HEDDLE_FN word64 draw(Machine machine) {
    return machine.add(&word, word64{1});
  }

  /// Reads the number out of the answer to `draw`. The two are separate so that work can hide the latency of memory.
  template <class Machine>
  HEDDLE_FN static unsigned drawn(word64 answer, Machine machine) {
    if constexpr (checks) check(answer >> 32 == name(machine), in_two_launches);
    return static_cast<unsigned>(answer);
  }

 private:
  template <class Machine>
  HEDDLE_FN static unsigned name(Machine machine) {
    return machine.launch() | 0x80000000u;  // never 0: 0 stands for no launch
  }

  static constexpr const char* in_two_launches = "heddle: a state in two launches at once";
};

/// Refuses a caller's pointer to a state that is null or not aligned.
template <class State>
HEDDLE_HOST State* require_state(const char* name, void* pointer) {
  require_memory(name, pointer);
  const auto address = reinterpret_cast<word64>(pointer);
  if (address % alignof(State) != 0) refuse(name, static_cast<long long>(address), "a multiple of", alignof(State));
  return static_cast<State*>(pointer);
}

}}}  // namespace heddle::HEDDLE_ABI::detail
