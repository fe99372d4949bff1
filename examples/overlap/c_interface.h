#pragma once

#include <stddef.h>

// Products of several GPUs with plain C types, for other languages: libheddle_overlap. gathered_product.hpp and
// scattered_product.hpp say what they are.
//
//   heddle_overlap* part = heddle_overlap_gather(m, n, k, ranks, rank, limit);  // or _scatter
//   … heddle_overlap_address(part, bytes) to all other ranks, and theirs to this one, behind each other …
//   if (heddle_overlap_connect(part, addresses) != 0) puts(heddle_overlap_error());
//   heddle_overlap_enqueue(part, b, c, stream);  // each turn
//   … all ranks have ended their turns …
//   heddle_overlap_disconnect(part);
//   … all ranks are disconnected …
//   heddle_overlap_free(part);
//
// A part belongs to the device that was current when it was made, and that is current in every call.

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct heddle_overlap heddle_overlap;

/// The status of a call with a value that cannot be right, and of ranks whose memory cannot be reached. Any other
/// status but 0 is a cudaError_t.
enum { heddle_overlap_refused = -1, heddle_overlap_unreachable = -2 };

/// What was late in all turns so far, as `overlap::report`.
struct heddle_overlap_report {
  unsigned late;
  int rank, piece, at;
};

/// Returns the part of a rank: of a product that begins with the rows of A that are here, or of one whose sums are
/// scattered; or null after an error. A thread waits `limit` nanoseconds at most.
heddle_overlap* heddle_overlap_gather(int m, int n, int k, int ranks, int rank, long long limit);
heddle_overlap* heddle_overlap_scatter(int m, int n, int k, int ranks, int rank, long long limit);

/// Frees a part, whose memory no other rank then has open, or does nothing for null.
void heddle_overlap_free(heddle_overlap* part);

/// Returns the bytes of an address, and writes that of a part.
size_t heddle_overlap_address_bytes(void);
int heddle_overlap_address(const heddle_overlap* part, void* address);

/// Opens the memory of the other ranks, by the addresses of all in their order.
int heddle_overlap_connect(heddle_overlap* part, const void* addresses);

/// Closes the memory of the other ranks, which have ended their turns.
int heddle_overlap_disconnect(heddle_overlap* part);

/// Returns the rows that this rank has: those of A that are filled in before a turn, or those of C after it; null for
/// null.
void* heddle_overlap_own_rows(const heddle_overlap* part);

/// Enqueues a turn of a connected part on a cudaStream_t. One that gathers takes B and C, one that scatters A and B.
int heddle_overlap_enqueue(heddle_overlap* part, const void* first, void* second, void* stream);

/// Waits for the stream, and tells what was late.
int heddle_overlap_read(const heddle_overlap* part, void* stream, struct heddle_overlap_report* report);

/// Returns the text of this thread's last error. It is valid until the next call.
const char* heddle_overlap_error(void);

#if defined(__cplusplus)
}
#endif
