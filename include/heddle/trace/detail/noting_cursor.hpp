#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/range_for.hpp>
#include <heddle/trace/detail/notes.hpp>

#if defined(__CUDACC__)

namespace heddle { inline namespace HEDDLE_ABI { namespace trace::detail {

/// The index that the order has for the tile, or the part of a tile, at a cursor.
template <class Cursor>
HEDDLE_DEVICE int index_at(const Cursor& at) {
  if constexpr (requires { (*at).share.tile; }) {
    return (*at).share.tile;
  } else {
    return at.index();
  }
}

/// A scheduler's cursor, of which one thread of the block notes the tiles. `Clusters` says that a worker is a cluster.
template <class Cursor, bool Clusters>
class noting_cursor
    : public heddle::detail::as_range<noting_cursor<Cursor, Clusters>,
                                      typename heddle::detail::plain<decltype(*heddle::detail::any<Cursor>())>::type> {
 public:
  using tile = typename heddle::detail::plain<decltype(*heddle::detail::any<Cursor>())>::type;

  /// Makes the cursor by `walk()`. The thread with `keeps` notes its tiles in `mine`, for the log of its block.
  template <class Walk>
  HEDDLE_DEVICE noting_cursor(notes& mine, const buffer& all, bool keeps, Walk walk)
      : noting_cursor(mine, all, keeps && has_log(all), walk, keeps && has_log(all) ? open(all) : opened{}) {}
  noting_cursor(const noting_cursor&) = delete;

  HEDDLE_DEVICE ~noting_cursor() {
    if (mine_ == nullptr) return;
    if (inner_) end_tile(*mine_, index_at(inner_));
    if constexpr (Clusters) {
      close(*mine_, *all_, ptx::cluster_ctarank(), ptx::cluster_nctarank());
    } else {
      close(*mine_, *all_, 0, 1);
    }
  }

  HEDDLE_DEVICE explicit operator bool() const { return static_cast<bool>(inner_); }
  HEDDLE_DEVICE int index() const { return inner_.index(); }
  HEDDLE_DEVICE tile operator*() const { return *inner_; }

  HEDDLE_DEVICE noting_cursor& operator++() {
    if (mine_ != nullptr) end_tile(*mine_, index_at(inner_));
    ++inner_;
    if (mine_ != nullptr) begin_tile(*mine_);
    return *this;
  }

 private:
  template <class Walk>
  HEDDLE_DEVICE noting_cursor(notes& mine, const buffer& all, bool keeps, Walk walk, const opened& found)
      : inner_(walk()), all_(&all), mine_(keeps && begin(mine, all, found) ? &mine : nullptr) {
    if (mine_ != nullptr) begin_tile(mine);
  }

  Cursor inner_;
  const buffer* all_;
  notes* mine_;  // null in threads that keep none
};

}}}  // namespace heddle::HEDDLE_ABI::trace::detail

#endif
