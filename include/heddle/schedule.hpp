#pragma once

// Schedulers: which block takes which tile, and when. A scheduler walks an order.
//
//   ticket scheduler{order, state};
//   for (const auto [row, col] : scheduler.tiles(smem)) { … }     // in the kernel
//   launch(scheduler.grid(kernel, threads), stream, kernel, scheduler);
//
// `one_shot` has a block per tile. The others are persistent: `strided` and `chunked` share tiles out in advance,
// `ticket` and `sm_affine` draw them, `cluster_launch` takes over blocks that have not started, and `stream_k` splits
// tiles along k. `seats` numbers workers by where they are on the chip. docs/schedule.md compares them.

#include <heddle/schedule/chunked.hpp>
#include <heddle/schedule/cluster_launch.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/seats.hpp>
#include <heddle/schedule/sm_affine.hpp>
#include <heddle/schedule/stream_k.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>
