#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// What an item of `levels` spawns: a source with `n` items in the next level. n = 0 spawns nothing.
///
/// **Example** (examples/levels/levels.cu):
///
///     work.run(smem, [&](unsigned first, unsigned rank, unsigned level) -> heddle::spawned {
struct alignas(8) spawned {
  unsigned source, n;  // the name that its items have, and how many they are
};

}}  // namespace heddle::HEDDLE_ABI
