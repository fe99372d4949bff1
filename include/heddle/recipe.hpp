#pragma once

// Describes a launch as one value, at run time: which order, which scheduler, with which numbers.
//
//   const recipe by = from_string("cta_swizzle, width 8, axis x, ticket");
//   const any_order order{by, grid, table};                              // one type for any order
//   with_recipe<advised_schedules>(by, order, state, [&](const auto& scheduler) { … launch … });
//
// A kernel names types; a recipe is their name at run time. docs/recipe.md says when which.

#include <heddle/recipe/any_order.hpp>
#include <heddle/recipe/recipe.hpp>
#if !defined(__CUDACC_RTC__)
#include <heddle/recipe/source.hpp>
#include <heddle/recipe/text.hpp>
#include <heddle/recipe/with.hpp>
#endif
