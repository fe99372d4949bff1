#pragma once

// Orders: which tile is number i, and back. A bijection from [0, size()) onto the tiles of a grid.
//
//   cta_swizzle order{grid, 8, axis::x};       // on the host; a small value, passed to a kernel
//   const auto [row, col] = order(blockIdx.x);
//
// Tiles with neighbouring numbers run at the same time: an order decides what they share in L2. `row_major` and
// `column_major` are lines, `thread_group_tiling` and `cta_swizzle` bands, `hilbert` and `morton` curves, `dilated`
// brings tiles together that lie a step apart, and `tile_table` is any order at all. `clustered`, `reversed`,
// `transposed` and `constant` take an order and make another. docs/order.md has the pictures.

#include <heddle/order/clustered.hpp>
#include <heddle/order/column_major.hpp>
#include <heddle/order/constant.hpp>
#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/dilated.hpp>
#include <heddle/order/hilbert.hpp>
#include <heddle/order/morton.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_table.hpp>
#include <heddle/order/transposed.hpp>
