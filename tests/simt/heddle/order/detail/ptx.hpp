#pragma once

#include <heddle/coord.hpp>
#include <heddle/detail/ptx.hpp>

// In place of include/heddle/order/detail/ptx.hpp. Clusters have one row.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

inline bool is_explicit_cluster() {
  return cluster_nctarank() > 1;
}
inline coord clusterid_of_grid() {
  return {static_cast<int>(simt::now->number.y), static_cast<int>(clusterid())};
}
inline coord nclusterid_of_grid() {
  return {static_cast<int>(simt::now->grid->blocks.y), static_cast<int>(nclusterid())};
}
inline coord cluster_ctaid() {
  return {0, static_cast<int>(cluster_ctarank())};
}
inline coord cluster_nctaid() {
  return {1, static_cast<int>(cluster_nctarank())};
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx
