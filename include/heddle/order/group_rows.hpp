#pragma once

#include <heddle/concepts.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::order {

/// Requires int, unsigned, or a signed type of 64 bits, which has two names.
template <class Number>
concept size_number =
    same_as<Number, int> || same_as<Number, unsigned> || same_as<Number, long> || same_as<Number, long long>;

/// Arrays that say where rows lie: ends; or lengths, as they are or as differences of offsets, and begins or null.
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

/// Weighs groups by an array of such a type: of a number per group, or of offsets that differ by the weights.
class group_weights {
 public:
  /// Weighs each group by 1.
  HEDDLE_FN group_weights(decltype(nullptr) = nullptr) {}
  /// Weighs by a number per group.
  template <detail::order::size_number Number>
  HEDDLE_FN group_weights(const Number* per_group, bool are_offsets = false)
      : values_(per_group),
        kind_(detail::is_same<Number, unsigned> + 2 * detail::is_same<Number, long> +
              3 * detail::is_same<Number, long long>),
        are_offsets_(are_offsets) {}

  /// Returns the weights that are the differences of running offsets, of which there is one more than groups.
  template <detail::order::size_number Number>
  HEDDLE_FN static group_weights differences(const Number* offsets) {
    return {offsets, true};
  }

  /// Returns the weight of a group, from 0 to 2^32 - 1: negative ones count as 0, and larger ones as the largest.
  HEDDLE_FN unsigned operator()(int group) const {
    if (values_ == nullptr) return 1;
    const long long weight = are_offsets_ ? at(group + 1) - at(group) : at(group);
    return weight < 0 ? 0 : weight < 0xffffffff ? static_cast<unsigned>(weight) : 0xffffffff;
  }

 private:
  HEDDLE_FN long long at(int i) const {
    return kind_ == 0   ? static_cast<const int*>(values_)[i]
           : kind_ == 1 ? static_cast<const unsigned*>(values_)[i]
           : kind_ == 2 ? static_cast<const long*>(values_)[i]
                        : static_cast<const long long*>(values_)[i];
  }

  const void* values_ = nullptr;
  int kind_ = 0;
  bool are_offsets_ = false;
};

}}  // namespace heddle::HEDDLE_ABI
