#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <heddle/predict/detail/lru.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Calls f(word, bits) for the words of 64 bits that have bits from `begin` to `end`, and with these bits.
template <class F>
void for_each_word(int begin, int end, const F& f) {
  for (int word = begin / 64; begin < end; begin = ++word * 64) {
    const int last = (std::min)(end - word * 64, 64) - 1;
    f(word, ~0ULL << begin % 64 & ~0ULL >> (63 - last));
  }
}

/// A cache of `capacity` bytes that drops the least recently used of its cells, as `lru` does. Cells lie in lines, 64
/// to a word of bits, and are touched word by word: as if one after another, in ascending order.
///
/// `bytes_of(line, word, cells)` returns the bytes of cells.
///
/// Each touch of a word is appended to a log, with the cells that it touched last: a later touch takes its cells from
/// the entries of this word before it, which are linked. Cells are dropped from the log's oldest end. If only some of
/// the oldest entry's cells must go, they go when its word is touched again.
class line_lru {
 public:
  line_lru(long long capacity, int cells_in_line)
      : capacity_(capacity), words_in_line_(static_cast<int>((cells_in_line + 63LL) / 64)) {}

  /// Touches cells of a word, at least one, and returns the bytes that come from DRAM.
  template <class BytesOf>
  long long touch(int line, int word, std::uint64_t cells, const BytesOf& bytes_of) {
    if (log_.size() >= 2 * used_ + 4096) forget_stale_entries();
    if (held_ > capacity_ && is_oldest(line, word)) drop_lowest_of_oldest(bytes_of);
    here& word_here = here_[number_in_blocks(line, word, words_in_line_)];
    if (!has_entry(word_here.last, line, word)) word_here.last = 0;
    const std::uint64_t missed = cells & ~held_of(word_here);
    const long long bytes = missed == 0 ? 0 : bytes_of(line, word, missed);
    do {
      // Whether a cell of this very word is dropped before its turn comes is a question for each cell.
      const bool has_many = (cells & (cells - 1)) != 0;
      if (has_many && held_ + bytes > capacity_ && is_oldest(line, word)) {
        return touch_each(line, word, cells, bytes_of);
      }
    } while (drops_oldest(bytes, bytes_of));
    append({cells, line, word, word_here.last}, word_here);
    held_ += bytes;
    const std::uint64_t again = missed & word_here.seen;
    if (again != 0) bytes_again_ += again == missed ? bytes : bytes_of(line, word, again);
    word_here.seen |= cells;
    while (drops_oldest(0, bytes_of)) {
    }
    return bytes;
  }

  /// Returns the bytes that came from DRAM again, because they had been dropped.
  long long bytes_again() const { return bytes_again_; }
  /// Returns how many cells were touched one by one, since the cache has no room for all of their word.
  long long single_touches() const { return single_touches_; }
  /// Returns the number of words that have memory.
  long long words() const { return here_.size(); }

 private:
  struct logged {
    std::uint64_t cells;  // that no later entry has, and that were not dropped
    int line, word;
    std::size_t before;  // the entry of this word before this one, counted from 1; 0: none
  };
  struct here {  // of a word
    std::uint64_t seen = 0;
    std::size_t last = 0;  // entry in the log, counted from 1
  };

  template <class BytesOf>
  long long touch_each(int line, int word, std::uint64_t cells, const BytesOf& bytes_of) {
    long long bytes = 0;
    single_touches_ += std::popcount(cells);
    for (; cells != 0; cells &= cells - 1) bytes += touch(line, word, cells & (~cells + 1), bytes_of);
    return bytes;
  }

  /// Returns whether the log has this entry of a word. A word is not told when the last of its entries goes.
  bool has_entry(std::size_t last, int line, int word) const {
    return last > oldest_ && last <= log_.size() && log_[last - 1].line == line && log_[last - 1].word == word;
  }

