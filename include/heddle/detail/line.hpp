#pragma once

#include <heddle/config.hpp>

#if !defined(__CUDACC_RTC__)

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

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

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif
