#pragma once

#include <heddle/detail/fast_div.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

HEDDLE_FN int leading_zeros(unsigned n) {
#if defined(__CUDACC_RTC__)
  return __clz(static_cast<int>(n));
#else
  return __builtin_clz(n);
#endif
}

/// Returns the lower 32 bits, for the compiler too: products of them are not those of 64 bits.
HEDDLE_FN unsigned low_word(unsigned long long bits) {
  auto word = static_cast<unsigned>(bits);
  if (!__builtin_is_constant_evaluated()) asm("" : "+r"(word));
  return word;
}

/// Divides by Newton's method in whole numbers: 0 <= n, 1 <= d. A GPU has registers for what is the same in all threads
/// of a warp, and no floats there. By `/`, which goes by way of floats, a quotient of blockIdx and all that follows
/// from it is in registers of each thread; SGEMM of 8192^3 then loses 4 % to conflicts of registers (H200, bench/wild).
///
/// With m = 2^s·d in [2^31, 2^32), x ends less than 4 below 2^63 / m, and 3 below if d = 1. Therefore
/// (n + 1)·x / 2^(63-s) is below (n + 1) / d, and above (n + 1) / d - 1, or n - 1 if d = 1: its floor is the quotient,
/// or one less.
HEDDLE_FN divided newton_division(int n, int d) {
  const auto number = static_cast<unsigned>(n), divisor = static_cast<unsigned>(d);
  const int s = leading_zeros(divisor);
  const unsigned m = divisor << s;
  unsigned x = 0x6891d14e - 30 * (m >> 5);  // off by 6 % at most, then by the square of that, and so on
  for (int i = 0; i < 3; ++i) {
    x = low_word(1ULL * x * ~low_word(1ULL * x * m >> 32) >> 31);
  }
  const auto quotient = static_cast<int>(1ULL * x * (number + 1) >> (63 - s));
  const int rest = n - quotient * d;
  return rest < d ? divided{quotient, rest} : divided{quotient + 1, rest - d};
}

}}}  // namespace heddle::HEDDLE_ABI::detail
