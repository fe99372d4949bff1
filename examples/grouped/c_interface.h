#pragma once

#include <stddef.h>

// Products of groups with plain C types, for other languages: libheddle_grouped. grouped.hpp says what they are.
//
//   struct heddle_grouped_problem problem = {.rows = tokens, .groups = experts, .n = n, .k = k};
//   heddle_grouped_plan* plan = heddle_grouped_make_plan(&problem);
//   … allocate heddle_grouped_workspace_bytes(plan) on the device, and zero them once …
//   struct heddle_grouped_operands operands = {.a = a, .b = b, .ends = ends, .c = c, .workspace = workspace};
//   if (heddle_grouped_product(plan, &operands, stream) != 0) puts(heddle_grouped_error());
//   heddle_grouped_free_plan(plan);

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct heddle_grouped_plan heddle_grouped_plan;

enum heddle_grouped_element { heddle_grouped_bf16 = 0, heddle_grouped_fp16 = 1 };

/// The status of a call with a value that cannot be right. Any other status but 0 is a cudaError_t.
enum { heddle_grouped_refused = -1 };

/// `grouped::problem`: what is not used is 0, and so B is column by column.
struct heddle_grouped_problem {
  long long rows;
  int groups, n, k;
  enum heddle_grouped_element element;
  int b_is_row_major, is_gated;
  long long a_rows, c_rows;
};

/// `grouped::operands`: what is not used is null.
struct heddle_grouped_operands {
  const void* a;
  const void* b;
  const int* ends;
  void* c;
  void* workspace;
  const int* rows_of_a;
  const int* rows_of_c;
  const float* weights;
};

/// Returns a plan for the current device, or null after an error.
heddle_grouped_plan* heddle_grouped_make_plan(const struct heddle_grouped_problem* problem);

/// Frees a plan, or does nothing for null.
void heddle_grouped_free_plan(heddle_grouped_plan* plan);

/// Returns the bytes of a workspace, or 0 for null.
size_t heddle_grouped_workspace_bytes(const heddle_grouped_plan* plan);

/// Enqueues the products of all groups on a cudaStream_t, and returns 0 or the status of an error.
int heddle_grouped_product(const heddle_grouped_plan* plan, const struct heddle_grouped_operands* operands,
                           void* stream);

/// Returns the text of this thread's last error. It is valid until the next call.
const char* heddle_grouped_error(void);

#if defined(__cplusplus)
}
#endif
