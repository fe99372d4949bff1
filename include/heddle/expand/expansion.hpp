#pragma once

#include <heddle/config.hpp>
#include <heddle/invalid_argument.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Counts sources and the items that they spawn: the capacity of a strategy, or the room that a turn needs.
///
/// **Example** (examples/04_expand/after.cu):
///
///     const heddle::expansion room{256ull * blocks, meshlets};
struct expansion {
  unsigned long long sources, items;  // sources that spawn; with `scanned` all that are pushed
};

namespace detail::expand {

inline constexpr int most_of_each = 63;  // sources that a thread pushes at once

/// The places that a block takes in a list in which each block has a slab of its own.
HEDDLE_FN unsigned places_of_block(unsigned sources) {
  return sources < 32 ? 32 : sources + sources % 2;
}

}  // namespace detail::expand

/// Returns room, in any strategy, for a first pass of `blocks` blocks of `threads` threads that push `of_each` sources
/// per thread and `items` items in all.
///
///   room_for_launch(10, 256, 1, n)     {2560, n}
///   room_for_launch(10, 33, 1, n)      {340, n}: a block takes an even number of places
///   room_for_launch(10, 8, 1, n)       {320, n}: and at least 32
///
/// **Preconditions**: threads are 1 to 1024, and `of_each` is 1 to 63; other values are refused.
///
/// **Example** (tests/gpu/again.cu):
///
///     const expansion room = room_for_launch(blocks, threads, 1, 16ull * size);
HEDDLE_HOST expansion room_for_launch(long long blocks, int threads, int of_each, unsigned long long items) {
  detail::require_int_at_least(0, "heddle::room_for_launch: blocks", blocks);
  detail::require_at_least(1, "heddle::room_for_launch: threads", threads);
  detail::require_at_most(1024, "heddle::room_for_launch: threads", threads);
  detail::require_at_least(1, "heddle::room_for_launch: of_each", of_each);
  detail::require_at_most(detail::expand::most_of_each, "heddle::room_for_launch: of_each", of_each);
  const auto sources = static_cast<unsigned>(threads) * static_cast<unsigned>(of_each);
  return {static_cast<unsigned long long>(blocks) * detail::expand::places_of_block(sources), items};
}

}}  // namespace heddle::HEDDLE_ABI
