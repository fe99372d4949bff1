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
    Cursor& place;

    HEDDLE_DEVICE Value operator*() const { return *place; }
    HEDDLE_DEVICE void operator++() const { ++place; }
    HEDDLE_DEVICE friend bool operator!=(iterator at, end_of_range) { return static_cast<bool>(at.place); }
  };
  HEDDLE_DEVICE iterator begin() { return {static_cast<Cursor&>(*this)}; }
  HEDDLE_DEVICE end_of_range end() const { return {}; }
};

#endif

}  // namespace heddle::inline HEDDLE_ABI::detail
