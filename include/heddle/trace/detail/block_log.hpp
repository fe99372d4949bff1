#pragma once

#include <heddle/config.hpp>

// The log of one block in the caller's memory: a header, a ring of launches, a ring of slices. Only the block of a
// launch that has the log open writes it. A launch that finds the log open leaves it alone, and is counted.
//
// Two launches that open one log within the latency of a load may not see each other. Each 16 bytes of a slice and of a
// launch are written by one instruction and end in a mark of their launch, so that the reader knows whose they are.

namespace heddle { inline namespace HEDDLE_ABI { namespace trace::detail {

using word64 = unsigned long long;

/// The number, or the largest one that a signed number holds.
HEDDLE_FN long long saturated(word64 number) {
  constexpr word64 most = ~word64{0} >> 1;
  return static_cast<long long>(number < most ? number : most);
}

inline constexpr int mark_shift = 48;  // of a word, the upper bits have the mark of the launch
inline constexpr word64 below_mark = (word64{1} << mark_shift) - 1;

/// The mark of a launch: the lowest bits of the grid's number.
HEDDLE_FN word64 marked(word64 value, word64 grid) {
  return (value & below_mark) | grid << mark_shift;
}

/// What `log_header::state` has in its lower half while a launch has the log open; never 0.
HEDDLE_FN unsigned writer_of(word64 grid) {
  return static_cast<unsigned>(grid) << 1 | 1u;
}
HEDDLE_FN unsigned writer_in(word64 state) {
  return static_cast<unsigned>(state);
}
HEDDLE_FN unsigned launches_in(word64 state) {
  return static_cast<unsigned>(state >> 32);
}

struct alignas(16) log_header {
  word64 state;    // lower half: the launch that has the log open, or 0; upper half: launches so far
  word64 slices;   // so far, with those that found no room
  word64 refused;  // launches that found the log open
  word64 none;
};

struct alignas(16) log_launch {
  word64 begin_clock, begin_time;  // ticks of the multiprocessor, marked; nanoseconds of the GPU's timer
  word64 end_clock, end_time;
  word64 first, grid;  // the number of its first slice, marked; the grid's number
  word64 shape;        // blocks of the grid in the lower half; slices of this launch in the upper half
  word64 where;        // multiprocessor | rank in the worker << 16 | blocks of a worker << 32, marked
};

struct alignas(16) log_slice {
  word64 start;  // ticks, marked
  word64 what;   // the tile's index in the lower half, the ticks it took in the upper half
};

static_assert(sizeof(log_header) == 32 && sizeof(log_launch) == 64 && sizeof(log_slice) == 16);

}}}  // namespace heddle::HEDDLE_ABI::trace::detail
