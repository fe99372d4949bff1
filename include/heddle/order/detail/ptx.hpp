#pragma once

#include <heddle/coord.hpp>
#include <heddle/detail/ptx.hpp>

#if defined(__CUDACC__)

// The place of a block in clusters of two dimensions: y is the row. Below sm_90 no launch has clusters.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

/// Returns whether the launch or the kernel says how large a cluster is.
HEDDLE_DEVICE inline bool is_explicit_cluster() {
  unsigned is_said = 0;
  if constexpr (has_clusters) {
    asm("{\n .reg .pred p;\n mov.pred p, %%is_explicit_cluster;\n selp.u32 %0, 1, 0, p;\n}" : "=r"(is_said));
  }
  return is_said != 0;
}

/// Returns the place of this block's cluster in the grid of clusters.
HEDDLE_DEVICE inline coord clusterid_of_grid() {
  coord place{};
  if constexpr (has_clusters) {
    asm("mov.u32 %0, %%clusterid.y;\n mov.u32 %1, %%clusterid.x;" : "=r"(place.row), "=r"(place.col));
  }
  return place;
}

/// Returns the rows and columns of the grid of clusters.
HEDDLE_DEVICE inline coord nclusterid_of_grid() {
  coord sides{};
  if constexpr (has_clusters) {
    asm("mov.u32 %0, %%nclusterid.y;\n mov.u32 %1, %%nclusterid.x;" : "=r"(sides.row), "=r"(sides.col));
  }
  return sides;
}

/// Returns the place of this block in its cluster.
HEDDLE_DEVICE inline coord cluster_ctaid() {
  coord place{};
  if constexpr (has_clusters) {
    asm("mov.u32 %0, %%cluster_ctaid.y;\n mov.u32 %1, %%cluster_ctaid.x;" : "=r"(place.row), "=r"(place.col));
  }
  return place;
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
