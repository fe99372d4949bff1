#pragma once

// Work expansion: one source spawns n items, and n is known on the device only. A first pass, in the user's kernel,
// pushes sources with their n. A second pass, in the user's kernel, visits every item once.
//
//   work.push(smem, source, n);                                    // first kernel, every thread
//   for (const auto [source, rank] : work.items(smem)) { … }       // second kernel
//
// A strategy decides how the list between them is stored. `packed_prefix` (the default) and `scanned` store one entry
// per source, `append` one per item, `fixed` gives each source MaxN places, and `power_of_two` stores runs. With
// `launch_indirect` the device sets the grid of the second pass in a graph. `levels` repeats the second pass in one
// launch: items spawn the sources of the next level; in `ordered_levels` they keep their order. `warp_dealt` is one
// launch without a first pass, for work that is small or even, and `list_probe` counts what there is to list.
// docs/inside/expand.md has the figures.

#include <heddle/expand/append.hpp>
#include <heddle/expand/expansion.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/indirect.hpp>
#include <heddle/expand/item.hpp>
#include <heddle/expand/levels.hpp>
#include <heddle/expand/list_probe.hpp>
#include <heddle/expand/ordered_levels.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>
#include <heddle/expand/source_in_order.hpp>
#include <heddle/expand/warp_dealt.hpp>
