#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <heddle/predict/detail/sparse.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Lines of bits, in words of 64, few of which are set.
class bit_lines {
 public:
  explicit bit_lines(int bits) : words_in_line_((bits + 63LL) / 64) {}

  /// Sets the bits from `begin` to `end`.
  void set(int line, int begin, int end) {
    for (int word = begin / 64; word <= (end - 1) / 64; ++word) {
      const std::uint64_t from = begin > word * 64 ? ~0ULL << (begin - word * 64) : ~0ULL;
      const std::uint64_t to = end - word * 64 < 64 ? ~(~0ULL << (end - word * 64)) : ~0ULL;
      if ((from & to) == 0) continue;
      ++sets_;
      std::uint64_t& here = words_[number_in_blocks(line, word, words_in_line_)];
      if (here == 0) used_.push_back(static_cast<long long>(line) << 32 | word);
      here |= from & to;
    }
  }

  /// Calls f(line, word, bits) for every word with bits set, in ascending order, and clears it.
  template <class F>
  void drain(const F& f) {
    std::sort(used_.begin(), used_.end());
    for (const long long number : used_) {
      const int line = static_cast<int>(number >> 32), word = static_cast<int>(number & 0xffffffff);
      f(line, word, std::exchange(words_[number_in_blocks(line, word, words_in_line_)], 0));
    }
    used_.clear();
    words_.shrink();
  }

  /// Returns how often a word was set.
  long long sets() const { return sets_; }

 private:
  long long words_in_line_, sets_ = 0;
  sparse<std::uint64_t> words_;
  std::vector<long long> used_;  // the words that are not 0: line * 2^32 + word
};

}  // namespace heddle::inline HEDDLE_ABI::detail
