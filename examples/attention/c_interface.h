#pragma once

#include <stddef.h>

// The forward pass with plain C types, for other languages: libheddle_attention. problem.hpp says what the numbers are.
//
//   heddle_attention_plan* plan = heddle_attention_make_plan(&problem, 0);
//   … allocate heddle_attention_workspace_bytes(plan) on the device, and zero them once …
//   if (heddle_attention_forward(plan, q, k, v, o, lse, NULL, NULL, workspace, stream) != 0)
//   puts(heddle_attention_error()); heddle_attention_free_plan(plan);

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct heddle_attention_plan heddle_attention_plan;

enum heddle_attention_element { heddle_attention_bf16 = 0, heddle_attention_fp16 = 1 };

/// The status of a call with a value that cannot be right. Any other status but 0 is a cudaError_t.
enum { heddle_attention_refused = -1 };

/// No edge of a window.
enum { heddle_attention_unlimited = 0x7fffffff };

struct heddle_attention_problem {
  long long sequences, queries, keys, heads, key_heads, width;
  float scale;
  int left, right;
  int element;    // of heddle_attention_element
  int is_packed;  // not 0: `queries` and `keys` are those of all sequences together, at most
};

/// Returns a plan for the current device, or null after an error. `section` heads run together; 0: as many as an advice
/// says.
heddle_attention_plan* heddle_attention_make_plan(const struct heddle_attention_problem* problem, long long section);

/// Frees a plan, or does nothing for null.
void heddle_attention_free_plan(heddle_attention_plan* plan);

/// Returns the heads that run together.
long long heddle_attention_section(const heddle_attention_plan* plan);

/// Returns the bytes of a workspace.
size_t heddle_attention_workspace_bytes(const heddle_attention_plan* plan);

/// Enqueues a pass on a cudaStream_t, and returns 0 or the status of an error. Offsets are of packed sequences, one
/// more than these, on the device.
int heddle_attention_forward(const heddle_attention_plan* plan, const void* q, const void* k, const void* v, void* o,
                             float* lse, const int* query_offsets, const int* key_offsets, void* workspace,
                             void* stream);

/// Returns the text of this thread's last error. It is valid until the next call.
const char* heddle_attention_error(void);

#if defined(__cplusplus)
}
#endif
