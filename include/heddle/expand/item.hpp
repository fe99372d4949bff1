#pragma once

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI {

/// What a source spawned: the number that the source was pushed with, and which of its items this is, from 0. In one
/// register of 64 bits: it is stored at once.
struct alignas(8) item {
  unsigned source, rank;
};

}  // namespace heddle::inline HEDDLE_ABI
