#pragma once

// What all tests begin with: what most of them use of the standard library, and all that they use of Catch2, so that
// they mean the same with Catch2 3 and with 2.13, the version of Debian 12. Macros that both have are used as they are;
// a name that only one has, or that moved, gets a name here.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

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
