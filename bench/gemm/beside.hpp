#pragma once

#include "common/json.hpp"
#include "cublas.hpp"
#include "shapes.hpp"

namespace gemm_bench {

/// Times a product while another kernel holds multiprocessors: by cuBLAS, by the plan, and by the plan that shares the
/// GPU. Prints a table, and adds a row per figure to the list of the file that was begun.
///
/// Rows have the situation: "held", multiprocessors are held all the time; "arrives" and "leaves", the other kernel is
/// launched, or ends, in the middle of the first of the products in a row. The law of a row is what the waves of the
/// plan's kernel allow with the workers that are resident: see `law_of`.
void measure_beside(const shape& s, int rounds, const cublas& library, heddle_bench::json_file& json);

}  // namespace gemm_bench
