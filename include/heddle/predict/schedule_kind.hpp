#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Names the schedulers of whole tiles. In step, as traffic is replayed, the blocks of `strided`, `ticket`,
/// `work_stealing` and `cluster_launch` take the waves of `one_shot`.
enum class schedule_kind {
  one_shot,       // one tile per block
  strided,        // block b takes tiles b, b + G, b + 2G, … of G blocks
  chunked,        // each block takes a contiguous run
  ticket,         // blocks draw tile after tile
  sm_affine,      // the blocks of a multiprocessor draw from a run of their own
  work_stealing,  // as `strided`; a block that has used up its tiles takes those of others
  cluster_launch  // as `one_shot`; from sm_100 on a block that is done takes over the next one
};

/// Returns the name of a scheduler, such as "one_shot".
constexpr const char* name_of(schedule_kind schedule) {
  constexpr const char* names[] = {"one_shot",  "strided",       "chunked",       "ticket",
                                   "sm_affine", "work_stealing", "cluster_launch"};
  return names[static_cast<int>(schedule)];
}

/// Describes a schedule as a run-time value. A `schedule_kind` converts to one.
///
/// **Example** (tests/predict/traffic.cpp):
///
///     const schedule_choice by{schedule_kind::sm_affine, roll(1, 50)};
struct schedule_choice {
  schedule_kind kind = schedule_kind::one_shot;  // which scheduler
  int run = 1;                                   // of sm_affine, in tiles

  /// Takes the scheduler and, for sm_affine, the tiles of a run.
  constexpr schedule_choice(schedule_kind kind_ = schedule_kind::one_shot, int run_ = 1) : kind(kind_), run(run_) {}

  friend bool operator==(const schedule_choice&, const schedule_choice&) = default;
};

}}}  // namespace heddle::HEDDLE_ABI::predict
