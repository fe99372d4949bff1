#pragma once

#include <algorithm>
#include <string>

#include <heddle/draw/detail/markup.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace draw::detail {

/// Animates waves in an endless cycle: a wave is unseen before its turn, bright in it, and paler after it. The cycle
/// begins with a rest that shows all waves, so that a still of the first frame is the whole picture. Nothing moves
/// under `prefers-reduced-motion`.
///
/// Style sheets of pictures on one page see each other. A rule's name holds all that the rule depends on, so that rules
/// of one name are equal.
class turns {
 public:
  explicit turns(int count) : count_(count) {}

  std::string style() const {
    const auto milliseconds = std::clamp(400 * cycle(), 3000LL, 16000LL);
    markup text;
    text.add("<style>\n@media(prefers-reduced-motion:no-preference){.heddle-of-", count_, "{animation:", milliseconds,
             "ms linear infinite}}\n");
    for (int wave = 0; wave < count_; ++wave) {
      const long long lit = 6 + 2LL * wave;
      text.add("@keyframes heddle-", wave, "-of-", count_, "{0%,", percent(4, 0), "{opacity:1}", percent(5, 0), ",",
               percent(lit, 0), "{opacity:0}", percent(lit, 1), ",", percent(lit + 2, 0), "{opacity:1}",
               percent(lit + 3, 0), ",", percent(2LL * count_ + 8, 0), "{opacity:.7}to{opacity:1}}\n");
    }
    text.add("</style>\n");
    return text.str();
  }

  std::string open(int wave) const {
    markup text;
    text.add("<g class=\"heddle-of-", count_, "\" style=\"animation-name:heddle-", wave, "-of-", count_, "\">\n");
    return text.str();
  }

 private:
  long long cycle() const { return count_ + 5LL; }  // in waves

  /// The share of the cycle that has passed after `halves` half waves and `eighths` eighths of a wave, in percent.
  std::string percent(long long halves, int eighths) const {
    const long long thousandths = 100000 * (4 * halves + eighths) / (8 * cycle());
    const std::string fraction = std::to_string(thousandths % 1000);
    return std::to_string(thousandths / 1000) + '.' + std::string(3 - fraction.size(), '0') + fraction + '%';
  }

  int count_;
};

}}}  // namespace heddle::HEDDLE_ABI::draw::detail
