#pragma once

// Schedulers decide which block takes which tile, and when. A scheduler walks an order.
//
//   ticket scheduler{order, state};
//   for (const auto [row, col] : scheduler.tiles(smem)) { … }     // in the kernel
//   launch({.threads = threads}, kernel, scheduler, …);
//
// `one_shot` launches a block per tile. `cluster_launch` does too, and takes over blocks that have not started. The
// others are persistent: `strided` and `chunked` deal tiles out in advance, `ticket` and `sm_affine` draw them,
// `numbered_ticket` draws all but the first, `work_stealing` deals them out and lets blocks that are done take from
// those that are late, and `stream_k` splits tiles along k. `draws_late` has one of those that draw draw no tile before
// it is needed. `seats` numbers workers by their place on the chip. An `arrival_gate` lets a tile wait until its input
// is here. docs/schedule.md compares them.

#include <heddle/schedule/arrival_gate.hpp>
#include <heddle/schedule/chunked.hpp>
#include <heddle/schedule/cluster_launch.hpp>
#include <heddle/schedule/draws_late.hpp>
#include <heddle/schedule/numbered_ticket.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/seats.hpp>
#include <heddle/schedule/sm_affine.hpp>
#include <heddle/schedule/stream_k.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>
#include <heddle/schedule/work_stealing.hpp>
