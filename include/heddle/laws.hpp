#pragma once

// Laws: checkers that tell whether an order or a scheduler of your own is right, on the host, with no GPU.
//
//   const laws::verdict found = laws::check_order(my_order{…});
//   if (!found) std::puts(found.failure.c_str());
//
// Orders are checked for every index and at random ones. Schedulers run their own code in adversarial interleavings.

#include <heddle/laws/check_clusters.hpp>
#include <heddle/laws/check_curve.hpp>
#include <heddle/laws/check_order.hpp>
#include <heddle/laws/verdict.hpp>
#if defined(__cpp_exceptions)  // by which an interleaving ends what does not end
#include <heddle/laws/check_schedule.hpp>
#include <heddle/laws/check_split_schedule.hpp>
#include <heddle/laws/interleaving.hpp>
#endif
