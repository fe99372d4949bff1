#pragma once

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

#if defined(__CUDACC__)

/// A cursor as a range: what is left. By itself it says whether there is more, has what is here, and goes on.
template <class Cursor, class Value>
class as_range {
 public:
  struct end_of_range {};
  struct iterator {
    Cursor& cursor;

    HEDDLE_DEVICE Value operator*() const { return *cursor; }
    HEDDLE_DEVICE void operator++() const { ++cursor; }
    HEDDLE_DEVICE friend bool operator!=(iterator at, end_of_range) { return static_cast<bool>(at.cursor); }
  };
  HEDDLE_DEVICE iterator begin() { return {static_cast<Cursor&>(*this)}; }
  HEDDLE_DEVICE end_of_range end() const { return {}; }
};

#endif

}  // namespace heddle::inline HEDDLE_ABI::detail
