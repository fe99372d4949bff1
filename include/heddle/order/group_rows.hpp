#pragma once

#include <heddle/concepts.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::order {

/// Requires int, unsigned, or a signed type of 64 bits, which has two names.
template <class Number>
concept size_number =
    same_as<Number, int> || same_as<Number, unsigned> || same_as<Number, long> || same_as<Number, long long>;

/// Arrays that say where rows lie, or what they weigh: ends; or lengths, as they are or as differences of offsets, and
/// begins or null.
template <class Number, class Begin, bool AreLengths, bool AreOffsets = false>
struct rows_by {
  static constexpr bool are_lengths = AreLengths;
  const Number* numbers;
  const Begin* begins;

  HEDDLE_FN long long number(int group) const {
    return AreOffsets ? 1LL * numbers[group + 1] - numbers[group] : numbers[group];
  }
  HEDDLE_FN long long begin(int group, long long packed) const {
    return AreLengths && begins != nullptr ? begins[group] : packed;
  }
};

template <size_number Number>
HEDDLE_FN rows_by<Number, Number, false> rows_of(const Number* ends) {
  return {ends, nullptr};
}
template <class Number, class Begin, bool AreLengths, bool AreOffsets>
HEDDLE_FN auto rows_of(const rows_by<Number, Begin, AreLengths, AreOffsets>& rows) {
  return rows;
}

/// Weights are lengths; without an array each is 1.
HEDDLE_FN rows_by<int, int, true> weights_of(decltype(nullptr)) {
  return {nullptr, nullptr};
}
template <size_number Number>
HEDDLE_FN rows_by<Number, Number, true> weights_of(const Number* weights) {
  return {weights, nullptr};
}
template <class Number, class Begin, bool AreOffsets>
HEDDLE_FN auto weights_of(const rows_by<Number, Begin, true, AreOffsets>& weights) {
  return weights;
}

}  // namespace detail::order

/// Says where the rows of each group lie, by arrays on the device as the caller has them: of int, unsigned, or a signed
/// type of 64 bits. An array alone has the row at which each group ends, counted over all groups.
///
///   ends 5 5 9, lengths 5 0 4, offsets 0 5 5 9      group 0 has rows 0 to 4, group 1 none, group 2 rows 5 to 8
///   offsets 0 8 16 with lengths 5 0 4               group 0 has rows 0 to 4, group 1 none, group 2 rows 16 to 19
///
/// A group is wrong, counted, and left empty if its number is below 0 or past the declared rows, if its end is below
/// one before it, if the lengths up to its own pass the declared rows together, or if its rows are not in 0 to 2^31
/// - 1.
struct group_rows {
  /// Reads for each group how many rows it has. The groups follow each other without holes.
  template <detail::order::size_number Number>
  HEDDLE_FN static auto lengths(const Number* lengths) {
    return detail::order::rows_by<Number, Number, true>{lengths, nullptr};
  }
  /// Reads for each group the row at which it begins, and behind the last one the row at which it ends: `cu_seqlens`.
  template <detail::order::size_number Number>
  HEDDLE_FN static auto offsets(const Number* offsets) {
    return detail::order::rows_by<Number, Number, true, true>{offsets, offsets};
  }
  /// Reads for each group the row at which it begins, and how many rows it has: there may be holes between the groups.
  template <detail::order::size_number Number, detail::order::size_number Length>
  HEDDLE_FN static auto offsets(const Number* begins, const Length* lengths) {
    return detail::order::rows_by<Length, Number, true>{lengths, begins};
  }
};

}}  // namespace heddle::HEDDLE_ABI
