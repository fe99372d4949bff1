#pragma once

// Describes the card at hand to `predict`, on the host.
//
//   const auto [card, error] = current_device();     // at once, from what the runtime says
//   const auto [card, error] = calibrate(stream);    // measured, in less than 0.3 s
//
// `predict/` needs no GPU and has constants of some cards; `write_device` keeps a description in a file.

#include <heddle/device/calibrate.hpp>
#include <heddle/device/current_device.hpp>
