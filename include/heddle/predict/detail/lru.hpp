#pragma once

#include <cstddef>
#include <vector>

#include <heddle/config.hpp>
#include <heddle/predict/detail/sparse.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// A cache of `capacity` bytes that drops the least recently used of its cells, which are numbered from 0.
///
/// Each touch is appended to a log, and cells are dropped from the log's oldest end. An entry counts only if it is the
/// last of its cell. A touch costs one random access; with a linked list it would be five.
class lru {
 public:
  explicit lru(long long capacity) : capacity_(capacity) {}

  /// Touches a cell and returns the bytes that come from DRAM: all or none.
  long long touch(long long cell, long long bytes) {
    ++touches_;
    if (log_.size() >= 2 * resident_ + 4096) forget_stale_entries();
    int& last = last_.at(cell, touching_);
    const bool hit = last > 0, again = last == dropped;
    last = static_cast<int>(log_.size()) + 1;
    log_.push_back({bytes, cell});
    if (hit) return 0;

    ++resident_;
    held_ += bytes;
    if (again) bytes_again_ += bytes;
    while (held_ > capacity_) drop_oldest();
    return bytes;
  }

  /// Returns the bytes that came from DRAM again, because they had been dropped.
  long long bytes_again() const { return bytes_again_; }
  /// Returns the number of touches.
  long long touches() const { return touches_; }

 private:
  struct logged {
    long long bytes, cell;
  };
  static constexpr int dropped = -1;  // in `last_`, of cells that the cache had

  /// Returns where the log's entry at a position says that the last one of its cell is.
  int& last_of(std::size_t position) { return last_.at(log_[position].cell, dropping_); }
  bool is_last(std::size_t position) { return last_of(position) == static_cast<int>(position) + 1; }

  void drop_oldest() {
    if (is_last(oldest_)) {
      last_of(oldest_) = dropped;
      held_ -= log_[oldest_].bytes;
      --resident_;
    }
    ++oldest_;
  }

  /// Compacts the log. At least half of it is stale then, so that this costs O(1) per touch.
  void forget_stale_entries() {
    std::size_t kept = 0;
    for (std::size_t i = oldest_; i < log_.size(); ++i) {
      if (!is_last(i)) continue;
      last_of(i) = static_cast<int>(kept) + 1;
      log_[kept++] = log_[i];
    }
    log_.resize(kept);
    oldest_ = 0;
  }

  sparse<int> last_;  // the last entry of each cell in the log, counted from 1; 0 of cells never touched
  sparse<int>::place touching_, dropping_;
  std::vector<logged> log_;
  std::size_t oldest_ = 0, resident_ = 0;
  long long held_ = 0, capacity_, bytes_again_ = 0, touches_ = 0;
};

}  // namespace heddle::inline HEDDLE_ABI::detail
