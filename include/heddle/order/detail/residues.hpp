#pragma once

#include <heddle/detail/fast_div.hpp>

namespace heddle::inline HEDDLE_ABI::detail::order {

/// The numbers [0, n) sorted by their remainder modulo `step`: class after class.
///
///   n 7, step 3      0 3 6 | 1 4 | 2 5      the first n % step classes are one longer
class residues {
 public:
  /// The class of a number, and how many of it are below.
  struct member {
    int remainder, quotient;
  };

  HEDDLE_HOST residues(int n, int step)
      : longer_(n % step),
        shorter_count_(n / step),
        step_(step),
        long_(shorter_count_ + (longer_ > 0)),
        short_(shorter_count_) {}

  HEDDLE_FN member of_number(int number) const {
    const auto [quotient, remainder] = step_(number);
    return {remainder, quotient};
  }

  HEDDLE_FN member of_position(int position) const {
    const int long_end = longer_ * long_.divisor();
    const bool in_long = position < long_end;
    const auto [remainder, quotient] = short_.or_if(in_long, long_)(in_long ? position : position - long_end);
    return {in_long ? remainder : longer_ + remainder, quotient};
  }

  HEDDLE_FN int number(member m) const { return m.remainder + m.quotient * step_.divisor(); }

  /// Where a class begins in the sorted sequence.
  HEDDLE_FN int begin(int remainder) const {
    return remainder * shorter_count_ + (remainder < longer_ ? remainder : longer_);
  }

  HEDDLE_FN bool is_long(int remainder) const { return remainder < longer_; }

  /// Members of a class, ready to divide by.
  HEDDLE_FN fast_div count(int remainder) const { return short_.or_if(is_long(remainder), long_); }

  HEDDLE_HOST int long_count() const { return long_.divisor(); }
  HEDDLE_HOST int short_count() const { return short_.divisor(); }

 private:
  int longer_;  // how many classes are one longer than shorter_count_
  int shorter_count_;
  fast_div step_, long_, short_;
};

}  // namespace heddle::inline HEDDLE_ABI::detail::order
