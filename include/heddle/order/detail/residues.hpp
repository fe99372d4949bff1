#pragma once

#include <heddle/detail/fast_div.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::order {

/// Sorts the numbers [0, n) by their remainder modulo `step`: class after class.
///
///   n 7, step 3      0 3 6 | 1 4 | 2 5      the first n % step classes are one longer
class residues {
 public:
  /// A number as its class (`remainder`) and the count of smaller members of that class (`quotient`).
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

  /// Returns the position of a class's first member in the sorted sequence.
  HEDDLE_FN int begin(int remainder) const {
    return remainder * shorter_count_ + (remainder < longer_ ? remainder : longer_);
  }

  HEDDLE_FN bool is_long(int remainder) const { return remainder < longer_; }

  /// Returns the number of members of a class, as a divisor.
  HEDDLE_FN fast_div count(int remainder) const { return short_.or_if(is_long(remainder), long_); }

  HEDDLE_HOST int long_count() const { return long_.divisor(); }
  HEDDLE_HOST int short_count() const { return short_.divisor(); }

 private:
  int longer_;  // number of classes with shorter_count_ + 1 members
  int shorter_count_;
  fast_div step_, long_, short_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::order
