#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/launch/launch_config.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/schedule/detail/tile_cursor.hpp>
#include <heddle/schedule/detail/tile_relay.hpp>
#include <heddle/schedule/detail/tile_walks.hpp>

// What schedulers have in common: an order, a launch, and the forms in which a kernel walks its tiles. A
// scheduler adds its decisions, the nested `draws`: the index with which a worker begins, and the one after.
// They are the same code on every machine that can name the worker and access its memory.

namespace heddle::inline HEDDLE_ABI::detail::schedule {

inline constexpr unsigned no_tile = ~0u;

template <class Scheduler, tile_order Order>
class scheduler_base {
 public:
  HEDDLE_HOST explicit scheduler_base(Order order) : order_(order) {}

  HEDDLE_FN const Order& order() const { return order_; }

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
  // `Self` delays the constraint until a call: `Scheduler` is incomplete here, and clang 14 to 19 say so under nvcc.

  /// The launch of `kernel` on the current device: a worker for every tile.
  template <class... Params, class Self = Scheduler>
  launch_config grid(void (*kernel)(Params...), dim3 threads, decltype(sizeof 0) dynamic_smem = 0) const
      requires(!Self::persistent) {
    return all_of(reinterpret_cast<const void*>(kernel), threads, dynamic_smem, self().most_workers(),
                  blocks_in_worker());
  }

  /// The launch of `kernel` on the current device: no more workers than tiles, nor than are resident at once.
  /// `cap` is how many multiprocessors it may fill, where others are to be left to somebody else.
  template <class... Params, class Self = Scheduler>
  launch_config grid(void (*kernel)(Params...), dim3 threads, decltype(sizeof 0) dynamic_smem = 0,
                     int cap = 0x7fffffff) const requires(Self::persistent) {
    return resident_of(reinterpret_cast<const void*>(kernel), threads, dynamic_smem, self().most_workers(),
                       blocks_in_worker(), cap);
  }
#endif

 protected:
  HEDDLE_FN unsigned size() const {
    return static_cast<unsigned>(order_.size());
  }

  HEDDLE_FN unsigned blocks_in_worker() const {
    if constexpr (cluster_order<Order>) return static_cast<unsigned>(order_.blocks_in_cluster());
    return 1;
  }

  HEDDLE_FN const Scheduler& self() const {
    return static_cast<const Scheduler&>(*this);
  }

  /// Those for whom there is work.
  HEDDLE_FN unsigned most_workers() const {
    return size();
  }

 private:
  Order order_;
};

#if defined(__CUDACC__)

/// Of a launch what a block can see: it is one that `grid` returns. A kernel of code for an architecture without
/// clusters would leave out all tiles of a cluster but one, and ends in any build.
template <bool Persistent, class Order, class Machine, class Storage>
HEDDLE_DEVICE void check_launch(const Order& order, [[maybe_unused]] Machine on, const Storage& storage) {
  check(gridDim.y == 1 && gridDim.z == 1,
        "heddle: a scheduler in a grid of more than one dimension, in which each tile would be taken several times");
  check_storage(storage, "heddle: the storage of a scheduler is not in shared memory");
  if constexpr (cluster_order<Order>) {
    const auto blocks = static_cast<unsigned>(order.blocks_in_cluster());
    check(ptx::has_clusters || blocks == 1, "heddle: an order of clusters in code that is older than sm_90");
    if constexpr (!ptx::has_clusters) {
      if (blocks > 1) __trap();
    }
    check(ptx::cluster_nctarank() == blocks,
          "heddle: the clusters of the launch are not as large as those of the order");
  }
  if constexpr (!Persistent) {
    check(on.workers() >= static_cast<unsigned>(order.size()),
          "heddle: fewer blocks than tiles, of a scheduler that gives each block one tile");
  }
}

#endif

/// Every thread finds all indices by itself: no shared memory, no barrier, whatever the role. A scheduler that walks
/// something else than tiles has a `range` and a `range_of` of its own; `Self` delays the look at them until a call.
template <class Scheduler, tile_order Order>
class known_to_all : public scheduler_base<Scheduler, Order> {
 public:
  using scheduler_base<Scheduler, Order>::scheduler_base;

