#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <heddle/draw/detail/markup.hpp>

namespace heddle_bench {

/// A number with as many decimals as it needs, up to `most`.
inline std::string trimmed(double value, int most) {
  std::string digits = heddle::draw::detail::rounded(value, most);
  while (digits.find('.') != std::string::npos && (digits.back() == '0' || digits.back() == '.')) {
    const bool is_point = digits.back() == '.';
    digits.pop_back();
    if (is_point) break;
  }
  return digits;
}

/// A round number on an axis: 20K for 20000.
inline std::string short_number(double tick) {
  int letter = 0;
  for (; letter < 6 && tick >= (letter == 0 ? 10000 : 1000); ++letter) tick /= 1000;
  return trimmed(tick, 4) + (letter > 0 ? std::string(1, " KMGTPE"[letter]) : "");
}

/// A number with three or four digits: 0.0123, 12.35, 1,234.
inline std::string number_text(double value) {
  const double size = std::abs(value);
  if (size < 1) {
    const int zeros = size > 0 ? static_cast<int>(-std::floor(std::log10(size))) - 1 : 0;
    return heddle::draw::detail::rounded(value, std::min(9, 3 + zeros));
  }
  std::string digits = heddle::draw::detail::rounded(value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
  const std::size_t first = value < 0 ? 1 : 0;
  if (size >= 1000) {
    for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  }
  return digits;
}

/// Maps values between `low` and `high` to [0, 1].
class scale {
 public:
  scale(double low, double high, bool is_log) : low_(low), high_(high), is_log_(is_log) {
    if (low == high) low_ = is_log ? low / 2 : low - 1, high_ = is_log ? high * 2 : high + 1;
  }

  double operator()(double value) const {
    const auto place = [&](double at) { return is_log_ ? std::log(at) : at; };
    value = std::clamp(value, low_, high_);
    return (place(value) - place(low_)) / (place(high_) - place(low_));
  }

  /// Returns at most `most` round values, as many as possible.
  std::vector<double> ticks(std::size_t most) const {
    const double slack = 1e-9 * high_;
    std::vector<double> found;
    if (is_log_ && high_ / low_ > 2) {
      for (const std::vector<double>& steps :
           std::vector<std::vector<double>>{{1, 1.5, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}}) {
        found.clear();
        for (int power = -9; power < 19; ++power) {
          for (const double step : steps) {
            const double tick = step * std::pow(10, power);
            if (tick >= low_ - slack && tick <= high_ + slack) found.push_back(tick);
          }
        }
        if (found.size() <= most) return found;
      }
      const std::size_t every = found.size() / most + 1;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < found.size(); i += every) found[kept++] = found[i];
      found.resize(kept);
      return found;
    }
    double step = std::pow(10, std::floor(std::log10((high_ - low_) / 4)));
    double factor = 1;
    for (const double next : {2., 5., 10.}) {
      if ((high_ - low_) / (factor * step) > static_cast<double>(most)) factor = next;
    }
    step *= factor;
    for (double i = std::ceil(low_ / step - 1e-9); i * step <= high_ + slack; ++i) found.push_back(i * step);
    return found;
  }

 private:
  double low_, high_;
  bool is_log_;
};

}  // namespace heddle_bench
