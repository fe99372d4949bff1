#pragma once

// A strategy with its state in host memory, for kernels that tests/simt.hpp runs.

#include "simt.hpp"

#include <heddle/expand/expansion.hpp>

#include "sources.hpp"

namespace heddle_test {

/// Pushes `Count` sources per thread, of which the i-th is `source_of(i)`. Those past the end spawn nothing.
template <unsigned Count, class Work, class SourceOf>
void push_sources(const Work& work, typename Work::push_storage& smem, const sources& all, const SourceOf& source_of) {
  unsigned source[Count], n[Count];
  for (unsigned i = 0; i < Count; ++i) {
    source[i] = source_of(i);
    n[i] = source[i] < all.size() ? all.n[source[i]] : 0;
  }
  work.push(smem, source, n);
}

/// The i-th source of a thread where each row of a block has consecutive sources, and a block `count` rows.
inline unsigned source_in_rows(unsigned count, unsigned i) {
  return (blockIdx.x * count + i) * blockDim.x + threadIdx.x;
}

/// The same where each row of a warp has consecutive sources, and a warp `count` rows.
inline unsigned source_in_warps(unsigned count, unsigned i) {
  const unsigned warp = threadIdx.x / 32 * 32, lanes = std::min(32u, blockDim.x - warp);
  return (blockIdx.x * blockDim.x + warp) * count + i * lanes + threadIdx.x % 32;
}

/// A strategy and its memory. Each byte of the memory begins as `filling`, and so do those of a guard behind it.
template <class Work>
class state {
 public:
  explicit state(heddle::expansion capacity, unsigned char filling = 0xa5)
      : filling_(filling),
        bytes_(Work::state_bytes(capacity)),
        words_((bytes_ + 7) / 8 + 64, 0x0101010101010101ull * filling),
        work_(capacity, words_.data()) {}

  const Work& work() const { return work_; }
  void begin() { std::memset(words_.data(), 0, Work::bytes_to_clear(work_.capacity())); }
  const typename Work::totals& totals() const { return *reinterpret_cast<const typename Work::totals*>(words_.data()); }
  auto required() const { return work_.required(totals()); }
  unsigned long long items_pushed() const { return work_.items_pushed(totals()); }

  bool guard_is_whole() const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(words_.data());
    return std::all_of(bytes + bytes_, bytes + 8 * words_.size(), [&](unsigned char byte) { return byte == filling_; });
  }

 private:
  unsigned char filling_;
  std::size_t bytes_;
  std::vector<unsigned long long> words_;
  Work work_;
};

}  // namespace heddle_test
