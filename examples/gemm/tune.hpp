#pragma once

#include <heddle/choose.hpp>

#include "gemm.hpp"

// A plan that was timed, and is remembered in a file:
//
//   heddle::wisdom known("gemm.json");
//   const auto found = gemm::tune(problem, device, operands, known, stream);
//   … gemm::gemm(found.value, operands, stream);

namespace gemm {

/// Times the few choices that are expected to be fastest, or takes the answer of a `wisdom`. The default is the choice
/// that a plan takes by itself: no answer was slower than it was.
///
/// **Preconditions**: those of `gemm`; and the workspace has tuning_workspace_bytes(problem, device).
///
/// **Effects**: enqueues the product some hundred times, in graphs, and waits for the stream. C is overwritten, and
/// with a beta that is not 0 it is added to each time.
heddle::choice<plan, cudaError_t> tune(const problem& problem, const device& device, const operands& operands,
                                       heddle::wisdom& known, cudaStream_t stream,
                                       const heddle::choose_options& options = {});

/// Returns the bytes of a workspace that serves every candidate.
std::size_t tuning_workspace_bytes(const problem& problem, const device& device);

}  // namespace gemm
