#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/detail/warp.hpp>

// Entries of a list that is sorted by items, and some of them that stand together.

namespace heddle::inline HEDDLE_ABI::detail::expand {

/// What ends no item: behind all of them. Sums that go past it stay there.
inline constexpr unsigned no_end = ~0u;

HEDDLE_FN unsigned clipped(word64 items) {
  return items < no_end ? static_cast<unsigned>(items) : no_end;
}

/// A source, and how many items come before its own: those of the next entry begin where its own end.
struct alignas(8) entry {
  unsigned source, begin;
};

/// How entries are written: in two words each; in one, where the sources are close together and spawn little; only
/// their begins, in half a word, where each source is one more than the one before it; or words of the sources, and
/// those of the begins apart.
///
///   base 700, 14 bits for the begin      {source 703, begins at 48} is 3 << 14 | 48
struct entry_form {
  unsigned base;  // a source; or how far behind the sources the begins are
  unsigned bits;  // for the begin; 0: two words; 32: begins alone; 33: begins apart

  HEDDLE_FN static entry_form two_words() { return {0, 0}; }
  HEDDLE_FN static entry_form apart(unsigned by) { return {by, 33}; }

  HEDDLE_FN bool has_begins_apart() const { return bits == 33; }
  HEDDLE_FN bool is_two_words() const { return bits == 0; }
  HEDDLE_FN bool has_begins_alone() const { return bits == 32; }
  HEDDLE_FN unsigned bytes() const { return is_two_words() ? 8 : has_begins_alone() ? 2 : 4; }

#if defined(__CUDACC__)
  /// The shortest, for sources from `least` to `most` and that many items.
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

  /// In one word.
  HEDDLE_DEVICE unsigned word(entry what) const {
    return (what.source - base) << bits | what.begin;
  }
#endif
};

inline constexpr unsigned most_in_page = 1024;

/// The places of a page, if there are to be so many: whole words of 16 bytes.
HEDDLE_FN unsigned page_size(unsigned entries, unsigned pages) {
  const unsigned least = 32, size = ((entries - 1) / pages + 8) / 8 * 8;
  return size > least ? size : least;
}

/// So many items of a push or of a slab are never worth dividing.
inline constexpr unsigned even_enough = 1 << 12;

#if defined(__CUDACC__)
/// Whether it does not matter who gets the page with the largest, if each block takes so many pages.
HEDDLE_DEVICE inline bool are_even(unsigned largest, unsigned items, unsigned turns) {
  const unsigned share = items / gridDim.x;
  return largest <= even_enough || largest <= share / 4 || (turns == 1 && largest / 2 <= share);
}
#endif

/// Entries that stand one behind another.
struct page {
  const unsigned* words;  // of the first of them
  unsigned number;        // of the page
  unsigned count;
  bool goes_on;  // another entry stands behind the last
  entry_form form;
  unsigned begin;  // the item from which their begins count
  unsigned end;    // where the items of the last one end that stands here, or behind

#if defined(__CUDACC__)
  /// With its begin among all items.
  HEDDLE_DEVICE entry read(unsigned at) const {
    entry its = form.read(words, at);
    its.begin += begin;
    if (its.begin < begin) its.begin = no_end;
    return its;
  }
  HEDDLE_DEVICE unsigned begin_of(unsigned at) const {
    return read(at).begin;
  }

  /// The same, or where the last one ends.
  HEDDLE_DEVICE unsigned border(unsigned at) const {
    return at < count || goes_on ? begin_of(at) : end;
  }
  HEDDLE_DEVICE unsigned end_of(unsigned at) const {
    return border(at + 1);
  }

  /// From an entry, whose number is a multiple of eight, up to another.
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

/// Where a border lies: before an item, of an entry of a page.
struct border {
  unsigned item, page, entry;
};

}  // namespace heddle::inline HEDDLE_ABI::detail::expand
