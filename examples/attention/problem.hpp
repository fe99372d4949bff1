#pragma once

namespace attention {

/// No edge of a window.
inline constexpr int unlimited = 0x7fffffff;

/// Queries, keys and values of sequences: of the same lengths, one sequence after another, or packed, of lengths that
/// only the device knows. A token has its heads beside each other.
///
/// The last query of a sequence is beside its last key. A query sees the keys from `left` keys before the one beside it
/// to `right` keys behind it: {unlimited, unlimited} is full attention, {unlimited, 0} causal, any other a window.
struct problem {
  long long sequences;
  long long queries, keys;     // tokens of each sequence; of packed sequences together, at most
  long long heads, key_heads;  // of queries, and of keys and values, which `heads / key_heads` heads of queries share
  long long width;             // elements of a head
  float scale;                 // of a query times a key
  int left = unlimited, right = unlimited;
};

struct operands {
  const void *q, *k, *v;
  void* o;                           // as q. A query that sees no key gets zeros
  float* lse;                        // heads x tokens of queries: logarithms of the sums of exponentials, or null
  const int* key_offsets = nullptr;  // of packed sequences, one more than these, on the device
};

}  // namespace attention
