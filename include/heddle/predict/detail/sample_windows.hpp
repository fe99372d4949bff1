#pragma once

#include <algorithm>
#include <cmath>

#include <heddle/predict/traffic_report.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Where the windows of a sample are, in waves.
struct sample_windows {
  long long first, fill, length;  // waves before all windows, which count, before each, which do not, and in each
  long long last;                 // waves behind the last whole pattern: a band may be narrower than the others
  long long places;               // where a window can begin, between the first waves and the last
  double pattern;                 // after which the waves are the same again, or all places

  /// A window has whole patterns if these are short, or if two windows of whole patterns are at most `most` waves. The
  /// waves before it are as many as it takes to fill the cache: twice over if these are few of the waves that are to be
  /// replayed.
  sample_windows(long long waves, long long first_waves, bool is_short, double waves_of_pattern, long long most)
      : first(first_waves),
        fill(is_short ? 2 * first : first),
        length(is_short ? std::clamp(static_cast<long long>(waves_of_pattern), first, 3 * first) : first) {
    const auto all = static_cast<double>(waves), shortest = static_cast<double>(length);
    const bool repeats = waves_of_pattern > 0 && 8 * waves_of_pattern < all;
    if (waves_of_pattern > 0 && 32 * waves_of_pattern < all) {
      const double whole = std::ceil(shortest / waves_of_pattern) * waves_of_pattern;
      const auto limit = static_cast<double>(most / 2 - fill);
      if (whole <= (std::max)(1.25 * shortest, limit)) length = (std::max)(length, std::llround(whole));
    }
    last = repeats ? waves - static_cast<long long>(std::floor(all / waves_of_pattern) * waves_of_pattern) : 0;
    fill = (std::min)(fill, (waves - last) / 4);
    length = (std::min)(length, (waves - last) / 4);
    places = waves - last - first - fill - length + 1;
    pattern = repeats ? waves_of_pattern : static_cast<double>(places);
  }

  /// Returns the first wave of the n-th window. Windows spread evenly over the patterns and over a pattern: multiples
  /// of the plastic number's inverse and of its square lie evenly in a square.
  long long begin_of(int n) const {
    const auto spread = [&](double step, double most) { return (n * step - std::floor(n * step)) * most; };
    const double patterns = std::ceil(static_cast<double>(places) / pattern);
    const auto place = static_cast<long long>(std::floor(spread(0.5698402909980532, patterns)) * pattern +
                                              spread(0.7548776662466927, pattern));
    return first + fill + place % places;
  }
};

/// What windows move per tile, and how much that differs from window to window.
class sum_of_windows {
 public:
  void add(const predict::wave_traffic& window, long long tiles) {
    const auto dram = static_cast<double>(window.dram_bytes), of = static_cast<double>(tiles);
    ++windows_;
    sum_ += window;
    tiles_ += of;
    squares_ += dram * dram, products_ += dram * of, squares_of_tiles_ += of * of;
  }

  int windows() const { return windows_; }

  /// Returns what the first waves and so many more tiles move.
  predict::wave_traffic with_rest(const predict::wave_traffic& first, double tiles) const {
    const auto scaled = [&](long long bytes) { return std::llround(static_cast<double>(bytes) / tiles_ * tiles); };
    predict::wave_traffic total{scaled(sum_.requested_bytes), scaled(sum_.dram_bytes), scaled(sum_.written_bytes)};
    return total += first;
  }

  /// Returns the standard error of the bytes that so many tiles read from DRAM.
  double error(double tiles) const {
    const double rate = static_cast<double>(sum_.dram_bytes) / tiles_;
    const double squares = squares_ - 2 * rate * products_ + rate * rate * squares_of_tiles_;
    return std::sqrt((std::max)(0.0, squares) * windows_ / (windows_ - 1)) / tiles_ * tiles;
  }

 private:
  int windows_ = 0;
  predict::wave_traffic sum_;
  double tiles_ = 0, squares_ = 0, products_ = 0, squares_of_tiles_ = 0;
};

}}}  // namespace heddle::HEDDLE_ABI::detail
