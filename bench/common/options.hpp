#pragma once

#include "../../examples/common/command_line.hpp"

namespace heddle_bench {

using namespace command_line;

}  // namespace heddle_bench
