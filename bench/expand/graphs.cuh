#pragma once

#include "passes.cuh"
#include "use.cuh"

// Both passes as a graph, which is captured once and replayed: with the grid of the second pass as large as the GPU
// holds, and with one that the device sets in every replay.

namespace heddle_bench {

/// The states are for so many sources and items.
std::vector<contestant> graphs_of(const unsigned* n, unsigned size, unsigned items, use<consumer::store> with,
                                  void* state_of_packed_prefix, void* state_of_scanned);

}  // namespace heddle_bench
