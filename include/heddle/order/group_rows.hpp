#pragma once

#include <heddle/concepts.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::order {

struct preparation;

/// Requires int, unsigned, or a signed type of 64 bits, which has two names.
template <class Number>
concept size_number =
    same_as<Number, int> || same_as<Number, unsigned> || same_as<Number, long> || same_as<Number, long long>;

/// An array of a number per group, or of offsets whose neighbours differ by it, in a type that is known at run time.
class numbers {
 public:
  HEDDLE_FN numbers() {}
  template <size_number Number>
  HEDDLE_FN numbers(const Number* values, bool are_offsets)
      : values_(values),
        kind_(is_same<Number, unsigned> + 2 * is_same<Number, long> + 3 * is_same<Number, long long>),
        are_offsets_(are_offsets) {}

  /// Returns the number of a group, or `missing` without an array.
  HEDDLE_FN long long operator()(int group, long long missing = 0) const {
    return values_ == nullptr ? missing : are_offsets_ ? at(group + 1) - at(group) : at(group);
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

}  // namespace detail::order

/// Says where the rows of each group lie, by an array on the device as the caller has it: of int, unsigned, or a signed
/// type of 64 bits.
///
///   ends 5 5 9, lengths 5 0 4, offsets 0 5 5 9      group 0 has rows 0 to 4, group 1 none, group 2 rows 5 to 8
///   offsets 0 8 16 with lengths 5 0 4               group 0 has rows 0 to 4, group 1 none, group 2 rows 16 to 19
///
/// A group is wrong, counted, and left empty if its number is negative or past the declared rows, if its end is below
/// an end before it, if the lengths up to its own pass the declared rows, or if it begins below row 0 or passes row
/// 2^31 - 1.
class group_rows {
 public:
  /// Reads for each group the row at which it ends, counted over all groups.
  template <detail::order::size_number Number>
  HEDDLE_FN group_rows(const Number* ends) : group_rows({ends, false}, {}, false) {}

  /// Reads for each group how many rows it has. The groups follow each other without holes.
  template <detail::order::size_number Number>
  HEDDLE_FN static group_rows lengths(const Number* lengths) {
    return {{lengths, false}, {}, true};
  }

  /// Reads for each group the row at which it begins, and behind the last one the row at which it ends: `cu_seqlens`.
  template <detail::order::size_number Number>
  HEDDLE_FN static group_rows offsets(const Number* offsets) {
    return {{offsets, true}, {offsets, false}, true};
  }
  /// Reads for each group the row at which it begins, and how many rows it has: there may be holes between the groups.
  template <detail::order::size_number Number, detail::order::size_number Length>
  HEDDLE_FN static group_rows offsets(const Number* begins, const Length* lengths) {
    return {{lengths, false}, {begins, false}, true};
  }

 private:
  friend struct detail::order::preparation;

  HEDDLE_FN group_rows(detail::order::numbers values, detail::order::numbers begins, bool are_lengths)
      : values_(values), begins_(begins), are_lengths_(are_lengths) {}

  detail::order::numbers values_, begins_;  // ends or lengths; begins may be empty
  bool are_lengths_;
};

/// Weighs groups by an array of such a type: of a number per group, or of offsets that differ by the weights.
class group_weights {
 public:
  /// Weighs each group by 1.
  HEDDLE_FN group_weights(decltype(nullptr) = nullptr) {}
  /// Weighs by a number per group.
  template <detail::order::size_number Number>
  HEDDLE_FN group_weights(const Number* per_group) : values_(per_group, false) {}

  /// Returns the weights that are the differences of running offsets, of which there is one more than groups.
  template <detail::order::size_number Number>
  HEDDLE_FN static group_weights differences(const Number* offsets) {
    group_weights weights;
    weights.values_ = {offsets, true};
    return weights;
  }

  /// Returns the weight of a group, from 0 to 2^32 - 1: negative ones count as 0, and larger ones as the largest.
  HEDDLE_FN unsigned operator()(int group) const {
    const long long weight = values_(group, 1);
    return weight < 0 ? 0 : weight < 0xffffffff ? static_cast<unsigned>(weight) : 0xffffffff;
  }

 private:
  detail::order::numbers values_;
};

}}  // namespace heddle::HEDDLE_ABI
