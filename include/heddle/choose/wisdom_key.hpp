#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <heddle/choose/detail/joined.hpp>
#include <heddle/choose/detail/json_number.hpp>
#include <heddle/choose/machine.hpp>
#include <heddle/detail/json.hpp>
#include <heddle/invalid_argument.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail {

template <class Number>
concept arithmetic = std::is_arithmetic_v<Number>;

}  // namespace detail

/// A part of a problem's description in a `wisdom_key`: a text or a finite number.
class key_part {
 public:
  /// Takes a text, which may have any bytes.
  key_part(const char* text) : json_(detail::json_text(text)) {}
  /// Takes a text, which may have any bytes.
  key_part(std::string_view text) : json_(detail::json_text(text)) {}
  /// Takes a text, which may have any bytes.
  key_part(const std::string& text) : json_(detail::json_text(text)) {}
  /// Takes a number; one that is not finite as a double is refused.
  template <detail::arithmetic Number>
  key_part(Number number) {
    if constexpr (std::is_floating_point_v<Number>) {
      const auto rounded = static_cast<double>(number);  // a long double may be too large for it
      if (!std::isfinite(rounded)) detail::refuse("heddle::key_part: the number", " is not finite");
      json_ = detail::json_number(rounded);
    } else if constexpr (std::is_signed_v<Number>) {
      json_ = detail::json_number(static_cast<long long>(number));
    } else {
      json_ = detail::json_number(static_cast<unsigned long long>(number));
    }
  }

  /// Returns the part as JSON.
  const std::string& text() const { return json_; }

  bool operator==(const key_part&) const = default;

 private:
  std::string json_;
};

/// What a `wisdom` keeps an answer by. Any difference makes it another question.
///
/// **Example** (examples/08_choose/threads.cu):
///
///     const heddle::wisdom_key key{machine, "twice 1", {"twice", numbers.size(), "fp32"}};
struct wisdom_key {
  heddle::machine machine;        // `current_machine()` describes it
  std::string version;            // of the candidates and their code: change it when they change
  std::vector<key_part> problem;  // what a launch's time depends on: names, sizes, types

  /// Returns the key as one line of JSON, equal for equal keys alone.
  std::string text() const {
    std::string all = detail::joined("[", detail::json_text(machine.card), ", ", detail::json_text(machine.driver),
                                     ", ", detail::json_text(machine.toolkit), ", ", detail::json_text(version));
    for (const key_part& part : problem) all.append(", ").append(part.text());
    return all += "]";
  }
};

}}  // namespace heddle::HEDDLE_ABI
