#pragma once

// All that tests use of Catch2, so that they mean the same with Catch2 3 and with 2.13, the version of Debian 12.
// Macros that both have are used as they are; a name that only one has, or that moved, gets a name here.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

namespace heddle_test {

#if __has_include(<catch2/catch_all.hpp>)
using approx = Catch::Approx;
#else
using approx = Catch::Detail::Approx;
#endif

}  // namespace heddle_test
