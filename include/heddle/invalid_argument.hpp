#pragma once

#include <heddle/config.hpp>

#if !defined(__CUDACC_RTC__)
#include <new>  // the smallest standard header in which std::exception is complete

namespace heddle::inline v0 {

/// A value that cannot be right, refused where it is built: `what()` names the value and its limit.
class invalid_argument : public std::exception {
 public:
  invalid_argument(const char* name, long long value, const char* relation, long long limit) noexcept {
    append(name);
    append(" is ");
    append(value);
    append("; it must be ");
    append(relation);
    append(" ");
    append(limit);
  }

  const char* what() const noexcept override { return text_; }

 private:
  void append(const char* text) noexcept {
    while (*text != '\0' && length_ + 1 < static_cast<int>(sizeof text_)) text_[length_++] = *text++;
  }

  void append(long long value) noexcept {
    char digits[24] = {};
    char* first = digits + sizeof digits - 1;
    unsigned long long rest =
        value < 0 ? 0ULL - static_cast<unsigned long long>(value) : static_cast<unsigned long long>(value);
    do *--first = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (value < 0) *--first = '-';
    append(first);
  }

  char text_[160] = {};
  int length_ = 0;
};

}  // namespace heddle::inline v0
#endif

namespace heddle::inline v0::detail {

// A refusal in constant evaluation is a compile error whose notes show the arguments.
#if defined(__CUDACC_RTC__)
[[noreturn]] __device__ inline void refuse(const char*, long long, const char*, long long) {
  __trap();
}
#else
[[noreturn]] inline void refuse([[maybe_unused]] const char* name, [[maybe_unused]] long long value,
                                [[maybe_unused]] const char* relation, [[maybe_unused]] long long limit) {
#if defined(__cpp_exceptions)
  throw invalid_argument(name, value, relation, limit);
#else
  __builtin_trap();
#endif
}
#endif

HEDDLE_HOST int require_at_least(long long limit, const char* name, long long value) {
  if (value < limit) refuse(name, value, "at least", limit);
  return static_cast<int>(value);
}

HEDDLE_HOST int require_at_most(long long limit, const char* name, long long value) {
  if (value > limit) refuse(name, value, "at most", limit);
  return static_cast<int>(value);
}

/// Of any integer: an int that is not cut off on the way.
HEDDLE_HOST int require_int_at_least(int limit, const char* name, long long value) {
  require_at_least(limit, name, value);
  return require_at_most(0x7fffffff, name, value);
}

HEDDLE_HOST int require_equal(long long limit, const char* name, long long value) {
  if (value != limit) refuse(name, value, "exactly", limit);
  return static_cast<int>(value);
}

}  // namespace heddle::inline v0::detail
