#pragma once

#include <heddle/config.hpp>

#if !defined(__CUDACC_RTC__)
#include <new>  // the smallest standard header in which std::exception is complete

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail {

/// A line of text that allocates nothing. It cuts off text that does not fit.
template <unsigned Length>
class line {
 public:
  const char* c_str() const noexcept { return text_; }

  line& operator<<(const char* text) noexcept {
    while (*text != '\0' && length_ + 1 < Length) text_[length_++] = *text++;
    return *this;
  }

  line& operator<<(long long value) noexcept {
    char digits[24] = {};
    char* first = digits + sizeof digits - 1;
    unsigned long long rest =
        value < 0 ? 0ULL - static_cast<unsigned long long>(value) : static_cast<unsigned long long>(value);
    do *--first = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (value < 0) *--first = '-';
    return *this << static_cast<const char*>(first);
  }

  line& operator<<(int value) noexcept { return *this << static_cast<long long>(value); }

 private:
  char text_[Length] = {};
  unsigned length_ = 0;
};

}  // namespace detail

/// Reports a value that cannot be right, from the constructor or the function that takes it. `what()` names the value
/// and its limit.
///
/// **Effects**: `what()` returns text of up to 159 characters that the exception stores itself: nothing is allocated.
/// Without exceptions the program traps in place of the throw.
/// **Example** (examples/01_order/attention.hpp):
///
///     if (value < 1) throw heddle::invalid_argument(name, value, "at least", 1);
class invalid_argument : public std::exception {
 public:
  /// Makes the text `<name> is <value>; it must be <relation> <limit>`.
  invalid_argument(const char* name, long long value, const char* relation, long long limit) noexcept {
    text_ << name << " is " << value << "; it must be " << relation << " " << limit;
  }
  /// Makes the text of the name and the complaint, one after the other.
  invalid_argument(const char* name, const char* complaint) noexcept { text_ << name << complaint; }

  /// Returns the text.
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  detail::line<160> text_;
};

}}  // namespace heddle::HEDDLE_ABI
#endif

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

// In constant evaluation a refusal is a compile error, and the notes of the compiler show the arguments.
#if defined(__CUDACC_RTC__)
[[noreturn]] __device__ inline void refuse(const char*, long long, const char*, long long) {
  __trap();
}
[[noreturn]] __device__ inline void refuse(const char*, const char*) {
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
[[noreturn]] inline void refuse([[maybe_unused]] const char* name, [[maybe_unused]] const char* complaint) {
#if defined(__cpp_exceptions)
  throw invalid_argument(name, complaint);
#else
  __builtin_trap();
#endif
}

#if defined(__clang__) && defined(__CUDA__)
// clang++ as the CUDA compiler needs device functions here, even for calls from constant evaluation alone.
[[noreturn]] __device__ inline void refuse(const char*, long long, const char*, long long) {
  __builtin_trap();
}
[[noreturn]] __device__ inline void refuse(const char*, const char*) {
  __builtin_trap();
}
#endif
#endif

HEDDLE_HOST int require_at_least(long long limit, const char* name, long long value) {
  if (value < limit) refuse(name, value, "at least", limit);
  return static_cast<int>(value);
}

HEDDLE_HOST int require_at_most(long long limit, const char* name, long long value) {
  if (value > limit) refuse(name, value, "at most", limit);
  return static_cast<int>(value);
}

/// Returns an integer of any type as an int, and refuses one that does not fit.
HEDDLE_HOST int require_int_at_least(int limit, const char* name, long long value) {
  require_at_least(limit, name, value);
  return require_at_most(0x7fffffff, name, value);
}

HEDDLE_HOST int require_equal(long long limit, const char* name, long long value) {
  if (value != limit) refuse(name, value, "exactly", limit);
  return static_cast<int>(value);
}

/// Refuses a null pointer to the caller's device memory.
HEDDLE_HOST void require_memory(const char* name, const void* pointer) {
  if (pointer == nullptr) refuse(name, " is null; it must point to device memory");
}

}}}  // namespace heddle::HEDDLE_ABI::detail