  /// Returns the cells of a word that the cache has.
  std::uint64_t held_of(const here& of) const {
    std::uint64_t held = 0;
    for (std::size_t at = of.last; at > oldest_; at = log_[at - 1].before) held |= log_[at - 1].cells;
    return held;
  }

  /// Appends an entry, and takes its cells from those before it.
  void append(logged entry, here& of) {
    std::size_t* link = &entry.before;
    while (*link > oldest_) {
      logged& earlier = log_[*link - 1];
      const bool had_some = earlier.cells != 0;
      earlier.cells &= ~entry.cells;
      if (*link == oldest_ + 1) bytes_of_oldest_ = 0;
      if (had_some && earlier.cells == 0) --used_;
      if (earlier.cells == 0) {
        *link = earlier.before;
      } else {
        link = &earlier.before;
      }
    }
    if (*link != 0) *link = 0;  // what is older was dropped
    log_.push_back(entry);
    ++used_;
    of.last = log_.size();
  }

  bool is_oldest(int line, int word) {
    skip_stale_entries();
    return oldest_ < log_.size() && log_[oldest_].line == line && log_[oldest_].word == word;
  }

  void skip_stale_entries() {
    for (; oldest_ < log_.size() && log_[oldest_].cells == 0; ++oldest_) bytes_of_oldest_ = 0;
  }

  /// Drops the oldest entry if all of it must go to make room for `bytes` more, and returns whether it did.
  template <class BytesOf>
  bool drops_oldest(long long bytes, const BytesOf& bytes_of) {
    skip_stale_entries();
    const long long too_many = held_ + bytes - capacity_;
    if (too_many <= 0 || oldest_ == log_.size()) return false;
    logged& oldest = log_[oldest_];
    if (bytes_of_oldest_ == 0) bytes_of_oldest_ = bytes_of(oldest.line, oldest.word, oldest.cells);
    if (bytes_of_oldest_ > too_many) return false;
    held_ -= bytes_of_oldest_;
    oldest.cells = 0;
    --used_;
    return true;
  }

  /// Drops as few of the oldest entry's cells as are too many, the lowest first.
  template <class BytesOf>
  void drop_lowest_of_oldest(const BytesOf& bytes_of) {
    logged& oldest = log_[oldest_];
    const auto bytes_in = [&](std::uint64_t cells) {
      return cells == 0 ? 0 : bytes_of(oldest.line, oldest.word, cells);
    };
    int place = 0;  // of the last cell that goes
    long long before = 0;
    for (int half = 32; half > 0; half /= 2) {
      const long long more = bytes_in(oldest.cells >> place << place & ~(~0ULL << (place + half)));
      if (before + more < held_ - capacity_) before += more, place += half;
    }
    held_ -= before + bytes_in(oldest.cells & 1ULL << place);
    oldest.cells &= ~1ULL << place;
    if (oldest.cells == 0) --used_;
    bytes_of_oldest_ = 0;
  }

  /// Compacts the log. At least half of it is stale then, so that this costs O(1) per touch.
  void forget_stale_entries() {
    std::vector<std::size_t> moved(log_.size() + 1);
    std::size_t kept = 0;
    for (std::size_t i = oldest_; i < log_.size(); ++i) {
      logged entry = log_[i];
      if (entry.cells == 0) continue;
      entry.before = moved[entry.before];
      log_[kept++] = entry;
      moved[i + 1] = kept;
      here_[number_in_blocks(entry.line, entry.word, words_in_line_)].last = kept;
    }
    log_.resize(kept);
    oldest_ = 0;
  }

  sparse<here> here_;
  std::vector<logged> log_;
  std::size_t oldest_ = 0, used_ = 0;  // used: entries with cells
  long long held_ = 0;                 // bytes; more than the capacity if some of the oldest entry's cells must go
  long long bytes_of_oldest_ = 0;      // 0: unknown
  long long capacity_, bytes_again_ = 0, single_touches_ = 0;
  int words_in_line_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail
