#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#include "c_interface.h"
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#include <algorithm>

#include <heddle/order/grouped.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/schedule/draws_late.hpp>
#include <heddle/schedule/ticket.hpp>

#include "../common/c_status.hpp"
#include "on_hopper.cuh"
#include "section.hpp"

struct heddle_attention_plan {
  attention::problem problem;
  int element;
  bool is_packed;
  long long section;
};

namespace {

static_assert(c_status::refused == heddle_attention_refused);

/// Returns the status of `work`.
template <class Work>
int caught(const Work& work) {
  return c_status::caught("attention", work);
}

/// The workspace has two parts: the state of ticket, and that of the groups.
constexpr std::size_t groups_at = 256;
static_assert(heddle::ticket<>::state_bytes() <= groups_at);

/// Calls `work` with the kernel for a plan.
template <class Work>
auto with_kernel(const heddle_attention_plan& plan, const Work& work) {
  if (plan.element == heddle_attention_bf16) {
    return plan.problem.width == 64 ? work(attention::on_hopper<__nv_bfloat16, 64>{})
                                    : work(attention::on_hopper<__nv_bfloat16, 128>{});
  }
  return plan.problem.width == 64 ? work(attention::on_hopper<__half, 64>{})
                                  : work(attention::on_hopper<__half, 128>{});
}

}  // namespace

heddle_attention_plan* heddle_attention_make_plan(const heddle_attention_problem* given, long long section) {
  heddle_attention_plan* made = nullptr;
  const int status = caught([&] {
    using attention::require;
    const heddle_attention_problem& of = c_status::given(given, "attention: problem");
    require(of.element == 0 || of.element == 1, "attention: element", of.element, "at most", heddle_attention_fp16);
    require(section >= 0, "attention: section", section, "at least", 0);
    const auto [card, error] = heddle::current_device();
    int device = 0, major = 0;
    for (const cudaError_t each :
         {error, cudaGetDevice(&device), cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)}) {
      if (each != cudaSuccess) return each;
    }
    require(major == 9, "attention: compute capability", major, "exactly", 9);
    const attention::problem problem{of.sequences, of.queries, of.keys, of.heads, of.key_heads,
                                     of.width,     of.scale,   of.left, of.right};
    attention::check(problem, of.width == 64 ? 64 : 128, of.is_packed != 0);
    const long long most = (std::max)(1LL, problem.heads * (of.is_packed != 0 ? 1 : problem.sequences));
    if (section == 0) section = attention::section_of(problem, of.is_packed != 0, card);
    made = new heddle_attention_plan{problem, of.element, of.is_packed != 0, (std::min)(section, most)};
    return cudaSuccess;
  });
  return status == 0 ? made : nullptr;
}

void heddle_attention_free_plan(heddle_attention_plan* plan) {
  delete plan;
}

long long heddle_attention_section(const heddle_attention_plan* plan) {
  return plan == nullptr ? 0 : plan->section;
}

size_t heddle_attention_workspace_bytes(const heddle_attention_plan* plan) {
  if (plan == nullptr) return 0;
  if (!plan->is_packed) return groups_at;
  return groups_at +
         with_kernel(*plan, [&](const auto& by) { return heddle::grouped::state_bytes(by.groups(plan->problem)); });
}

int heddle_attention_forward(const heddle_attention_plan* plan, const void* q, const void* k, const void* v, void* o,
                             float* lse, const int* query_offsets, const int* key_offsets, void* workspace,
                             void* stream) {
  const attention::operands operands{q, k, v, o, lse, key_offsets};
  const auto on = static_cast<cudaStream_t>(stream);
  return caught([&] {
    const attention::problem& p = c_status::given(plan, "attention: plan").problem;
    return with_kernel(*plan, [&](const auto& by) {
      const auto launch = [&](const auto& order) {
        const heddle::draws_late scheduler{heddle::ticket{heddle::reversed{order}, workspace}};
        return by.launch(by.grid(scheduler), scheduler, p, operands, on);
      };
      if (!plan->is_packed) return launch(heddle::thread_group_tiling{by.tiles(p), static_cast<int>(plan->section)});
      attention::require(query_offsets != nullptr || p.sequences == 0, "attention: query_offsets", 0, "at least", 1);
      const heddle::grouped order(by.groups(p), static_cast<char*>(workspace) + groups_at, plan->section,
                                  heddle::axis::x, heddle::group_sequence::lightest_first);
      const cudaError_t error = order.prepare_async(query_offsets + 1, on, heddle::group_rows::offsets(key_offsets));
      return error == cudaSuccess ? launch(order) : error;
    });
  });
}

const char* heddle_attention_error() {
  return c_status::last_error().c_str();
}
