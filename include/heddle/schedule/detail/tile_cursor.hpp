#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/gpu.hpp>
#include <heddle/detail/range_for.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::schedule {

/// The tile of one block: the order's tile, or the tile of a block in the order's cluster.
template <class Order>
struct tile_of_block {
  using type = tile_of<Order>;
};
template <cluster_order Order>
struct tile_of_block<Order> {
  using type = typename plain<decltype(any<Order>().tile(0, 0))>::type;
};

/// Tells a cursor that goes in two steps to begin before its first index.
struct before_first {};

#if defined(__CUDACC__)

/// One thread's place in the sequence of its block. `Walk` gives the thread its first and its next index. An index at
/// or above `size()` is the end.
template <class Order, class Walk>
class cursor : public as_range<cursor<Order, Walk>, typename tile_of_block<Order>::type> {
 public:
  /// What `*` returns.
  using tile = typename tile_of_block<Order>::type;

  /// Begins with the first index of the walk.
  HEDDLE_DEVICE cursor(const Order& order, Walk walk) : order_(&order), walk_(walk), index_(walk_.first(size())) {}
  /// Begins before the first index, which `ask` and `fetch` bring.
  HEDDLE_DEVICE cursor(const Order& order, Walk walk, before_first) : order_(&order), walk_(walk), index_(0) {}
  cursor(const cursor&) = delete;  // a copy would draw tiles of its own

  /// Returns whether there is a tile.
  HEDDLE_DEVICE explicit operator bool() const { return index_ < size(); }
  /// Returns the index of the tile in the order; over a `cluster_order`, of the cluster.
  HEDDLE_DEVICE int index() const { return static_cast<int>(index_); }

  /// Returns the tile of this block.
  HEDDLE_DEVICE tile operator*() const {
    if constexpr (cluster_order<Order>) {
      return order_->tile(index(), static_cast<int>(ptx::cluster_ctarank()));
    } else {
      return (*order_)(index());
    }
  }

  /// Goes on to the next tile.
  HEDDLE_DEVICE cursor& operator++() {
    index_ = walk_.next(index_, size());
    return *this;
  }

  /// Sends for the next tile, and does not wait. Of a thread that follows it does nothing.
  HEDDLE_DEVICE void ask() {
    if constexpr (requires { walk_.ask(); }) walk_.ask();
  }
  /// Goes on to the tile that `ask` sent for.
  HEDDLE_DEVICE void fetch() { index_ = walk_.fetch(index_, size()); }

 private:
  HEDDLE_DEVICE unsigned size() const { return static_cast<unsigned>(order_->size()); }

  const Order* order_;
  Walk walk_;
  unsigned index_;
};

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::schedule
