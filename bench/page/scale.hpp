#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <heddle/draw/detail/markup.hpp>

namespace heddle_bench {

/// A decimal number without zeros at its end: 1.5 for 1.500.
inline std::string without_zeros(std::string digits) {
  if (digits.find('.') == std::string::npos) return digits;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

/// A round number on an axis: 20K for 20000.
inline std::string short_number(double tick) {
  int letter = 0;
  for (; letter < 6 && tick >= (letter == 0 ? 10000 : 1000); ++letter) tick /= 1000;
  return without_zeros(heddle::draw::detail::rounded(tick, 4)) + (letter > 0 ? std::string(1, " KMGTPE"[letter]) : "");
}

/// A number with three or four digits: 0.0123, 12.35, 1,234.
inline std::string number_text(double value) {
  const double size = std::abs(value), digits = size > 0 ? std::floor(std::log10(size)) : -1;
  const int decimals = static_cast<int>(std::clamp(2 - digits + (size >= 1), 0.0, 9.0));
  std::string text = heddle::draw::detail::rounded(value, decimals);
  for (std::size_t at = text.size(); size >= 1000 && at > (value < 0 ? 4 : 3);) text.insert(at -= 3, 1, ',');
  return text;
}

/// Maps values between `low` and `high`, above 0, to [0, 1]: equal factors are equal steps.
class scale {
 public:
  scale(double low, double high) : low_(low < high ? low : low / 2), high_(low < high ? high : high * 2) {}

  double operator()(double value) const {
    return std::log(std::clamp(value, low_, high_) / low_) / std::log(high_ / low_);
  }

  /// Returns at most `most` round values, as many as possible.
  std::vector<double> ticks(std::size_t most) const {
    std::vector<double> found;
    const auto note = [&](double tick) {
      if (tick >= low_ * (1 - 1e-9) && tick <= high_ * (1 + 1e-9)) found.push_back(tick);
    };
    if (high_ / low_ <= 2) {
      double step = std::pow(10, std::floor(std::log10((high_ - low_) / 4)));
      for (const double factor : {2., 2.5, 2.}) {
        if ((high_ - low_) / step > static_cast<double>(most) - 1) step *= factor;
      }
      for (double i = std::floor(low_ / step); i * step < high_ + step; ++i) note(i * step);
      return found;
    }
    const std::vector<std::vector<double>> steps{{1, 1.5, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}};
    for (std::size_t i = 0;; ++i) {
      found.clear();
      for (int power = -9; power < 19; power += i < steps.size() ? 1 : static_cast<int>(i - steps.size() + 2)) {
        for (const double step : steps[std::min(i, steps.size() - 1)]) note(step * std::pow(10, power));
      }
      if (found.size() <= most) return found;
    }
  }

 private:
  double low_, high_;
};

}  // namespace heddle_bench
