#pragma once

// Launches: parameters by architecture, launch attributes, and facts about the current device.
//
//   launch({.threads = 256, .stream = stream}, kernel, scheduler, …);
//
// `launch_shape` says how to launch a kernel over a policy, and `launch_config` is a launch or an error. A `launch_box`
// gives a kernel its parameters per architecture; `compiled_params` finds which ones the loaded code has.
// `occupancy_of` says what limits residency, and `find_chip_map` finds which multiprocessors lie in one GPC.

#include <heddle/launch/arch.hpp>
#include <heddle/launch/chip_map.hpp>
#include <heddle/launch/compiled_params.hpp>
#include <heddle/launch/launch_box.hpp>
#include <heddle/launch/launch_shape.hpp>
#include <heddle/launch/occupancy.hpp>
#include <heddle/launch/programmatic.hpp>
