#pragma once

// Expands work that spawns work: a first pass pushes sources, each with a number of items; a second pass walks the
// items.
//
//   work.push(smem, source, n);                                    // first kernel, every thread
//   for (const auto [source, rank] : work.items(smem)) { … }       // second kernel
//
// A strategy decides how the list between the passes is stored. `packed_prefix` (the default) and `scanned` store one
// entry per source, `append` stores one per item, `fixed` has room for MaxN items per source, and `power_of_two` stores
// runs. `launch_indirect` lets the device size the second pass in a graph. docs/expand.md has the figures.

#include <heddle/expand/append.hpp>
#include <heddle/expand/expansion.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/indirect.hpp>
#include <heddle/expand/item.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>