  struct storage {};

#if defined(__CUDACC__)
 private:
  using machine = gpu<cluster_order<Order>>;

 public:
  template <class Machine>
  using range = cursor<Order, alone<Scheduler, Machine>>;

  template <class Machine>
  HEDDLE_DEVICE range<Machine> range_of(storage& none, Machine on) const {
    return {this->order(), {this->self(), on, none}};
  }

  template <class Machine = machine, class Self = Scheduler>
  HEDDLE_DEVICE typename Self::template range<Machine> tiles(storage& none, Machine on = {}) const {
    check_launch<Scheduler::persistent>(this->order(), on, none);
    return this->self().range_of(none, on);
  }

  HEDDLE_DEVICE void start(storage&, int) const {}

  template <class Machine = machine, class Self = Scheduler>
  HEDDLE_DEVICE typename Self::template range<Machine> lead(storage& none, Machine on = {}) const {
    return tiles(none, on);
  }

  template <class Machine = machine, class Self = Scheduler>
  HEDDLE_DEVICE typename Self::template range<Machine> follow(storage& none, Machine on = {}) const {
    return tiles(none, on);
  }
#endif
};

/// One thread draws, and tells the others of its block, or of its cluster.
template <class Scheduler, tile_order Order, class Storage = relay>
class drawn_by_one : public scheduler_base<Scheduler, Order> {
 public:
  using scheduler_base<Scheduler, Order>::scheduler_base;

  using storage = Storage;

#if defined(__CUDACC__)
 private:
  static constexpr bool clusters = cluster_order<Order>;
  using machine = gpu<clusters>;

 public:
  /// For all threads of the block (of the cluster), together, once in a launch. Every step has one barrier
  /// of the block (of the cluster) in it, which is no promise.
  template <class Machine = machine>
  HEDDLE_DEVICE cursor<Order, together<Scheduler, Machine>> tiles(storage& shared, Machine on = {}) const {
    check_launch<Scheduler::persistent>(this->order(), on, shared);
    return {this->order(), {this->self(), on, shared}};
  }

  /// For one thread of every block, before a barrier of the block (of the cluster): `followers` is how many
  /// threads of the block are going to follow.
  HEDDLE_DEVICE void start(storage& shared, int followers) const {
    roles_need<compiled_code, Scheduler>();
    check_storage(shared, "heddle: the storage of a scheduler is not in shared memory");
    check(followers >= 0, "heddle: start with a negative number of followers");
    unsigned blocks = 1;
    if constexpr (clusters) blocks = ptx::cluster_nctarank();
    detail::schedule::start(shared, static_cast<unsigned>(followers), blocks);
  }

  /// For one thread of every block, once in a launch: it draws, and runs up to two tiles ahead of who follows.
  template <class Machine = machine>
  HEDDLE_DEVICE cursor<Order, leading<Scheduler, Machine>> lead(storage& shared, Machine on = {}) const {
    roles_need<compiled_code, Scheduler>();
    check_launch<Scheduler::persistent>(this->order(), on, shared);
    return {this->order(), {this->self(), on, shared}};
  }

  /// For every thread of a role that does not lead, at its own pace.
  template <class Machine = machine>
  HEDDLE_DEVICE cursor<Order, following<clusters>> follow(storage& shared, Machine on = {}) const {
    roles_need<compiled_code, Scheduler>();
    check_launch<Scheduler::persistent>(this->order(), on, shared);
    return {this->order(), following<clusters>(shared)};
  }
#endif
};

}  // namespace heddle::inline HEDDLE_ABI::detail::schedule
