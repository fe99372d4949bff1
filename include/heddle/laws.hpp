#pragma once

// Checks whether an order or a scheduler of your own obeys its law, on the host, without a GPU.
//
//   const laws::verdict found = laws::check_order(my_order{…});
//   if (!found) std::puts(found.failure.c_str());
//
// The checkers of orders visit every index, or random ones. The checkers of schedulers run the scheduler's own code in
// adversarial interleavings. check_taken, check_multicast and check_invariance judge what any launch did, by its log.

#include <heddle/laws/check_clusters.hpp>
#include <heddle/laws/check_costs.hpp>
#include <heddle/laws/check_curve.hpp>
#include <heddle/laws/check_invariance.hpp>
#include <heddle/laws/check_multicast.hpp>
#include <heddle/laws/check_order.hpp>
#include <heddle/laws/check_taken.hpp>
#include <heddle/laws/verdict.hpp>
#if defined(__cpp_exceptions) && !defined(__wasi__)  // an interleaving has threads, and stops them by an exception
#include <heddle/laws/check_schedule.hpp>
#include <heddle/laws/check_split_schedule.hpp>
#include <heddle/laws/interleaving.hpp>
#endif
