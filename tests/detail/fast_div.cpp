
#include <heddle/detail/fast_div.hpp>
#include <heddle/detail/newton_division.hpp>

#include "test.hpp"

using heddle::detail::fast_div;
using heddle::detail::newton_division;

namespace {

bool exact(int n, int d) {
  const fast_div by(d);
  const auto [quotient, remainder] = by(n);
  const auto [whole, rest] = newton_division(n, d);
  return by.divisor() == d && by.quotient(n) == n / d && quotient == n / d && remainder == n % d && whole == n / d &&
         rest == n % d;
}

constexpr int largest = 0x7fffffff;
static_assert(newton_division(largest, 1).quotient == largest && newton_division(largest, largest).remainder == 0);

}  // namespace

TEST_CASE("fast_div and newton_division are exact for all small numbers", "[detail]") {
  int wrong = 0;
  for (int d = 1; d <= 1500; ++d) {
    for (int n = 0; n <= 3000; ++n) wrong += !exact(n, d);
  }
  CHECK(wrong == 0);
}

TEST_CASE("fast_div and newton_division are exact beside every multiple that could round the wrong way", "[detail]") {
  std::mt19937 random(1);
  const auto wrong_beside_multiples = [&](int d) {
    int wrong = !exact(largest, d) + !exact(largest - 1, d) + !exact(d, d) + !exact(d - 1, d);
    for (int turn = 0; turn < 50; ++turn) {
      const int multiple = static_cast<int>(random() % (largest / d + 1u)) * d;
      wrong += !exact(multiple, d);
      if (multiple > 0) wrong += !exact(multiple - 1, d);
      if (multiple < largest) wrong += !exact(multiple + 1, d);
    }
    return wrong;
  };
  int wrong = 0;
  for (int bit = 0; bit < 31; ++bit) {
    for (const int off : {-1, 0, 1}) {
      const long long d = (1LL << bit) + off;
      if (d >= 1) wrong += wrong_beside_multiples(static_cast<int>(d));
    }
  }
  wrong += wrong_beside_multiples(largest);
  for (int turn = 0; turn < 20000; ++turn) wrong += wrong_beside_multiples(1 + static_cast<int>(random() % largest));
  CHECK(wrong == 0);
}
