#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Names one item: its source, by the number with which it was pushed, and its rank among the items of that source,
/// from 0. Its 8 bytes are aligned, so that one instruction stores them.
///
/// **Example** (examples/04_expand/after.cu):
///
///     for (const auto [mesh, meshlet] : work.items(smem)) cull_meshlet(all, mesh, meshlet);
struct alignas(8) item {
  unsigned source, rank;  // 0 <= rank < n of the source
};

/// What an item of `levels` spawns: a source with `n` items in the next level. n = 0 spawns nothing.
///
/// **Example** (examples/levels/levels.cu):
///
///     work.run(smem, [&](unsigned first, unsigned rank, unsigned level) -> heddle::spawned {
struct alignas(8) spawned {
  unsigned source, n;  // the name that its items have, and how many they are
};

}}  // namespace heddle::HEDDLE_ABI
