#pragma once

// Catch2 3, or 2.13 as Debian 12 has it, under one name.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
