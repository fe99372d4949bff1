#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#include "c_interface.h"
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#include "../common/c_status.hpp"
#include "grouped.hpp"

struct heddle_grouped_plan {
  grouped::plan plan;
};

namespace {

static_assert(c_status::refused == heddle_grouped_refused);

/// Returns the status of `work`.
template <class Work>
int caught(const Work& work) {
  return c_status::caught("grouped", work);
}

struct [[nodiscard]] found_device {
  gemm::device device;
  cudaError_t error;
};

/// Returns the current device. It does not look for the map of the chip, which would wait for the device.
found_device current_device() {
  int number = 0, major = 0, minor = 0;
  gemm::device device{0, heddle::predict::h200()};
  for (const cudaError_t error : {
           cudaGetDevice(&number),
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number),
           cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, number),
           cudaDeviceGetAttribute(&device.chip.multiprocessors, cudaDevAttrMultiProcessorCount, number),
       }) {
    if (error != cudaSuccess) return {device, error};
  }
  device.compute_capability = 10 * major + minor;
  return {device, cudaSuccess};
}

}  // namespace

heddle_grouped_plan* heddle_grouped_make_plan(const heddle_grouped_problem* problem) {
  heddle_grouped_plan* made = nullptr;
  const int status = caught([&] {
    const heddle_grouped_problem& p = c_status::given(problem, "grouped: problem");
    if (p.element != heddle_grouped_bf16 && p.element != heddle_grouped_fp16) {
      throw heddle::invalid_argument("grouped: element", p.element, "at most", heddle_grouped_fp16);
    }
    const auto [device, error] = current_device();
    if (error != cudaSuccess) return error;
    const grouped::problem of{
        .rows = p.rows,
        .groups = p.groups,
        .n = p.n,
        .k = p.k,
        .element = p.element == heddle_grouped_bf16 ? grouped::element::bf16 : grouped::element::fp16,
        .b = p.b_is_row_major != 0 ? grouped::layout::row_major : grouped::layout::column_major,
        .is_gated = p.is_gated != 0,
        .a_rows = p.a_rows,
        .c_rows = p.c_rows};
    made = new heddle_grouped_plan{grouped::plan(of, device)};
    return cudaSuccess;
  });
  return status == 0 ? made : nullptr;
}

void heddle_grouped_free_plan(heddle_grouped_plan* plan) {
  delete plan;
}

size_t heddle_grouped_workspace_bytes(const heddle_grouped_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.workspace_bytes();
}

int heddle_grouped_product(const heddle_grouped_plan* plan, const heddle_grouped_operands* operands, void* stream) {
  return caught([&] {
    const heddle_grouped_operands& o = c_status::given(operands, "grouped: operands");
    return grouped::product(c_status::given(plan, "grouped: plan").plan,
                            {.a = o.a,
                             .b = o.b,
                             .ends = o.ends,
                             .c = o.c,
                             .workspace = o.workspace,
                             .rows_of_a = o.rows_of_a,
                             .rows_of_c = o.rows_of_c,
                             .weights = o.weights},
                            static_cast<cudaStream_t>(stream));
  });
}

const char* heddle_grouped_error() {
  return c_status::last_error().c_str();
}
