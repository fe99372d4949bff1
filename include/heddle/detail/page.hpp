#pragma once

#include <heddle/detail/state.hpp>
#include <heddle/detail/warp.hpp>

// Entries of a list that is sorted by items, and some of them that stand together.

namespace heddle::inline v0::detail {

/// What ends no item: behind all of them. Sums that go past it stay there.
inline constexpr unsigned no_end = ~0u;

HEDDLE_FN unsigned clipped(word64 items) {
  return items < no_end ? static_cast<unsigned>(items) : no_end;
}

/// A source, and how many items come before its own: those of the next entry begin where its own end.
struct alignas(8) entry {
  unsigned source, begin;
};

/// How entries are written: in a word for the source and, somewhere behind all of these, one for the begin; in one word,
/// where the sources are close together and spawn little; or only their begins, in half a word, where each source is one
/// more than the one before it.
///
///   base 700, 14 bits for the begin      {source 703, begins at 48} is 3 << 14 | 48
struct entry_form {
  unsigned base;  // the first source; or how far behind words of begins are
  unsigned bits;  // for the begin; 0: it has a word; 32: begins alone

  HEDDLE_FN bool has_begins_alone() const { return bits == 32; }
  HEDDLE_FN bool has_words_of_begins() const { return bits == 0; }
  HEDDLE_FN unsigned bytes() const { return has_begins_alone() ? 2 : 4; }  // beside these

#if defined(__CUDACC__)
  /// The shortest, for sources from `least` to `most` and that many items; in words of their own, `apart` behind.
  HEDDLE_DEVICE static entry_form of(unsigned least, unsigned most, bool is_in_order, word64 items, unsigned apart) {
    if (is_in_order && items <= word64{1} << 16) return {least, 32};
    const auto bits = static_cast<unsigned>(__clz(static_cast<int>((most - least) | 1)));
    return items <= word64{1} << bits ? entry_form{least, bits} : entry_form{apart, 0};
  }

  HEDDLE_DEVICE entry read(const unsigned* words, unsigned at) const {
    if (has_words_of_begins()) return {words[at], words[base + at]};
    if (has_begins_alone()) return {base + at, reinterpret_cast<const unsigned short*>(words)[at]};
    return {base + (words[at] >> bits), words[at] & ~(~0u << bits)};
  }

  /// In one word.
  HEDDLE_DEVICE unsigned word(entry what) const {
    return (what.source - base) << bits | what.begin;
  }
#endif
};

inline constexpr unsigned most_in_page = 1024;

/// So many items of a push, or of a slab, do not matter, whoever gets them.
inline constexpr unsigned even_enough = 1 << 15;

#if defined(__CUDACC__)
HEDDLE_DEVICE inline bool are_even(unsigned largest, unsigned items) {
  return largest <= even_enough || largest <= items / gridDim.x / 4;
}
#endif

/// Of pages of a list, so that each block has as many of them: whole words of 16 bytes.
HEDDLE_FN unsigned page_size(unsigned entries, unsigned blocks) {
  const unsigned rounds = (entries - 1) / most_in_page / blocks + 1, least = 32;
  const unsigned size = ((entries - 1) / (rounds * blocks) + 8) / 8 * 8;
  return size > least ? size : least;
}

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
  HEDDLE_DEVICE entry read(unsigned at) const {
    return form.read(words, at);
  }

  HEDDLE_DEVICE const unsigned* begins() const {
    return words + form.base;
  }

  /// Among all items.
  HEDDLE_DEVICE unsigned begin_of(unsigned at) const {
    const unsigned its = begin + read(at).begin;
    return its < begin ? no_end : its;
  }
  /// The same, or where the last one ends.
  HEDDLE_DEVICE unsigned border(unsigned at) const {
    return at < count || goes_on ? begin_of(at) : end;
  }
  HEDDLE_DEVICE unsigned end_of(unsigned at) const {
    return border(at + 1);
  }

  /// From an entry, one of eight, up to another.
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

}  // namespace heddle::inline v0::detail
