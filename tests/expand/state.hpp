#pragma once

// A strategy with its state in host memory, for kernels that tests/simt.hpp runs.

#include "simt.hpp"

#include <heddle/expand/expansion.hpp>

namespace heddle_test {

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
