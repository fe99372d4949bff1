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

}}  // namespace heddle::HEDDLE_ABI
