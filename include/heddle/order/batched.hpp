#pragma once

#include <heddle/detail/fast_div.hpp>
#include <heddle/order/batch.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::order {

struct place_in_plane {
  int batch, index;
};

/// Takes planes one after another.
class plane_by_plane {
 public:
  HEDDLE_HOST plane_by_plane(int, int size) : plane_(size) {}

  HEDDLE_FN place_in_plane at(int i) const {
    const auto [batch, index] = plane_(i);
    return {batch, index};
  }
  HEDDLE_FN int index(place_in_plane in) const { return in.batch * plane_.divisor() + in.index; }

 private:
  fast_div plane_;  // tiles of a plane
};

/// Takes sections of several planes, and within a section the planes in turn.
class alignas(16) planes_in_turn {
 public:
  HEDDLE_HOST planes_in_turn(int count, int size, int interleave)
      : section_((interleave < count ? interleave : count) * size),
        last_begin_(0),
        turn_(interleave < count ? interleave : count),
        last_turn_(count % turn_.divisor()) {
    last_begin_ = count / turn_.divisor() * section_.divisor();
  }

  HEDDLE_FN place_in_plane at(int i) const {
    const auto [section, rest] = section_(i);
    const auto [index, plane] = turn_.or_if(i >= last_begin_, last_turn_)(rest);
    return {section * turn_.divisor() + plane, index};
  }
  HEDDLE_FN int index(place_in_plane in) const {
    const auto [section, plane] = turn_(in.batch);
    const int begin = section * section_.divisor();
    return begin + in.index * (begin < last_begin_ ? turn_.divisor() : last_turn_.divisor()) + plane;
  }

 private:
  fast_div section_;  // tiles of a section
  int last_begin_;    // first index of the last section, which has fewer planes; the size if there is none
  fast_div turn_;     // planes of a section
  fast_div last_turn_;
};

}  // namespace detail::order

/// Repeats an order in each of several planes: one plane after another, or `interleave` planes in turn.
///
///   batched{row_major{{2, 2}}, 3}      0 1   4 5   8  9      batched{row_major{{2, 2}}, 3, 2}      0 2   1 3   8  9
///                                      2 3   6 7   10 11                                           4 6   5 7   10 11
///
/// Planes in turn share what tiles of the same place read: a matrix that all products of the batch have in common, or
/// the keys of the heads of a group.
///
/// **Preconditions**: all tiles together are at most 2^31 - 1, and `interleave` is at least 1. The constructors check
/// them.
///
/// **Cost**: over bands, 7 PTX instructions per tile more; with `interleave`, 22.
///
/// **Example** (tests/order/spaces.cpp):
///
///     constexpr batched in_turn{row_major{{2, 2}}, 3, 2};
///     static_assert(in_turn(0) == batch_coord{0, 0, 0} && in_turn(1) == batch_coord{1, 0, 0});
template <space_order Order, class Planes = detail::order::plane_by_plane>
class batched {
  using space_type = batch<space_of<Order>>;
  static_assert(detail::are_tiles<Order>());
  using order_type = typename detail::plain<Order>::type;  // only the guides below deduce the template's arguments

 public:
  /// Repeats an order in each of `count` planes, one plane after another.
  HEDDLE_HOST batched(order_type order, long long count)
      : batched(Planes(space_type(count, order.space()).count(), order.size()), order, count) {}

  /// Repeats an order in each of `count` planes, `interleave` planes at a time.
  HEDDLE_HOST batched(order_type order, long long count, long long interleave)
      : batched(Planes(space_type(count, order.space()).count(), order.size(),
                       detail::require_int_at_least(1, "heddle::batched: interleave", interleave)),
                order, count) {}

  /// Returns the space of tiles.
  HEDDLE_FN const space_type& space() const { return space_; }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return space_.size(); }

  /// Returns the i-th tile.
  HEDDLE_FN batch_coord operator()(int i) const {
    const auto [plane, index] = planes_.at(i);
    const auto [row, col] = order_(index);
    return {plane, row, col};
  }
  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(batch_coord tile) const {
    return planes_.index({tile.batch, order_.index({tile.row, tile.col})});
  }

 private:
  HEDDLE_HOST batched(Planes planes, Order order, long long count)
      : planes_(planes), order_(order), space_(count, order.space()) {}

  Planes planes_;
  Order order_;
  space_type space_;
};

template <class Order>
batched(Order, long long) -> batched<detail::as_space_order<Order>>;
template <class Order>
batched(Order, long long, long long) -> batched<detail::as_space_order<Order>, detail::order::planes_in_turn>;

}}  // namespace heddle::HEDDLE_ABI
