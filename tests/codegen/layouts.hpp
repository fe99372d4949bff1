#pragma once

// Kernel arguments that the host's compiler and nvcc must lay out alike: a name, and a type.

#include <heddle/order.hpp>
#include <heddle/recipe/any_order.hpp>
#include <heddle/schedule.hpp>

namespace heddle_test {

using namespace heddle;
using folded = triangular<cta_swizzle, row_major>;
using in_turn = detail::order::planes_in_turn;
using clusters = clustered<row_major>;
using clusters_of_batch = clustered<batched<folded, in_turn>, batch<triangle>>;

}  // namespace heddle_test

#define HEDDLE_LAYOUTS(X)                                          \
  X(layout_bands, cta_swizzle)                                     \
  X(layout_table, tile_table)                                      \
  X(layout_dilated, dilated)                                       \
  X(layout_hilbert, hilbert)                                       \
  X(layout_clusters, clusters)                                     \
  X(layout_clusters_reversed, clustered<reversed<row_major>>)      \
  X(layout_transposed, transposed<cta_swizzle>)                    \
  X(layout_clusters_transposed, clustered<transposed<row_major>>)  \
  X(layout_triangle, triangle)                                     \
  X(layout_folded, folded)                                         \
  X(layout_batched, batched<cta_swizzle>)                          \
  X(layout_batched_in_turn, batched<folded, in_turn>)              \
  X(layout_clusters_of_batch, clusters_of_batch)                   \
  X(layout_transposed_batched, transposed<batched<cta_swizzle>>)   \
  X(layout_any_order, any_order<>)                                 \
  X(layout_any_order_of_batch, any_order<batch<extent>>)           \
  X(layout_grouped, grouped)                                       \
  X(layout_ticket, ticket<transposed<cta_swizzle>>)                \
  X(layout_ticket_of_batches, ticket<batched<folded, in_turn>>)    \
  X(layout_ticket_of_groups, ticket<reversed<grouped>>)            \
  X(layout_sm_affine, sm_affine<clustered<transposed<row_major>>>) \
  X(layout_work_stealing, work_stealing<clusters>)                 \
  X(layout_strided, strided<clusters_of_batch>)                    \
  X(layout_chunked, chunked<any_order<triangle>>)                  \
  X(layout_stream_k, stream_k<batched<folded, in_turn>>)           \
  X(layout_cluster_launch, cluster_launch<clusters>)               \
  X(layout_seats, seats)
