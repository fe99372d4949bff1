#pragma once

#include <heddle/coord.hpp>
#include <heddle/static_shared.hpp>  // what a kernel over a policy declares

// Every contract of heddle as a concept, in pieces so small that a compiler's message names the one that failed. A host
// compiler asks for the same members as nvcc: those for kernels need no definition there, but a declaration.

namespace heddle { inline namespace HEDDLE_ABI {
namespace detail {

template <class Left, class Right>
inline constexpr bool is_same = false;
template <class Left>
inline constexpr bool is_same<Left, Left> = true;
template <class Left, class Right>
concept same_as = is_same<Left, Right>;
template <class Left>
concept not_void = !is_same<Left, void>;

/// Removes reference and const from a type.
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

/// Requires that a function returns a value of this type, or a reference to one.
template <class Result, class Value>
concept gives = is_same<typename plain<Result>::type, Value>;

template <class Order>
HEDDLE_FN const Order& any();  // declared only

/// Has rows and columns that can be swapped.
template <class Space>
concept turns = requires(const Space& space) {
  { space.transposed() } -> gives<Space>;
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

/// Requires a type that can be a kernel argument: trivially copyable.
template <class Order>
concept kernel_argument = __is_trivially_copyable(Order);

/// Requires `size()`: the exact number of tiles, as an int.
template <class Order>
concept counts_tiles = requires(const Order& order) {
  { order.size() } -> detail::gives<int>;
};

/// Requires `order(i)`: the i-th tile. An order may have any type of tile; a tile of a grid is a `coord`.
template <class Order>
concept maps_index_to_tile = requires(const Order& order, int i) {
  { order(i) } -> detail::not_void;
};

/// Requires `order.index(tile)`: the index of a tile, the inverse of `order(i)`.
template <class Order>
concept maps_tile_to_index = requires(const Order& order, int i) {
  { order.index(order(i)) } -> detail::gives<int>;
};

/// Requires `tile(number)`, `number(tile)` and `contains(tile)`: tiles have numbers from 0 to size() - 1.
template <class Space>
concept numbers_tiles = requires(const Space& space, int n) {
  { space.tile(n) } -> detail::not_void;
  { space.number(space.tile(n)) } -> detail::gives<int>;
  { space.contains(space.tile(n)) } -> detail::gives<bool>;
};

/// Requires a set of tiles with a plain numbering: an `extent`, a `batch` of planes, a `triangle`.
template <class Space>
concept tile_space = kernel_argument<Space> && counts_tiles<Space> && numbers_tiles<Space>;

namespace detail {

/// Returns a space, or a reference to one.
template <class Result>
concept gives_space = tile_space<typename plain<Result>::type>;

}  // namespace detail

/// Requires `space()`: the `tile_space` that the order covers, with the order's tiles.
template <class Order>
concept names_space = requires(const Order& order, int i) {
  { order.space() } -> detail::gives_space;
  { order(i) } -> detail::gives<typename detail::tile_in<decltype(order.space())>::type>;
};

/// Requires that an order with `tile(cluster, block)`, the tile of a block by the index of its cluster and its rank in
/// the cluster, has the other members of a `cluster_order`: `space()`, that of clusters; `blocks_in_cluster()`, the
/// same number in every cluster; `tiles()`, the space of tiles; and `contains(tile)`, false for a tile outside of it.
/// With fewer a scheduler would treat it as an order of tiles and give all blocks of a cluster the same tile.
template <class Order>
concept completes_clusters =
    !detail::has_tile_of_block<Order> || (names_space<Order> && requires(const Order& order, int i) {
      { order.blocks_in_cluster() } -> detail::gives<int>;
      { order.tiles() } -> detail::gives_space;
      { order.tiles().number(order.tile(i, i)) } -> detail::gives<int>;
      { order.contains(order.tile(i, i)) } -> detail::gives<bool>;
    });

/// Requires an order: a bijection from [0, size()) onto the tiles.
///
/// **Preconditions**: the concept sees members and types only; `laws::check_order` checks the bijection.
/// **Example** (examples/01_order/own_order.cpp):
///
///     struct boustrophedon {
///     …
///     static_assert(heddle::tile_order<boustrophedon>);
template <class Order>
concept tile_order = kernel_argument<Order> && counts_tiles<Order> && maps_index_to_tile<Order> &&
    maps_tile_to_index<Order> && completes_clusters<Order>;

/// The type of an order's tiles.
template <tile_order Order>
using tile_of = typename detail::plain<decltype(detail::any<Order>()(0))>::type;

/// Requires an order of the space that its `space()` names.
template <class Order>
concept space_order = tile_order<Order> && names_space<Order>;

/// The type of an order's space.
template <space_order Order>
using space_of = typename detail::plain<decltype(detail::any<Order>().space())>::type;

/// Requires an order of all tiles of a rectangle: its `space()` is an `extent`.
template <class Order>
concept grid_order = space_order<Order> && requires(const Order& order) {
  { order.space() } -> detail::gives<extent>;
};

/// Requires `most_tiles()`: a bound of `size()`, for an order whose size only the device knows.
template <class Order>
concept bounds_tiles = requires(const Order& order) {
  { order.most_tiles() } -> detail::gives<int>;
};

/// Returns a bound of the tiles of an order that the host knows: `size()`, or `most_tiles()` if only the device knows
/// it.
template <tile_order Order>
HEDDLE_FN int most_tiles(const Order& order) {
  if constexpr (bounds_tiles<Order>) {
    return order.most_tiles();
  } else {
    return order.size();
  }
}

/// Requires an order of the thread-block clusters that cover a space. Each block of a cluster has a tile of its own;
/// `laws::check_clusters` checks that. A scheduler walks the clusters.
template <class Order>
concept cluster_order = space_order<Order> && detail::has_tile_of_block<Order>;

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

/// Requires `storage`: a type that the kernel declares in shared memory. Its constructor is trivial, because shared
/// memory runs none.
template <class Scheduler>
concept has_storage = __is_trivially_constructible(typename Scheduler::storage);

/// Requires `order()`: the order of the tiles that the scheduler deals out.
template <class Scheduler>
concept has_order = requires(const Scheduler& scheduler) {
  { scheduler.order() } -> detail::order_reference;
};

namespace detail {

// Deduction guides name an order's type by as_tile_order and as_grid_order. If a class refused the order by itself,
// nvcc and clang++ would skip its guide without a reason. An error in a class that the guide needs has one: the piece
// of the concept.
template <tile_order Order>
struct must_be_tile_order {};
template <grid_order Order>
struct must_be_grid_order {};
template <space_order Order>
struct must_be_space_order {};

/// Refuses an adapter around clusters.
template <tile_order Order>
HEDDLE_FN bool are_tiles() {
  static_assert(
      !cluster_order<Order>,
      "heddle: clusters are outermost, around every other adapter: clustered{reversed{order}, cluster, grid}, "
      "clustered{batched{order, count}, cluster, batch{count, grid}}");
  return true;
}

template <class Order>
struct deduced_tile_order : must_be_tile_order<Order> {
  using type = Order;
};
template <has_order Scheduler>
struct deduced_tile_order<Scheduler> {};  // no guide for a scheduler: strided{strided{…}} is a copy

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

/// Requires `tiles(smem)`: the range of this block's tiles, which all its threads walk together.
template <class Scheduler>
concept walks_tiles = requires(const Scheduler& scheduler, typename Scheduler::storage& shared) {
  ++scheduler.tiles(shared).begin();
  *scheduler.tiles(shared).begin();
  { scheduler.tiles(shared).begin() != scheduler.tiles(shared).end() } -> detail::same_as<bool>;
};

/// Requires `start`, `lead` and `follow`: the same tiles for roles, each at its own pace. One thread leads.
template <class Scheduler>
concept walks_in_roles = requires(const Scheduler& scheduler, typename Scheduler::storage& shared, int followers) {
  scheduler.start(shared, followers);
  *++scheduler.lead(shared);
  *++scheduler.follow(shared);
};

namespace detail {

/// The storage of a scheduler that takes workers over.
struct any_cancellation {
  unsigned long long answered, answer[2];
};

}  // namespace detail

/// Requires a machine, on which the nested `draws<Machine>` of a scheduler decides for one worker: a block, or a
/// cluster. The GPU is one, the interleavings of `laws::check_schedule` and the clock of `predict::makespan` are
/// others.
///
/// `worker()` of `workers()` decides, of which `rank()` is this block, on the multiprocessor `sm()`, in a launch that
/// `launch()` numbers. Atomic accesses to memory that all workers share return what was there before. A worker calls
/// `pause()` while it waits for another that has started. The last four members take over a worker that has not
/// started, whose number, or none, arrives in the scheduler's storage.
///
/// **Example** (include/heddle/one_at_a_time.hpp):
///
///     static_assert(drawing_machine<one_at_a_time>);
template <class Machine>
concept drawing_machine = requires(const Machine& on, unsigned* word, unsigned long long* wide,
                                   detail::any_cancellation& shared) {
  { on.worker() + on.workers() + on.rank() + on.sm() + on.launch() } -> detail::same_as<unsigned>;
  { on.add(word, 1u) + on.exchange(word, 1u) + on.bit_or(word, 1u) + on.load(word) } -> detail::same_as<unsigned>;
  { on.add(wide, *wide) + on.exchange(wide, *wide) } -> detail::same_as<unsigned long long>;
  on.store(word, 1u);
  on.fence();
  on.pause();
  on.begin_canceling(shared);
  on.ask_to_cancel(shared);
  on.wait_for_answer(shared, 0u);
  { on.canceled(shared, ~0u) } -> detail::same_as<unsigned>;
};

/// Requires `part`, of a scheduler that splits tiles along k: a tile, steps [begin, end) of it, and the slots for the
/// sums of its parts.
template <class Scheduler>
concept splits_tiles = requires(const typename Scheduler::part& part) {
  { part.end - part.begin } -> detail::same_as<int>;
  { part.share.first + part.share.count - part.share.slot } -> detail::same_as<int>;
  part.tile;
};

/// Requires a scheduler: it decides which tiles a block takes, and all blocks of a launch together visit each tile
/// exactly once.
///
/// **Preconditions**: the concept sees members and types only; `laws::check_schedule` checks the visits.
/// **Example** (examples/02_schedule/after.cu):
///
///     template <heddle::tile_scheduler Scheduler>
///     __global__ void grade(const __grid_constant__ Scheduler scheduler, image in, image out, grading by) {
///     …
///     __shared__ heddle::static_shared<typename Scheduler::storage> smem;
///     for (const auto [tile_row, tile_col] : scheduler.tiles(smem)) grade_tile(in, out, curve, tile_row, tile_col);
template <class Scheduler>
concept tile_scheduler = kernel_argument<Scheduler> && has_storage<Scheduler> && has_order<Scheduler> &&
    walks_tiles<Scheduler> && walks_in_roles<Scheduler> && !splits_tiles<Scheduler>;

/// Requires `enter()`, which one thread of every block calls; its result has `arrive(part.share)`, which is true for
/// the part of a tile that arrives last.
template <class Scheduler>
concept counts_arrivals = requires(const Scheduler& scheduler, const typename Scheduler::part& part) {
  { scheduler.enter().arrive(part.share) } -> detail::same_as<bool>;
};

/// Requires a scheduler of parts of tiles: all blocks of a launch together do each step of each tile exactly once, and
/// of the blocks that share a tile exactly one is the last to arrive. `laws::check_split_schedule` checks that.
template <class Scheduler>
concept split_scheduler = kernel_argument<Scheduler> && has_storage<Scheduler> && has_order<Scheduler> &&
    walks_tiles<Scheduler> && walks_in_roles<Scheduler> && splits_tiles<Scheduler> && counts_arrivals<Scheduler>;

static_assert(!tile_scheduler<int> && !tile_scheduler<extent> && !split_scheduler<int> && !counts_arrivals<int>);

/// Requires `push_storage`: a type that the first pass declares in shared memory.
template <class Work>
concept has_push_storage = __is_trivially_constructible(typename Work::push_storage);

/// Requires `push(smem, source, n)`: every thread of a block calls it to push n items of a source.
template <class Work>
concept pushes = requires(const Work& work, typename Work::push_storage& shared, unsigned source, unsigned n) {
  work.push(shared, source, n);
};

/// Requires a strategy of expansion: a first pass pushes sources, each with n items, and a second pass visits each pair
/// of a source and a rank below its n exactly once: `items(smem)` is the range of a thread's.
///
/// **Example** (examples/04_expand/after.cu):
///
///     work.push(smem, mesh, n);
///     …
///     for (const auto [mesh, meshlet] : work.items(smem)) cull_meshlet(all, mesh, meshlet);
template <class Work>
concept expander = kernel_argument<Work> && has_push_storage<Work> && has_storage<Work> && pushes<Work> &&
    requires(const Work& work, typename Work::storage& shared) {
  ++work.items(shared).begin();
  { (*work.items(shared)).source + (*work.items(shared)).rank } -> detail::same_as<unsigned>;
};

static_assert(!expander<int> && !expander<extent>);

}}  // namespace heddle::HEDDLE_ABI
