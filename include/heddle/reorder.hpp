#pragma once

// Brings threads or items with the same key together, so that a warp runs one branch.
//
//   block_reorder<256, 3> reorder(smem);          // within a block: ranks the threads by their keys
//   for (const auto [key, value, active] : queues.rows(smem)) { … }      // across the grid, between kernels
//
// `block_exchange` moves the state of threads to their new places and back; with a `coherence_gate` a block sorts only
// while it pays. `key_probe` counts keys in an existing kernel, and `key_trial` runs its steps in each form: both say
// what reordering could gain. docs/reorder.md says when it pays.

#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>
#include <heddle/reorder/coherence.hpp>
#include <heddle/reorder/coherence_gate.hpp>
#include <heddle/reorder/grid_queues.hpp>
#include <heddle/reorder/key_probe.hpp>
#include <heddle/reorder/key_trial.hpp>
#include <heddle/reorder/queued_value.hpp>
