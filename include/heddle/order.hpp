#pragma once

// Orders the tiles of a grid: an order is a bijection from [0, size()) onto the tiles, with its inverse.
//
//   cta_swizzle order{grid, 8, axis::x};       // on the host; a small value, passed to a kernel
//   const auto [row, col] = tile_of_block(order);
//
// A kernel of a block per tile takes bands by one line, `const auto blockIdx = in_bands<8>();`, in the launch that it has.
//
// Tiles with neighbouring indices run at the same time, so that the order decides what they share in L2. `row_major`
// and `column_major` walk lines, `thread_group_tiling` and `cta_swizzle` walk bands, `hilbert` and `morton` follow
// curves, `dilated` makes neighbours of tiles that are one step apart, and `tile_table` reads any order from memory.
// `clustered`, `reversed`, `rotated`, `transposed` and `constant_order` adapt another order. docs/order.md has the
// pictures.

#include <heddle/order/batch.hpp>
#include <heddle/order/batched.hpp>
#include <heddle/order/by_cost.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/column_major.hpp>
#include <heddle/order/constant_order.hpp>
#include <heddle/order/costly_first.hpp>
#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/dilated.hpp>
#include <heddle/order/group_rows.hpp>
#include <heddle/order/grouped.hpp>
#include <heddle/order/groups.hpp>
#include <heddle/order/hilbert.hpp>
#include <heddle/order/in_bands.hpp>
#include <heddle/order/morton.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/rotated.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_of_block.hpp>
#include <heddle/order/tile_table.hpp>
#include <heddle/order/transposed.hpp>
#include <heddle/order/triangle.hpp>
#include <heddle/order/triangular.hpp>
