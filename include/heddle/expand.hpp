#pragma once

// Expansion: work that spawns work. A first pass pushes sources with a number of items each, a second pass walks items.
//
//   work.push(smem, source, n);                                    // first kernel, every thread
//   for (const auto [source, rank] : work.items(smem)) { … }       // second kernel
//
// A strategy says how the list is stored: `packed_prefix` (the default) and `scanned` store an entry per source,
// `append` one per item, `fixed` has MaxN places per source, and `power_of_two` stores runs. `launch_indirect` lets the
// device size the second pass in a graph. docs/expand.md has the figures.

#include <heddle/expand/append.hpp>
#include <heddle/expand/expansion.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/indirect.hpp>
#include <heddle/expand/item.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>
