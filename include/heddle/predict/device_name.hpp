#pragma once

#include <heddle/invalid_argument.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Holds the name of a device: up to 63 bytes of text that the value owns. Text converts to one.
///
/// **Preconditions**: the text has at most `most` bytes; longer text is refused. Null is empty text.
/// **Example** (tests/predict/device.cpp):
///
///     std::string text = "NVIDIA H200";
///     const device_name owned = text.c_str();
///     text = "another";
///     CHECK(owned == "NVIDIA H200");
class device_name {
 public:
  static constexpr int most = 63;  // bytes, without the zero at the end

  /// Makes empty text.
  constexpr device_name() = default;

  /// Copies text.
  constexpr device_name(const char* text) {
    int size = 0;
    for (; text != nullptr && text[size] != '\0'; ++size) {
      detail::require_at_most(most, "heddle::predict::device: bytes of the name", size + 1);
      text_[size] = text[size];
    }
  }

  /// Returns the text, which lives as long as this value.
  constexpr const char* c_str() const { return text_; }

  /// Returns whether two names are the same text. By hand: a defaulted comparison of arrays is wrong in g++ 16.2, where
  /// a constant expression has two of them.
  friend constexpr bool operator==(const device_name& one, const device_name& other) {
    int same = 0;
    while (same <= most && one.text_[same] == other.text_[same]) ++same;
    return same > most;
  }

 private:
  char text_[most + 1]{};
};

}  // namespace heddle::inline HEDDLE_ABI::predict
