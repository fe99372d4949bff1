#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

struct divided {
  int quotient, remainder;
};

/// Divides by a number that the host knows: one multiplication and one shift, the same on host and device.
///
/// With 2^(k-1) < d <= 2^k and m = ceil(2^(31+k) / d), m fits in 32 bits, and m·d exceeds 2^(31+k) by less than 2^k.
/// Therefore floor(n·m / 2^(31+k)) = floor(n / d) for every 0 <= n < 2^31.
class fast_div {
 public:
  /// Turns 0, the side of an empty grid, into 1: nothing is divided there.
  HEDDLE_FN explicit fast_div(int divisor) : minus_divisor_(divisor > 0 ? -divisor : -1) {
    const auto d = static_cast<unsigned long long>(-minus_divisor_);
    unsigned left = static_cast<unsigned>(d) - 1;  // its bits are k
    for (int bits = 16; bits > 0; bits /= 2) {
      if (left >> bits == 0) continue;
      left >>= bits;
      shift_ += bits;
    }
    shift_ += static_cast<int>(left);
    multiplier_ = static_cast<unsigned>(((1ULL << shift_) + d - 1) / d);
  }

  HEDDLE_FN int quotient(int n) const {
    return static_cast<int>(static_cast<unsigned long long>(static_cast<unsigned>(n)) * multiplier_ >> shift_);
  }

  HEDDLE_FN divided operator()(int n) const {
    const int q = quotient(n);
    return {q, n + q * minus_divisor_};  // one multiply-add
  }

  /// Returns `other ? that : *this`, member by member: three selects. The conditional expression would select one of
  /// two addresses and load through a pointer.
  HEDDLE_FN fast_div or_if(bool other, fast_div that) const {
    const fast_div self = *this;
    that.minus_divisor_ = other ? that.minus_divisor_ : self.minus_divisor_;
    that.multiplier_ = other ? that.multiplier_ : self.multiplier_;
    that.shift_ = other ? that.shift_ : self.shift_;
    return that;
  }

  HEDDLE_FN int divisor() const { return -minus_divisor_; }

 private:
  int minus_divisor_;
  unsigned multiplier_ = 0;
  int shift_ = 31;
};

}}}  // namespace heddle::HEDDLE_ABI::detail
