#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/detail/warp.hpp>

// Entries of a list that is sorted by items, the forms in which memory has them, and pages of them.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// A begin or an end behind all items. Sums saturate there.
inline constexpr unsigned no_end = ~0u;

HEDDLE_FN unsigned clipped(word64 items) {
  return items < no_end ? static_cast<unsigned>(items) : no_end;
}

/// A source, and the number of items before its own. Its items end where those of the next entry begin.
struct alignas(8) entry {
  unsigned source, begin;
};

/// The form in which memory has entries, one of four:
///
///   two words     source, begin: 8 bytes
///   one word      source - base above, begin below, if the sources are close together and spawn little: 4 bytes
///   begins alone  half a word, if all sources spawn and each is one more than the one before: 2 bytes
///   begins apart  all sources, and all begins in another array
///
///   one word, base 700, 14 bits for the begin      {source 703, begins at 48} is 3 << 14 | 48
struct entry_form {
  unsigned base;  // the least source; begins apart: the distance in words from a source to its begin
  unsigned bits;  // bits of the begin; 0: two words; 32: begins alone; 33: begins apart

  HEDDLE_FN static entry_form two_words() { return {0, 0}; }
  HEDDLE_FN static entry_form apart(unsigned by) { return {by, 33}; }

  HEDDLE_FN bool has_begins_apart() const { return bits == 33; }
  HEDDLE_FN bool is_two_words() const { return bits == 0; }
  HEDDLE_FN bool has_begins_alone() const { return bits == 32; }
  HEDDLE_FN unsigned bytes() const { return is_two_words() ? 8 : has_begins_alone() ? 2 : 4; }

#if defined(__CUDACC__)
  /// Returns the shortest form for sources from `least` to `most` that spawn `items` together.
  HEDDLE_DEVICE static entry_form of(unsigned least, unsigned most, bool is_in_order, word64 items) {
    if (is_in_order && items <= word64{1} << 16) return {least, 32};
    const auto bits = static_cast<unsigned>(__clz(static_cast<int>((most - least) | 1)));
    return items <= word64{1} << bits ? entry_form{least, bits} : two_words();
  }

  HEDDLE_DEVICE entry read(const unsigned* words, unsigned at) const {
    if (has_begins_alone()) return {base + at, reinterpret_cast<const unsigned short*>(words)[at]};
    if (is_two_words()) return reinterpret_cast<const entry*>(words)[at];
    if (has_begins_apart()) return {words[at], words[word64{base} + at]};
    return {base + (words[at] >> bits), words[at] & ~(~0u << bits)};
  }

  /// Returns the entry in one word.
  HEDDLE_DEVICE unsigned word(entry what) const {
    return (what.source - base) << bits | what.begin;
  }
#endif
};

/// The most entries of a page.
inline constexpr unsigned most_in_page = 1024;

/// Returns the entries per page that spread `entries` over `pages` pages: a multiple of 8, at least 32.
HEDDLE_FN unsigned page_size(unsigned entries, unsigned pages) {
  const unsigned least = 32, size = ((entries - 1) / pages + 8) / 8 * 8;
  return size > least ? size : least;
}

/// A push or a slab of up to this many items counts as even, however small the shares of the blocks are.
inline constexpr unsigned even_enough = 1 << 12;

#if defined(__CUDACC__)
/// Returns true if pages may be dealt out in `turns` turns, since the largest push or slab is small against the share
/// of a block.
HEDDLE_DEVICE inline bool are_even(unsigned largest, unsigned items, unsigned turns) {
  const unsigned share = items / gridDim.x;
  return largest <= even_enough || largest <= share / 4 || (turns == 1 && largest / 2 <= share);
}
#endif

/// Consecutive entries of one form.
struct page {
  const unsigned* words;  // the first entry
  unsigned number;        // which page of the list
  unsigned count;         // entries
  bool goes_on;           // entry `count` follows in memory, so its begin is the end of the last one
  entry_form form;
  unsigned begin;  // the item from which the begins in memory count
  unsigned end;    // the end of the items of the last entry: here or, if the page goes on, of those that follow

#if defined(__CUDACC__)
  /// Returns an entry, with its begin among all items.
  HEDDLE_DEVICE entry read(unsigned at) const {
    entry its = form.read(words, at);
    its.begin += begin;
    if (its.begin < begin) its.begin = no_end;
    return its;
  }
  HEDDLE_DEVICE unsigned begin_of(unsigned at) const {
    return read(at).begin;
  }

  /// Returns where entry `at` begins; for `at` == count, where the last entry ends.
  HEDDLE_DEVICE unsigned border(unsigned at) const {
    return at < count || goes_on ? begin_of(at) : end;
  }
  HEDDLE_DEVICE unsigned end_of(unsigned at) const {
    return border(at + 1);
  }

  /// Returns the entries from `first`, a multiple of 8, up to `last`.
  HEDDLE_DEVICE page part(unsigned first, unsigned last) const {
    page its = *this;
    its.words += first / 4 * form.bytes();
    if (form.has_begins_alone()) its.form.base += first;
    if (last < count) its.goes_on = true;
    its.count = last < count ? last : count;
    its.count = first < its.count ? its.count - first : 0;
    return its;
  }
#endif
};

/// A border between two shares: the first item behind it, with the page and the entry in which it lies.
struct border {
  unsigned item, page, entry;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::expand
