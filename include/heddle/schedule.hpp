#pragma once

// Schedules tiles: a scheduler walks an order and decides which block takes which tile, and when.
//
//   ticket scheduler{order, state};
//   for (const auto [row, col] : scheduler.tiles(smem)) { … }     // in the kernel
//   launch(scheduler.grid(kernel, threads), stream, kernel, scheduler);
//
// `one_shot` launches a block per tile. The blocks of the others are persistent: `strided` and `chunked` assign tiles
// in advance, `ticket` and `sm_affine` draw them at run time, `cluster_launch` takes over blocks that have not started,
// and `stream_k` splits tiles along k. `seats` numbers workers by their GPC. docs/schedule.md compares them.

#include <heddle/schedule/chunked.hpp>
#include <heddle/schedule/cluster_launch.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/seats.hpp>
#include <heddle/schedule/sm_affine.hpp>
#include <heddle/schedule/stream_k.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>
