#pragma once

#include <heddle/detail/ptx.hpp>

// In place of include/heddle/trace/detail/ptx.hpp.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

// Clocks of multiprocessors begin at random.

inline unsigned long long offset_of_clock[64] = {};

inline unsigned long long clock64() {
  unsigned long long& offset = offset_of_clock[smid() % 64];
  if (offset == 0) offset = 1 + simt::random_word() % (1ull << 45);
  return later() + offset;
}

struct two_words {
  unsigned long long first, second;
};

inline two_words ld_volatile_v2(const unsigned long long* from) {
  if (simt::random() % 4 == 0) simt::wait();
  return {from[0], from[1]};
}

inline void st_v2(unsigned long long* to, unsigned long long first, unsigned long long second) {
  to[0] = first;
  to[1] = second;
  if (simt::random() % 4 == 0) simt::wait();
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx
