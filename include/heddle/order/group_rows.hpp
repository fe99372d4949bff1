#pragma once

#include <heddle/order/detail/numbers.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::order {

struct preparation;

}  // namespace detail::order

/// Says where the rows of each group lie, by an array on the device as the caller has it: of int, unsigned, or a signed
/// type of 64 bits.
///
///   ends 5 5 9, lengths 5 0 4, offsets 0 5 5 9      group 0 has rows 0 to 4, group 1 none, group 2 rows 5 to 8
///   offsets 0 8 16 with lengths 5 0 4               group 0 has rows 0 to 4, group 1 none, group 2 rows 16 to 19
///
/// A group is wrong, counted, and left empty if its number is negative or past the declared rows, if its end is below
/// an end before it, if its length and those before it pass the declared rows together, or if it passes row 2^31 - 1.
///
/// **Example** (tests/order/groups.cpp):
///
///     const group_rows packed = group_rows::lengths(lengths.data());
class group_rows {
 public:
  /// Reads for each group the row at which it ends, counted over all groups.
  template <detail::order::size_number Number>
  HEDDLE_FN group_rows(const Number* ends) : group_rows(form::ends, ends, nullptr) {}

  /// Reads for each group how many rows it has. The groups follow each other without holes.
  template <detail::order::size_number Number>
  HEDDLE_FN static group_rows lengths(const Number* lengths) {
    return {form::lengths, lengths, nullptr};
  }

  /// Reads for each group the row at which it begins, and behind the last group the row at which that ends:
  /// `cu_seqlens` of packed sequences. The first group may begin at any row.
  template <detail::order::size_number Number>
  HEDDLE_FN static group_rows offsets(const Number* offsets) {
    return {form::ends, offsets + 1, offsets};
  }

  /// Reads for each group the row at which it begins, and how many rows it has: there may be holes between the groups.
  /// The declared rows bound the sum of the lengths.
  template <detail::order::size_number Number, detail::order::size_number Length>
  HEDDLE_FN static group_rows offsets(const Number* begins, const Length* lengths) {
    return {form::lengths, lengths, begins};
  }

 private:
  friend struct detail::order::preparation;

  enum class form { ends, lengths };

  HEDDLE_FN group_rows(form of, detail::order::numbers values, detail::order::numbers begins)
      : values_(values), begins_(begins), form_(of) {}

  detail::order::numbers values_;  // ends, or lengths
  detail::order::numbers begins_;  // with ends: of the first group; with lengths: of each group; or none
  form form_;
};

/// Weighs groups by an array: of a number per group, or of offsets whose neighbours differ by the weights. The numbers
/// are int, unsigned, or of a signed type of 64 bits.
class group_weights {
 public:
  /// Weighs each group by 1.
  HEDDLE_FN group_weights(decltype(nullptr) = nullptr) : values_(nullptr) {}
  /// Weighs by a number per group.
  template <detail::order::size_number Number>
  HEDDLE_FN group_weights(const Number* per_group) : values_(per_group) {}

  /// Returns the weights that are the differences of running offsets, of which there is one more than groups.
  template <detail::order::size_number Number>
  HEDDLE_FN static group_weights differences(const Number* offsets) {
    group_weights weights(offsets);
    weights.are_offsets_ = true;
    return weights;
  }

  /// Returns the weight of a group, from 0 to 2^32 - 1: negative ones count as 0, and larger ones as the largest.
  HEDDLE_FN unsigned operator()(int group) const {
    if (values_.is_empty()) return 1;
    const long long weight = are_offsets_ ? values_[group + 1] - values_[group] : values_[group];
    return weight < 0 ? 0 : weight < 0xffffffff ? static_cast<unsigned>(weight) : 0xffffffff;
  }

 private:
  detail::order::numbers values_;
  bool are_offsets_ = false;
};

}}  // namespace heddle::HEDDLE_ABI
