#pragma once

#include <heddle/detail/check.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

using word64 = unsigned long long;

/// The memory of a scheduler, zeroed once by its owner: the counters of this launch and those of the next.
///
/// Every worker of a launch enters exactly once, before it draws. The last to enter knows that the launch
/// before is over and that everyone of this one has read which counters to use: it zeroes the other ones,
/// and turns the next launch to them. What becomes of the workers afterwards does not matter.
template <class Counters>
struct alternating {
  unsigned arrivals;  // bit 31: which counters this launch uses; below: how many of its workers have entered
  Counters both[2];

  struct entered {
    Counters* counters;
    unsigned number;  // how many entered before
  };

  template <class Machine>
  HEDDLE_FN entered enter(Machine machine) {
    const unsigned word = machine.add(&arrivals, 1u);
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

/// A counter whose upper half, in builds with checks, names the launch that draws from it.
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

  /// In builds with checks: no other launch has entered since.
  template <class Machine>
  HEDDLE_FN void check_launch(Machine machine) const {
    if constexpr (checks) check(machine.load(&word) >> 32 == name(machine), in_two_launches);
  }

  template <class Machine>
  HEDDLE_FN word64 draw(Machine machine) {
    return machine.add(&word, word64{1});
  }

  /// Apart from `draw`, so that the memory may answer while something else is done.
  template <class Machine>
  HEDDLE_FN static unsigned drawn(word64 answer, Machine machine) {
    if constexpr (checks) check(answer >> 32 == name(machine), in_two_launches);
    return static_cast<unsigned>(answer);
  }

 private:
  template <class Machine>
  HEDDLE_FN static unsigned name(Machine machine) {
    return machine.launch() | 0x80000000u;  // never 0, which names no launch
  }

  static constexpr const char* in_two_launches = "heddle: a state in two launches at once";
};

/// A caller's pointer to a state: not null, and aligned.
template <class State>
HEDDLE_HOST State* require_state(const char* name, void* pointer) {
  require_memory(name, pointer);
  const auto address = reinterpret_cast<word64>(pointer);
  if (address % alignof(State) != 0) refuse(name, static_cast<long long>(address), "a multiple of", alignof(State));
  return static_cast<State*>(pointer);
}

}  // namespace heddle::inline HEDDLE_ABI::detail
