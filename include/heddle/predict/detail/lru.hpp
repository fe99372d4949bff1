#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Values with numbers from 0 to 2^62, which take memory only near those that were asked for. All others have the
/// value of `Value{}`.
///
/// Values lie in chunks, which never move: a vector that grows would take three times the memory. The first 2^18 values
/// have chunks in ascending order. Of the others sixteen consecutive ones lie together, and a table of hashes says
/// where. A reader that goes through numbers in ascending order keeps a place of its own, and finds most without it.
template <class Value>
class sparse {
 public:
  struct place {
    long long block = -1;
    std::size_t first = 0;  // of the block's values
  };

  /// Returns the value with a number. The reference holds until the next call. `reader` is where it was.
  Value& at(long long number, place& reader) {
    const auto at = static_cast<std::size_t>(number);
    if (at >= in_order) return behind(at, reader);
    if (at / in_chunk >= first_.size()) first_.resize(at / in_chunk + 1);
    std::vector<Value>& chunk = first_[at / in_chunk];
    if (chunk.empty()) chunk.resize(in_chunk);
    return chunk[at % in_chunk];
  }
  /// Returns the value with a number.
  Value& operator[](long long number) { return at(number, last_); }

  /// Returns the number of values beyond the first 2^18 that have memory.
  long long size() const { return static_cast<long long>(blocks_ * together); }

  /// Gives memory back. All values must be `Value{}`, and no reader keeps its place.
  void shrink() {
    if (chunks_.size() < 64) return;
    chunks_.clear(), table_.clear();
    blocks_ = 0, last_ = {};
  }

 private:
  static constexpr std::size_t in_order = 1 << 18, together = 16, in_chunk = 1 << 10;

  Value& behind(std::size_t number, place& reader) {
    const auto block = static_cast<long long>(number / together);
    if (block != reader.block) reader = place_of(block);
    return chunks_[reader.first / in_chunk][reader.first % in_chunk + number % together];
  }

  place place_of(long long block) {
    if (4 * blocks_ >= 3 * table_.size()) grow();
    place& found = entry_of(block);
    if (found.block < 0) {
      found = {block, blocks_++ * together};
      if (found.first % in_chunk == 0) chunks_.emplace_back(in_chunk);
    }
    return found;
  }

  /// Returns the entry of a block, or the empty one that it will have.
  place& entry_of(long long block) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = static_cast<std::size_t>((static_cast<std::uint64_t>(block) * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (table_[at].block >= 0 && table_[at].block != block) at = (at + 1) & mask;
    return table_[at];
  }

  void grow() {
    std::vector<place> before(table_.empty() ? 64 : 2 * table_.size());
    before.swap(table_);
    for (const place& one : before) {
      if (one.block >= 0) entry_of(one.block) = one;
    }
  }

  std::vector<std::vector<Value>> first_, chunks_;
  std::vector<place> table_;
  std::size_t blocks_ = 0;
  place last_;
};

/// Returns the number of an element of a matrix, in which sixteen neighbours lie together.
constexpr long long number_in_blocks(long long row, long long col, long long cols) {
  if (cols < 4) return row * cols + col;
  return ((row / 4 * ((cols + 3) / 4) + col / 4) * 4 + row % 4) * 4 + col % 4;
}

/// A cache of `capacity` bytes that drops the least recently used of its cells, which are numbered from 0.
///
/// Each touch is appended to a log, and cells are dropped from the log's oldest end, whose memory is given back. An
/// entry counts only if it is the last of its cell. A touch costs one random access; with a linked list it would be
/// five.
class lru {
 public:
  explicit lru(long long capacity) : capacity_(capacity) {}

  /// Touches a cell and returns the bytes that come from DRAM: all or none.
  long long touch(long long cell, long long bytes) {
    ++touches_;
    if (dropped_entries_ + log_.size() >= 2 * resident_ + 4096) forget_stale_entries();
    int& last = last_.at(cell, touching_);
    const bool hit = last > 0, again = last == dropped;
    log_.push_back({bytes, cell});
    last = static_cast<int>(dropped_entries_ + log_.size());
    if (hit) return 0;

    ++resident_;
    held_ += bytes;
    if (again) bytes_again_ += bytes;
    while (held_ > capacity_) drop_oldest();
    return bytes;
  }

  /// Returns the bytes that came from DRAM again, because they had been dropped.
  long long bytes_again() const { return bytes_again_; }
  /// Returns the work done so far, in touches: a drop takes half as long.
  long long touches() const { return touches_ + drops_ / 2; }

 private:
  struct logged {
    long long bytes, cell;
  };
  static constexpr int dropped = -1;  // in `last_`, of cells that the cache had

  /// Returns `last_` of an entry's cell if the entry is its last one, else null.
  int* last_of(std::size_t number, const logged& entry) {
    int& last = last_.at(entry.cell, dropping_);
    return last == static_cast<int>(number) ? &last : nullptr;
  }

  void drop_oldest() {
    ++drops_;
    if (int* const last = last_of(++dropped_entries_, log_.front())) {
      *last = dropped;
      held_ -= log_.front().bytes;
      --resident_;
    }
    log_.pop_front();
  }

  /// Compacts the log. At least half of its entries are dropped or stale then, so that this costs O(1) per touch.
  void forget_stale_entries() {
    std::deque<logged> kept;
    for (const logged& entry : log_) {
      if (int* const last = last_of(++dropped_entries_, entry)) {
        kept.push_back(entry);
        *last = static_cast<int>(kept.size());
      }
    }
    log_.swap(kept);
    dropped_entries_ = 0;
  }

  sparse<int> last_;  // the last entry of each cell in the log, counted from 1; 0 of cells never touched
  sparse<int>::place touching_, dropping_;
  std::deque<logged> log_;
  std::size_t dropped_entries_ = 0, resident_ = 0;  // dropped: before the log's oldest, since the last compaction
  long long held_ = 0, capacity_, bytes_again_ = 0, touches_ = 0, drops_ = 0;
};

}}}  // namespace heddle::HEDDLE_ABI::detail
