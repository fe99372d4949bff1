#pragma once

// Launches kernels: parameters by architecture, launch attributes, and properties of the current device.
//
//   launch(scheduler.grid(kernel, 256).with(programmatic_launch()), stream, kernel, scheduler);
//
// A `launch_box` gives a kernel its parameters per architecture; `compiled_params` reads from the loaded code which of
// them it was compiled with. A `launch_config` is a launch or an error, `occupancy_of` names the limit of occupancy,
// and `find_chip_map` finds the multiprocessors of each GPC.

#include <heddle/launch/arch.hpp>
#include <heddle/launch/chip_map.hpp>
#include <heddle/launch/compiled_params.hpp>
#include <heddle/launch/launch_box.hpp>
#include <heddle/launch/launch_config.hpp>
#include <heddle/launch/occupancy.hpp>
#include <heddle/launch/programmatic.hpp>
