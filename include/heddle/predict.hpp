#pragma once

// Predicts how many bytes an order moves, and advises on order and scheduler, on the host.
//
//   const predict::advice found = predict::advise(predict::gemm_problem{…}, predict::h200());
//
// A problem describes what each tile reads and writes; a device has the sizes of its caches.
// docs/inside/predict.md compares the predictions with hardware counters.

#include <heddle/predict/advice.hpp>
#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/advise.hpp>
#include <heddle/predict/advise_list.hpp>
#include <heddle/predict/batched_problem.hpp>
#include <heddle/predict/causal_problem.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/group_tiles.hpp>
#include <heddle/predict/grouped_problem.hpp>
#include <heddle/predict/l1_traffic.hpp>
#include <heddle/predict/makespan.hpp>
#include <heddle/predict/pairs_problem.hpp>
#include <heddle/predict/problem.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/predict/tile_replay.hpp>
#include <heddle/predict/traffic.hpp>
#include <heddle/predict/traffic_report.hpp>
#if !defined(__wasi__)  // no files
#include <heddle/predict/stored_device.hpp>
#endif
