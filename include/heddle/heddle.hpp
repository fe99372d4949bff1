#pragma once

// Includes all of heddle. For shorter compile times include the header of each type that you use.

#include <heddle/concepts.hpp>
#include <heddle/config.hpp>
#include <heddle/coord.hpp>
#include <heddle/expand.hpp>
#include <heddle/granularity.hpp>
#include <heddle/invalid_argument.hpp>
#include <heddle/launch.hpp>
#include <heddle/order.hpp>
#include <heddle/recipe.hpp>
#include <heddle/reorder.hpp>
#include <heddle/schedule.hpp>
#include <heddle/static_shared.hpp>
#include <heddle/trace.hpp>
#include <heddle/version.hpp>
#if !defined(__CUDACC_RTC__)
#include <heddle/choose.hpp>
#include <heddle/device.hpp>
#include <heddle/draw.hpp>
#include <heddle/laws.hpp>
#include <heddle/predict.hpp>
#endif
