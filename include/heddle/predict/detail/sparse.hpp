#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Values with numbers from 0 to 2^62, which take memory only near those that were asked for. All others have the value
/// of `T{}`.
///
/// Sixteen consecutive values lie together. A table of hashes says where, and the last two such blocks are found without
/// it: a cache goes through its cells in two places, where it reads and where it drops.
template <class T>
class sparse {
 public:
  /// Returns the value with a number. The reference holds until the next call.
  T& operator[](long long number) {
    const auto block = static_cast<long long>(static_cast<std::uint64_t>(number) / together);
    if (block != last_.block) {
      std::swap(last_, before_last_);
      if (block != last_.block) last_ = {block, place_of(block)};
    }
    return values_[last_.place + static_cast<std::uint64_t>(number) % together];
  }

 private:
  static constexpr int together = 16;
  struct entry {
    long long block = -1;
    std::size_t place = 0;  // of the block's first value
  };

  std::size_t place_of(long long block) {
    if (2 * values_.size() / together >= table_.size()) grow();
    entry& found = entry_of(block);
    if (found.block < 0) {
      found = {block, values_.size()};
      values_.resize(values_.size() + together);
    }
    return found.place;
  }

  /// Returns the entry of a block, or the empty one that it will have.
  entry& entry_of(long long block) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = static_cast<std::size_t>((static_cast<std::uint64_t>(block) * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (table_[at].block >= 0 && table_[at].block != block) at = (at + 1) & mask;
    return table_[at];
  }

  void grow() {
    std::vector<entry> before(table_.empty() ? 64 : 2 * table_.size());
    before.swap(table_);
    for (const entry& one : before) {
      if (one.block >= 0) entry_of(one.block) = one;
    }
  }

  std::vector<entry> table_;
  std::vector<T> values_;
  entry last_, before_last_;
};

}  // namespace heddle::inline HEDDLE_ABI::detail
