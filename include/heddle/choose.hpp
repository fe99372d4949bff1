#pragma once

// Chooses the fastest of candidates of your own by timing a few, and remembers which it was, on the host.
//
//   const auto found = choose(candidates, [&](const mine& c, cudaStream_t on) { return launch(c, on); }, stream);
//
// A candidate is a value with its predicted time. A `wisdom` keeps answers in a file; a `wisdom_key` says what they are
// answers to. docs/choose.md says when to use this, and how far to trust it.
//
// A `guard` launches one candidate per call and decides meanwhile, without losing against the first: docs/guard.md.

#include <heddle/choose/choice.hpp>
#include <heddle/choose/choose.hpp>
#include <heddle/choose/event_clock.hpp>
#include <heddle/choose/guard.hpp>
#include <heddle/choose/machine.hpp>
#include <heddle/choose/wisdom.hpp>
#include <heddle/choose/wisdom_entry.hpp>
#include <heddle/choose/wisdom_key.hpp>
