#pragma once

#include <cstddef>
#include <vector>

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace trace {

/// Holds what launches have noted in a buffer, with all times on one clock.
///
/// Times are in nanoseconds since `origin`. Each multiprocessor has a clock of its own, which `read` fits to the timer
/// of the GPU; `launch::skew` bounds what its readings leave.
///
/// **Example** (examples/trace/trace.cu):
///
///     for (const auto& slice : report.slices) ++visits[static_cast<std::size_t>(slice.index)];
struct report {
  /// A tile, or a part of one, that a block worked on.
  struct slice {
    int launch, block;  // numbers of both
    int sm, place;      // multiprocessor, and which of the blocks that it ran at once
    int index, rank;    // of the tile, or the cluster of tiles, in the order; of the block in the cluster
    double begin, end;
  };

  /// A block of a launch. Its slices are [first, first + count) of `slices`.
  struct block {
    int launch, number;
    int sm, place, rank;
    double begin, end;
    std::size_t first, count;
  };

  /// A launch of the kernel.
  struct launch {
    unsigned long long grid;  // the device's number of the launch
    int blocks;               // of the grid
    int blocks_of_worker;     // 1, or the blocks of a cluster
    int missing;              // blocks with a log that have left none of this launch
    double begin, end;
    double skew;  // nanoseconds that times of two multiprocessors are apart at most, where their clocks are read
  };

  std::vector<slice> slices;     // by launch, block and time
  std::vector<block> blocks;     // by launch and block
  std::vector<launch> launches;  // by time

  unsigned long long origin = 0;  // of all times: nanoseconds of the GPU's timer
  double step = 0;                // in which the timer advances, nanoseconds
  long long left_out = 0;         // tiles that ran and have no slice: the log was full
  long long refused = 0;          // blocks that found their log in use by another launch
  long long damaged = 0;          // slices and launches that another launch has overwritten, or that cannot be
  int unfinished = 0;             // logs that a launch has open: it runs, or has ended in an error
};

}}}  // namespace heddle::HEDDLE_ABI::trace
