#pragma once

#include <string>

#include "gemm.hpp"

namespace gemm {

/// Multiplies on a Hopper GPU under a traced scheduler, "strided" or "ticket", and writes the trace to a file. Prints
/// what the trace costs, and what it says in numbers. A and B are contiguous along k, in bf16.
void trace_product(const problem& problem, const operands& operands, const std::string& schedule,
                   const std::string& path);

}  // namespace gemm
