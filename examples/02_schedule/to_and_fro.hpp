#pragma once

#include <heddle/concepts.hpp>

/// A scheduler of your own: persistent and static, it deals tiles out to and fro. If tiles take longer and longer along
/// the order, as the rows of a triangle do, every block gets long ones and short ones.
///
///   tiles     0 1 2 3 4 5 6
///   blocks    0 1 2 2 1 0 0
template <heddle::tile_order Order>
class to_and_fro {
 public:
  HEDDLE_HOST explicit to_and_fro(Order order) : order_(order) {}

  struct storage {};  // blocks exchange nothing

  HEDDLE_FN const Order& order() const { return order_; }

  /// Decides: the first index of a worker, and the index after another. An index of size() or more is the end.
  template <class Machine>
  class draws {
   public:
    HEDDLE_FN draws(const to_and_fro&, Machine machine, storage&)
        : begin_(machine.worker()), both_(2 * machine.workers()), step_(both_ - 2 * begin_ - 1) {}

    HEDDLE_FN unsigned first() const { return begin_; }

    HEDDLE_FN unsigned next(unsigned index) {  // stays below 2^32 with up to 2^30 workers
      index += step_;
      step_ = both_ - step_;
      return index;
    }

   private:
    unsigned begin_, both_, step_;  // one way and back again deals out `both_` tiles
  };

 private:
  struct machine {
#if defined(__CUDACC__)
    HEDDLE_DEVICE static unsigned worker() {
      return blockIdx.x;
    }
    HEDDLE_DEVICE static unsigned workers() {
      return gridDim.x;
    }
#endif
  };

 public:
  /// Walks the tiles of a block. Every thread computes them by itself.
  class cursor {
   public:
    HEDDLE_DEVICE cursor(const Order& order, draws<machine> draws)
        : order_(&order), draws_(draws), index_(draws_.first()) {}

    HEDDLE_DEVICE heddle::tile_of<Order> operator*() const { return (*order_)(static_cast<int>(index_)); }
    HEDDLE_DEVICE cursor& operator++() {
      index_ = draws_.next(index_);
      return *this;
    }
    HEDDLE_DEVICE explicit operator bool() const { return index_ < static_cast<unsigned>(order_->size()); }
    HEDDLE_DEVICE friend bool operator!=(const cursor& place, decltype(nullptr)) { return static_cast<bool>(place); }

    HEDDLE_DEVICE cursor begin() const { return *this; }
    HEDDLE_DEVICE decltype(nullptr) end() const { return nullptr; }

   private:
    const Order* order_;
    draws<machine> draws_;
    unsigned index_;
  };

  HEDDLE_DEVICE cursor tiles(storage& none) const {
    return {order_, {*this, machine{}, none}};
  }

  // Roles need not wait for each other: each computes the same tiles.
  HEDDLE_DEVICE void start(storage&, int) const {}
  HEDDLE_DEVICE cursor lead(storage& none) const {
    return tiles(none);
  }
  HEDDLE_DEVICE cursor follow(storage& none) const {
    return tiles(none);
  }

 private:
  Order order_;
};
