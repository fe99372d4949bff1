#pragma once

#include <heddle/config.hpp>
#include <heddle/invalid_argument.hpp>

namespace heddle::inline HEDDLE_ABI {

/// So much work: sources that spawn something, and the items that they spawn. What there is room for, or what was
/// required.
struct expansion {
  unsigned long long sources, items;
};

namespace detail::expand {

/// The entries for which a block takes room that writes into a part of a list of its own.
HEDDLE_FN unsigned places_of_block(unsigned sources) {
  return sources < 32 ? 32 : sources + sources % 2;
}

}  // namespace detail::expand

/// Room, in any strategy, for what `blocks` blocks of `threads` threads push: `of_each` sources of each thread, which
/// spawn `items` together.
///
///   packed_prefix work(room_for_launch(blocks, 256, 1, items), state);
HEDDLE_HOST expansion room_for_launch(long long blocks, int threads, int of_each, unsigned long long items) {
  detail::require_int_at_least(0, "heddle::room_for_launch: blocks", blocks);
  detail::require_at_least(1, "heddle::room_for_launch: threads", threads);
  detail::require_at_most(1024, "heddle::room_for_launch: threads", threads);
  detail::require_at_least(1, "heddle::room_for_launch: of_each", of_each);
  detail::require_at_most(63, "heddle::room_for_launch: of_each", of_each);
  const auto sources = static_cast<unsigned>(threads) * static_cast<unsigned>(of_each);
  return {static_cast<unsigned long long>(blocks) * detail::expand::places_of_block(sources), items};
}

}  // namespace heddle::inline HEDDLE_ABI
