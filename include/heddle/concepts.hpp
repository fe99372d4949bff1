#pragma once

#include <heddle/coord.hpp>

// Every contract of heddle, in pieces small enough that a compiler's message names the one that failed.

namespace heddle::inline v0 {
namespace detail {

template <class A, class B> inline constexpr bool is_same = false;
template <class A> inline constexpr bool is_same<A, A> = true;
template <class A, class B>
concept same_as = is_same<A, B>;
template <class A>
concept not_void = !is_same<A, void>;

}  // namespace detail

/// Travels to a kernel as an argument, bit for bit.
template <class T>
concept kernel_argument = __is_trivially_copyable(T);

/// `size()`: the number of tiles, exactly.
template <class T>
concept counts_tiles = requires(const T& order) {
  { order.size() } -> detail::same_as<int>;
};

/// `order(i)`: the i-th tile. What a tile is belongs to the order; on a grid it is a `coord`.
template <class T>
concept maps_index_to_tile = requires(const T& order, int i) {
  { order(i) } -> detail::not_void;
};

/// `order.index(tile)`: its inverse.
template <class T>
concept maps_tile_to_index = requires(const T& order, int i) {
  { order.index(order(i)) } -> detail::same_as<int>;
};

/// A bijection from [0, size()) onto the tiles: the law that `laws::check_order` proves.
template <class T>
concept tile_order = kernel_argument<T> && counts_tiles<T> && maps_index_to_tile<T> && maps_tile_to_index<T>;

/// What an order calls a tile.
template <tile_order Order> using tile_of = decltype((*static_cast<const Order*>(nullptr))(0));

/// An order of all the tiles of a rectangle, which it can name.
template <class T>
concept grid_order = tile_order<T> && requires(const T& order, int i) {
  { order.grid() } -> detail::same_as<extent>;
  { order(i) } -> detail::same_as<coord>;
};

static_assert(!tile_order<int> && !tile_order<extent> && !grid_order<int>);

}  // namespace heddle::inline v0
