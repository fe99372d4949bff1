#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "context.hpp"
#include "device.hpp"
#include "json.hpp"
#include "options.hpp"
#include "timing.hpp"

// What a benchmark begins with: its options, the device, times, and figures as JSON.
