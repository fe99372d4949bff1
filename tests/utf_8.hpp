#pragma once

#include <string>

namespace heddle_test {

/// Returns whether a text is UTF-8 by the grammar of RFC 3629, without U+FFFE and U+FFFF, which XML forbids.
inline bool is_utf_8(const std::string& text) {
  struct form {
    unsigned char low[4], high[4];  // of each byte; a 0 ends the form
  };
  static constexpr form forms[] = {{{0x01}, {0x7f}},
                                   {{0xc2, 0x80}, {0xdf, 0xbf}},
                                   {{0xe0, 0xa0, 0x80}, {0xe0, 0xbf, 0xbf}},
                                   {{0xe1, 0x80, 0x80}, {0xec, 0xbf, 0xbf}},
                                   {{0xed, 0x80, 0x80}, {0xed, 0x9f, 0xbf}},
                                   {{0xee, 0x80, 0x80}, {0xee, 0xbf, 0xbf}},
                                   {{0xef, 0x80, 0x80}, {0xef, 0xbe, 0xbf}},
                                   {{0xef, 0xbf, 0x80}, {0xef, 0xbf, 0xbd}},
                                   {{0xf0, 0x90, 0x80, 0x80}, {0xf0, 0xbf, 0xbf, 0xbf}},
                                   {{0xf1, 0x80, 0x80, 0x80}, {0xf3, 0xbf, 0xbf, 0xbf}},
                                   {{0xf4, 0x80, 0x80, 0x80}, {0xf4, 0x8f, 0xbf, 0xbf}}};
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\0') {
      ++at;
      continue;
    }
    std::size_t size = 0;
    for (const form& each : forms) {
      std::size_t same = 0;
      while (same < 4 && each.low[same] != 0 && at + same < text.size() &&
             static_cast<unsigned char>(text[at + same]) >= each.low[same] &&
             static_cast<unsigned char>(text[at + same]) <= each.high[same]) {
        ++same;
      }
      if (same == 4 || each.low[same] == 0) size = same;
    }
    if (size == 0) return false;
    at += size;
  }
  return true;
}

}  // namespace heddle_test
