#pragma once

// Fills shared memory with bytes that an earlier kernel may have left. Include simt.hpp first.

#include <cstring>

namespace heddle_test {

/// Bytes that memory has before a test: all bits clear, all bits set, and a mixture. Code that reads memory before it
/// writes it may take any of them for its own.
inline constexpr unsigned char fillings[] = {0x00, 0xa5, 0xff};

/// Sets every byte of an object in shared memory. Every thread of the block must call it; it has one barrier.
template <class Shared>
void fill(Shared& shared, unsigned char byte) {
  if (threadIdx.x == 0) std::memset(static_cast<void*>(&shared), byte, sizeof shared);
  __syncthreads();
}

}  // namespace heddle_test
