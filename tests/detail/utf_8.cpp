#include <heddle/detail/utf_8.hpp>

#include "test.hpp"
#include "utf_8.hpp"

namespace {

/// Returns whether a text of any bytes becomes UTF-8, and stays as it is if it is UTF-8 already.
bool holds(const std::string& text) {
  const std::string made = heddle::detail::utf_8(text);
  return heddle_test::is_utf_8(made) && (made == text) == heddle_test::is_utf_8(text);
}

}  // namespace

TEST_CASE("Any bytes become UTF-8, and UTF-8 stays as it is", "[detail]") {
  int wrong = holds("") ? 0 : 1;
  // All pairs of bytes, and all fours of bytes at the borders of the grammar.
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      wrong += holds({static_cast<char>(first), static_cast<char>(second)}) ? 0 : 1;
    }
  }
  const std::string borders(
      "\x00\x41\x7f\x80\x8f\x90\x9f\xa0\xbd\xbe\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff",
      27);
  for (const char a : borders) {
    for (const char b : borders) {
      for (const char c : borders) {
        for (const char d : borders) wrong += holds({a, b, c, d}) ? 0 : 1;
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(heddle::detail::utf_8("a\xff\xe6\xbc"
                              "b漢\xc3") == "a\ufffd\ufffd\ufffdb漢\ufffd");
}
