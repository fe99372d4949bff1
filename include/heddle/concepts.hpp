#pragma once

#include <heddle/coord.hpp>

// Every contract of heddle, in pieces small enough that a compiler's message names the one that failed.

namespace heddle::inline HEDDLE_ABI {
namespace detail {

template <class Left, class Right>
inline constexpr bool is_same = false;
template <class Left>
inline constexpr bool is_same<Left, Left> = true;
template <class Left, class Right>
concept same_as = is_same<Left, Right>;
template <class Left>
concept not_void = !is_same<Left, void>;

/// A type without its reference and its const.
template <class Type>
struct plain {
  using type = Type;
};
template <class Type>
struct plain<const Type> : plain<Type> {};
template <class Type>
struct plain<Type&> : plain<Type> {};
template <class Type>
struct plain<Type&&> : plain<Type> {};

/// Returns a value of this type, or a reference to one.
template <class Result, class Value>
concept gives = is_same<typename plain<Result>::type, Value>;

template <class Order>
HEDDLE_FN const Order& any();  // declared only

/// Returns a space, or a reference to one.
template <class Result>
concept gives_space = requires(typename plain<Result>::type& space, int n) {
  { space.number(space.tile(n)) } -> gives<int>;
  { space.contains(space.tile(n)) } -> gives<bool>;
  { space.size() } -> gives<int>;
};

/// What a space calls a tile.
template <class Space>
struct tile_in {
  using type = typename plain<decltype(any<typename plain<Space>::type>().tile(0))>::type;
};

template <class Order>
concept has_tile_of_block = requires(const Order& order, int i) {
  order.tile(i, i);
};

}  // namespace detail

/// Travels to a kernel as an argument, bit for bit.
template <class Order>
concept kernel_argument = __is_trivially_copyable(Order);

/// `size()`: the number of tiles, exactly.
template <class Order>
concept counts_tiles = requires(const Order& order) {
  { order.size() } -> detail::gives<int>;
};

/// `order(i)`: the i-th tile. What a tile is belongs to the order; on a grid it is a `coord`.
template <class Order>
concept maps_index_to_tile = requires(const Order& order, int i) {
  { order(i) } -> detail::not_void;
};

/// `order.index(tile)`: its inverse.
template <class Order>
concept maps_tile_to_index = requires(const Order& order, int i) {
  { order.index(order(i)) } -> detail::gives<int>;
};

/// `tile(number)`, `number(tile)` and `contains(tile)`: tiles that have numbers from 0 to size().
template <class Space>
concept numbers_tiles = requires(const Space& space, int n) {
  { space.tile(n) } -> detail::not_void;
  { space.number(space.tile(n)) } -> detail::gives<int>;
  { space.contains(space.tile(n)) } -> detail::gives<bool>;
};

/// A set of tiles with a plain numbering: an `extent`, a `batch` of them, a `triangle`.
template <class Space>
concept tile_space = kernel_argument<Space> && counts_tiles<Space> && numbers_tiles<Space>;

/// `grid()`: the rectangle that is covered, whose tiles are coords.
template <class Order>
concept names_grid = requires(const Order& order, int i) {
  { order.grid() } -> detail::gives<extent>;
  { order(i) } -> detail::gives<coord>;
};

/// `space()`: the tile_space that is covered, whose tiles are those of the order.
template <class Order>
concept names_space = requires(const Order& order, int i) {
  { order.space() } -> detail::gives_space;
  { order(i) } -> detail::gives<typename detail::tile_in<decltype(order.space())>::type>;
};

/// `tile(cluster, block)`: the tile of a block, by the index of its cluster and its rank in the cluster.
template <class Order>
concept maps_block_to_tile = requires(const Order& order, int i) {
  { order.tile(i, i) } -> detail::not_void;
};

/// `blocks_in_cluster()`: as many in every cluster.
template <class Order>
concept counts_blocks = requires(const Order& order) {
  { order.blocks_in_cluster() } -> detail::gives<int>;
};

/// `tiles()`: the space of tiles, where `grid()` or `space()` is that of clusters.
template <class Order>
concept names_tiles = requires(const Order& order, int i) {
  { order.tiles() } -> detail::gives_space;
  { order.tiles().number(order.tile(i, i)) } -> detail::gives<int>;
};

/// `contains(tile)`: false for what sticks out of the space of tiles.
template <class Order>
concept contains_tiles = requires(const Order& order, int i) {
  { order.contains(order.tile(i, i)) } -> detail::gives<bool>;
};

/// An order with `tile(cluster, block)` has all members of a `cluster_order`: with fewer it would be taken for an order
/// of tiles, of which the blocks of a cluster would share one.
template <class Order>
concept completes_clusters =
    !detail::has_tile_of_block<Order> || ((names_grid<Order> || names_space<Order>)&&maps_block_to_tile<Order> &&
                                          counts_blocks<Order> && names_tiles<Order> && contains_tiles<Order>);

/// A bijection from [0, size()) onto the tiles: the law that `laws::check_order` proves.
template <class Order>
concept tile_order = kernel_argument<Order> && counts_tiles<Order> && maps_index_to_tile<Order> &&
    maps_tile_to_index<Order> && completes_clusters<Order>;

/// What an order calls a tile.
template <tile_order Order>
using tile_of = typename detail::plain<decltype(detail::any<Order>()(0))>::type;

/// An order of all the tiles of a rectangle, which it can name.
template <class Order>
concept grid_order = tile_order<Order> && names_grid<Order>;

/// An order of a space that it can name: a rectangle, or another `tile_space`.
template <class Order>
concept space_order = tile_order<Order> &&(names_grid<Order> || names_space<Order>);

/// The space of an order: its `space()`, or the rectangle of its `grid()`.
template <space_order Order>
HEDDLE_FN auto space_of(const Order& order) {
  if constexpr (names_space<Order>) {
    return order.space();
  } else {
    return order.grid();
  }
}

/// An order of the clusters of thread blocks that cover a grid. Each block of a cluster has a tile of its own: the law
/// that `laws::check_clusters` proves. To a scheduler it is an order of clusters.
template <class Order>
concept cluster_order = space_order<Order> && maps_block_to_tile<Order>;

static_assert(tile_space<extent> && !tile_space<coord> && !tile_space<int> && !space_order<extent>);
static_assert(!tile_order<int> && !tile_order<extent> && !grid_order<int> && !cluster_order<int>);

namespace detail {

template <class Order>
inline constexpr bool refers_to_order = false;
template <tile_order Order>
inline constexpr bool refers_to_order<const Order&> = true;
template <class Reference>
concept order_reference = refers_to_order<Reference>;

}  // namespace detail

/// `storage`: what the kernel places in shared memory, where nothing is constructed.
template <class Scheduler>
concept has_storage = __is_trivially_constructible(typename Scheduler::storage);

/// `order()`: whose tiles are taken.
template <class Scheduler>
concept has_order = requires(const Scheduler& scheduler) {
  { scheduler.order() } -> detail::order_reference;
};

namespace detail {

// In a deduction guide, the order itself. A guide whose class refuses the order is passed over without a reason by nvcc
// and clang++. An error of a class that the guide needs has one: the piece of the concept.
template <tile_order Order>
struct must_be_tile_order {};
template <grid_order Order>
struct must_be_grid_order {};
template <space_order Order>
struct must_be_space_order {};

template <class Order>
struct deduced_tile_order : must_be_tile_order<Order> {
  using type = Order;
};
template <has_order Scheduler>
struct deduced_tile_order<Scheduler> {};  // strided{strided{…}} is a copy, and this guide is none

template <class Order>
struct deduced_grid_order : must_be_grid_order<Order> {
  using type = Order;
};

template <class Order>
struct deduced_space_order : must_be_space_order<Order> {
  using type = Order;
};

template <class Order>
using as_tile_order = typename deduced_tile_order<Order>::type;
template <class Order>
using as_grid_order = typename deduced_grid_order<Order>::type;
template <class Order>
using as_space_order = typename deduced_space_order<Order>::type;

}  // namespace detail

#if defined(__CUDACC__)
/// `tiles(smem)`: the tiles of this block, a range for all its threads together.
template <class Scheduler>
concept walks_tiles = requires(const Scheduler& scheduler, typename Scheduler::storage& shared) {
  ++scheduler.tiles(shared).begin();
  *scheduler.tiles(shared).begin();
  { scheduler.tiles(shared).begin() != scheduler.tiles(shared).end() } -> detail::same_as<bool>;
};

/// `start`, `lead` and `follow`: the same tiles for roles that each go at their own pace. One thread leads.
template <class Scheduler>
concept walks_in_roles = requires(const Scheduler& scheduler, typename Scheduler::storage& shared, int followers) {
  scheduler.start(shared, followers);
  *++scheduler.lead(shared);
  *++scheduler.follow(shared);
};
#else
template <class Scheduler>
concept walks_tiles = has_storage<Scheduler>;  // in kernels, which this compiler does not see
template <class Scheduler>
concept walks_in_roles = has_storage<Scheduler>;
#endif

/// `part`, where tiles are split along k: steps [begin, end) of a tile, and in which slots the sums of all its parts
/// are.
template <class Scheduler>
concept splits_tiles = requires(const typename Scheduler::part& part) {
  { part.end - part.begin } -> detail::same_as<int>;
  { part.share.first + part.share.count - part.share.slot } -> detail::same_as<int>;
  part.tile;
};

/// Decides which tiles a block takes, so that all blocks of a launch visit each tile exactly once: the law that
/// `laws::check_schedule` proves.
template <class Scheduler>
concept tile_scheduler = kernel_argument<Scheduler> && has_storage<Scheduler> && has_order<Scheduler> &&
    walks_tiles<Scheduler> && walks_in_roles<Scheduler> && !splits_tiles<Scheduler>;

#if defined(__CUDACC__)
/// `enter()`, for one thread of every block, and `arrive(part.share)` of what it returns: whether this part is the last
/// of its tile.
template <class Scheduler>
concept counts_arrivals = requires(const Scheduler& scheduler, const typename Scheduler::part& part) {
  { scheduler.enter().arrive(part.share) } -> detail::same_as<bool>;
};
#else
template <class Scheduler>
concept counts_arrivals = splits_tiles<Scheduler>;  // in kernels, which this compiler does not see
#endif

/// Decides which steps of which tiles a block takes, so that all blocks of a launch do each step of each tile exactly
/// once, and of those who share a tile one is the last: the law that `laws::check_split_schedule` proves.
template <class Scheduler>
concept split_scheduler = kernel_argument<Scheduler> && has_storage<Scheduler> && has_order<Scheduler> &&
    walks_tiles<Scheduler> && walks_in_roles<Scheduler> && splits_tiles<Scheduler> && counts_arrivals<Scheduler>;

static_assert(!tile_scheduler<int> && !tile_scheduler<extent> && !split_scheduler<int> && !counts_arrivals<int>);

/// `push_storage`: what the first pass places in shared memory.
template <class Work>
concept has_push_storage = __is_trivially_constructible(typename Work::push_storage);

#if defined(__CUDACC__)
/// `push(smem, source, n)`: for every thread of a block, so many items of a source.
template <class Work>
concept pushes = requires(const Work& work, typename Work::push_storage& shared, unsigned source, unsigned n) {
  work.push(shared, source, n);
};

/// `items(smem)`: what this thread gets of them, by source and rank.
template <class Work>
concept walks_items = requires(const Work& work, typename Work::storage& shared) {
  ++work.items(shared).begin();
  { (*work.items(shared)).source + (*work.items(shared)).rank } -> detail::same_as<unsigned>;
};
#else
template <class Work>
concept pushes = has_push_storage<Work>;  // in kernels, which this compiler does not see
template <class Work>
concept walks_items = has_storage<Work>;
#endif

/// Takes sources that spawn, in a first pass, and deals out what they spawn, in a second: each pair of a source and a
/// rank below its n exactly once.
template <class Work>
concept expander =
    kernel_argument<Work> && has_push_storage<Work> && has_storage<Work> && pushes<Work> && walks_items<Work>;

static_assert(!expander<int> && !expander<extent>);

}  // namespace heddle::inline HEDDLE_ABI
