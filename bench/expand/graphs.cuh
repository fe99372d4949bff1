#pragma once

#include "passes.cuh"
#include "use.cuh"

// Both passes as a graph that is captured once and replayed. The grid of the second pass is either as large as the GPU
// holds, or set by the device in every replay.

namespace heddle_bench {

/// Returns the contestants: both strategies with both kinds of grid. The states have room for `size` sources, in whole
/// blocks, and `items` items.
std::vector<contestant> graphs_of(const unsigned* n, unsigned size, unsigned items, use<consumer::store> with,
                                  void* state_of_packed_prefix, void* state_of_scanned);

}  // namespace heddle_bench
