#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::order {

/// The types that an array of sizes may have: int, unsigned, or a signed type of 64 bits. `long` and `long long` are
/// two types even where both have 64 bits.
template <class Number>
inline constexpr int kind_of_number = -1;
template <>
inline constexpr int kind_of_number<int> = 0;
template <>
inline constexpr int kind_of_number<unsigned> = 1;
template <>
inline constexpr int kind_of_number<long> = 2;
template <>
inline constexpr int kind_of_number<long long> = 3;

/// Requires int, unsigned, or a signed type of 64 bits.
template <class Number>
concept size_number = kind_of_number<Number>
>= 0;

/// An array of numbers of one of these types, which is known at run time.
class numbers {
 public:
  template <size_number Number>
  HEDDLE_FN numbers(const Number* values) : values_(values), kind_(kind_of_number<Number>) {}
  HEDDLE_FN numbers(decltype(nullptr)) : values_(nullptr), kind_(0) {}

  HEDDLE_FN bool is_empty() const { return values_ == nullptr; }

  HEDDLE_FN long long operator[](int i) const {
    return kind_ == 0   ? static_cast<const int*>(values_)[i]
           : kind_ == 1 ? static_cast<const unsigned*>(values_)[i]
           : kind_ == 2 ? static_cast<const long*>(values_)[i]
                        : static_cast<const long long*>(values_)[i];
  }

 private:
  const void* values_;
  int kind_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::order
