#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// The gate of a kernel whose input is all here: it never waits, and costs no instruction.
struct open_gate {
  /// Does nothing.
  template <class Tile>
  HEDDLE_FN void wait(const Tile&) const {}
};

}}  // namespace heddle::HEDDLE_ABI
