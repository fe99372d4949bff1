#pragma once

// Includes Catch2 3, or Catch2 2.13, the version of Debian 12.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
