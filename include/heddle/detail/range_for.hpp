#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

#if defined(__CUDACC__)

/// Makes a range of a cursor: its remaining elements. The cursor itself has a bool for "not at the end", `*` for the
/// current element and `++` for the next.
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

#else

/// The range of a kernel for a host compiler, which has no kernels: declared alone, so that contracts hold there too.
template <class Value>
struct declared_range {
  struct end_of_range {};

  Value operator*() const;
  declared_range& operator++();
  explicit operator bool() const;
  int index() const;
  declared_range begin() const;
  end_of_range end() const;
  friend bool operator!=(const declared_range&, end_of_range) { return false; }
};

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail
