#pragma once

#include <heddle/coord.hpp>
#include <heddle/detail/ptx.hpp>

#if defined(__CUDACC__)

// Clusters in two dimensions: y is the row. In a launch without clusters a block is one, of 1 x 1, and below sm_90 no
// launch has clusters.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

/// Returns the rows and columns of the grid of clusters.
HEDDLE_DEVICE inline coord nclusterid_of_grid() {
  coord sides{static_cast<int>(gridDim.y), static_cast<int>(gridDim.x)};
  if constexpr (has_clusters) {
    asm("mov.u32 %0, %%nclusterid.y;\n mov.u32 %1, %%nclusterid.x;" : "=r"(sides.row), "=r"(sides.col));
  }
  return sides;
}

/// Returns the rows and columns of blocks in a cluster.
HEDDLE_DEVICE inline coord cluster_nctaid() {
  coord sides{1, 1};
  if constexpr (has_clusters) {
    asm("mov.u32 %0, %%cluster_nctaid.y;\n mov.u32 %1, %%cluster_nctaid.x;" : "=r"(sides.row), "=r"(sides.col));
  }
  return sides;
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx

#endif
