#pragma once

// Shared memory as the kernel before may have left it. Include simt.hpp first.

#include <cstring>

namespace heddle_test {

/// Bytes that memory holds before a test, each of which something may take for its own: nothing, and everything.
inline constexpr unsigned char fillings[] = {0x00, 0xa5, 0xff};

/// Sets every byte of a block's shared memory. For every thread of the block: one barrier.
template <class Shared>
void fill(Shared& shared, unsigned char byte) {
  if (threadIdx.x == 0) std::memset(static_cast<void*>(&shared), byte, sizeof shared);
  __syncthreads();
}

}  // namespace heddle_test
