#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/launch/launch_shape.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/schedule/detail/canceling_gpu.hpp>
#include <heddle/schedule/detail/tile_cursor.hpp>
#include <heddle/schedule/detail/tile_relay.hpp>
#include <heddle/schedule/detail/tile_walks.hpp>

// What schedulers share: an order, a launch, and the forms in which a kernel walks its tiles. A scheduler adds the
// nested `draws`, which decides: `first()` is a worker's first index, `next(index)` the one after. A worker is a block,
// or a cluster over a `cluster_order`. The same `draws` runs on a GPU and on the simulated machine of `laws`.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::schedule {

inline constexpr unsigned no_tile = ~0u;

template <class Scheduler, tile_order Order>
class scheduler_base {
 public:
  /// Builds the scheduler from its order.
  HEDDLE_HOST explicit scheduler_base(Order order) : order_(order) {}

  /// Returns the order of the tiles.
  HEDDLE_FN const Order& order() const { return order_; }

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
  // `Self` delays the constraint until a call: `Scheduler` is incomplete here, which is an error with clang 14 to 19
  // under nvcc.

  /// Returns the launch of `kernel` on the current device: a worker per tile.
  template <class... Params, class Self = Scheduler>
  launch_config grid(void (*kernel)(Params...), dim3 threads, decltype(sizeof 0) dynamic_smem = 0) const
      requires(!Self::persistent) {
    return all_of(reinterpret_cast<const void*>(kernel), threads, dynamic_smem, self().most_workers(),
                  blocks_in_worker());
  }

  /// Returns the launch of `kernel` on the current device: no more workers than tiles, nor than are resident at once.
  /// `cap` limits the multiprocessors that it fills, to leave the others to other kernels.
  template <class... Params, class Self = Scheduler>
  launch_config grid(void (*kernel)(Params...), dim3 threads, decltype(sizeof 0) dynamic_smem = 0,
                     int cap = 0x7fffffff) const requires(Self::persistent) {
    return resident_of(reinterpret_cast<const void*>(kernel), threads, dynamic_smem, self().most_workers(),
                       blocks_in_worker(), cap);
  }
#endif

#if !defined(__CUDACC__)
  // What kernels call, for a host compiler: contracts ask for the same members there.
  using range_of_tiles = declared_range<typename tile_of_block<Order>::type>;
  template <class Storage>
  range_of_tiles tiles(Storage&) const;
  template <class Storage>
  void start(Storage&, int) const;
  template <class Storage>
  range_of_tiles lead(Storage&) const;
  template <class Storage>
  range_of_tiles follow(Storage&) const;
  struct arriving {
    template <class Sums>
    bool arrive(const Sums&) const;
  };
  arriving enter() const;  // of schedulers with parts
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

  /// The most workers that have work.
  HEDDLE_FN unsigned most_workers() const {
    return static_cast<unsigned>(most_tiles(order_));
  }

 private:
  Order order_;
};

#if defined(__CUDACC__)

/// Checks what a block can see of its launch: that `grid` could have returned it. Code for an architecture without
/// clusters would leave out all tiles of a cluster but one, so there the kernel ends in builds without checks too.
template <bool Persistent, class Order, class Machine, class Storage>
HEDDLE_DEVICE void check_launch(const Order& order, [[maybe_unused]] Machine on, const Storage& storage) {
  unsigned counted = gridDim.x;  // clusters in one row may have blocks in several
  if constexpr (cluster_order<Order>) counted = ptx::nclusterid() * ptx::cluster_nctarank();
  check(gridDim.x * gridDim.y * gridDim.z == counted,
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
          "heddle: one_shot or cluster_launch in a launch of fewer blocks than tiles");
  }
}

#endif

/// The base of schedulers in which every thread computes all indices by itself: no shared memory and no barrier, in the
/// loop and in roles. A scheduler that does not walk tiles has its own `range` and `range_of`; `Self` delays their
/// lookup until a call.
template <class Scheduler, tile_order Order>
class known_to_all : public scheduler_base<Scheduler, Order> {
 public:
  using scheduler_base<Scheduler, Order>::scheduler_base;

  /// Shared memory: none.
  struct storage {};

#if defined(__CUDACC__)
 private:
  using machine = gpu<cluster_order<Order>>;

 public:
  /// A cursor over the tiles of a block.
  template <class Machine>
  using range = cursor<Order, alone<Scheduler, Machine>>;

  /// Returns the block's tiles, without the checks of `tiles`.
  template <class Machine>
  HEDDLE_DEVICE range<Machine> range_of(storage& none, Machine on) const {
    return {this->order(), {this->self(), on, none}};
  }

  /// Returns the block's tiles, as a range and a cursor. Any thread may call it.
  template <class Machine = machine, class Self = Scheduler>
  HEDDLE_DEVICE typename Self::template range<Machine> tiles(storage& none, Machine on = {}) const {
    check_launch<Scheduler::persistent>(this->order(), on, none);
    return this->self().range_of(none, on);
  }

  /// Does nothing: roles need no storage.
  HEDDLE_DEVICE static void start(storage&, int) {}

  /// Returns the block's tiles, like `tiles`.
  template <class Machine = machine, class Self = Scheduler>
  HEDDLE_DEVICE typename Self::template range<Machine> lead(storage& none, Machine on = {}) const {
    return tiles(none, on);
  }

  /// Returns the block's tiles, like `tiles`.
  template <class Machine = machine, class Self = Scheduler>
  HEDDLE_DEVICE typename Self::template range<Machine> follow(storage& none, Machine on = {}) const {
    return tiles(none, on);
  }
#endif
};

/// Is instantiated once, at the use of roles: a header compiles for any architecture, and a kernel for one that is too
/// old gives one error, which names the part and the architecture.
template <int Code, class Scheduler>
struct roles_need {
  static_assert(Code == 0 || Code >= sm_80,
                "heddle: roles (start, lead, follow) of a scheduler that draws need sm_80 or newer: compile with "
                "-arch=sm_80, or walk by tiles");
};

/// The base of schedulers in which one thread draws, and tells the other threads of its block or cluster.
template <class Scheduler, tile_order Order, class Storage = relay>
class drawn_by_one : public scheduler_base<Scheduler, Order> {
 public:
  using scheduler_base<Scheduler, Order>::scheduler_base;

  /// Shared memory through which the drawing thread tells the others.
  using storage = Storage;

#if defined(__CUDACC__)
 private:
  static constexpr bool clusters = cluster_order<Order>;
  using machine = canceling_gpu<clusters>;

 public:
  /// Returns the block's tiles, as a range and a cursor.
  ///
  /// **Preconditions**: all threads of the block (of the cluster) call it together, once per launch.
  ///
  /// **Cost**: one barrier of the block (of the cluster) per step. Kernels must not rely on it.
  template <class Machine = machine>
  HEDDLE_DEVICE cursor<Order, together<Scheduler, Machine>> tiles(storage& shared, Machine on = {}) const {
    check_launch<Scheduler::persistent>(this->order(), on, shared);
    return {this->order(), {this->self(), on, shared}};
  }

  /// Prepares the storage for roles.
  ///
  /// **Preconditions**: one thread of every block calls it, and a barrier of the block (of the cluster) comes after it,
  /// before any role begins. `followers` threads of the block call `follow`.
  HEDDLE_DEVICE static void start(storage& shared, int followers) {
    roles_need<compiled_code, Scheduler>();
    check_storage(shared, "heddle: the storage of a scheduler is not in shared memory");
    check(followers >= 0, "heddle: start was given a negative number of followers");
    unsigned blocks = 1;
    if constexpr (clusters) blocks = ptx::cluster_nctarank();
    detail::schedule::start(shared, static_cast<unsigned>(followers), blocks);
  }

  /// Returns the block's tiles for the thread that leads: it draws, and runs up to two tiles ahead of the followers.
  ///
  /// **Preconditions**: one thread of every block calls it, once per launch.
  template <class Machine = machine>
  HEDDLE_DEVICE cursor<Order, leading<Scheduler, Machine>> lead(storage& shared, Machine on = {}) const {
    roles_need<compiled_code, Scheduler>();
    check_launch<Scheduler::persistent>(this->order(), on, shared);
    return {this->order(), {this->self(), on, shared}};
  }

  /// Returns the block's tiles for a thread that follows, at its own pace.
  template <class Machine = machine>
  HEDDLE_DEVICE cursor<Order, following<clusters>> follow(storage& shared, Machine on = {}) const {
    roles_need<compiled_code, Scheduler>();
    check_launch<Scheduler::persistent>(this->order(), on, shared);
    return {this->order(), following<clusters>(shared)};
  }

  /// Returns the cursor of `lead` before its first tile. It goes in two steps: `ask` sends for a tile, the first time
  /// for the first, and `fetch` waits for it and tells the others. It draws nothing ahead.
  ///
  /// **Preconditions**: those of `lead`; the barrier after `start` comes before the first `fetch`.
  template <class Machine = machine>
  HEDDLE_DEVICE cursor<Order, leading<Scheduler, Machine>> lead_in_steps(storage& shared, Machine on = {}) const {
    roles_need<compiled_code, Scheduler>();
    check_launch<Scheduler::persistent>(this->order(), on, shared);
    return {this->order(), {this->self(), on, shared}, before_first()};
  }

  /// Returns the cursor of `follow` before its first tile: `fetch` waits for the next, and reads it.
  template <class Machine = machine>
  HEDDLE_DEVICE cursor<Order, following<clusters>> follow_in_steps(storage& shared, Machine on = {}) const {
    roles_need<compiled_code, Scheduler>();
    check_launch<Scheduler::persistent>(this->order(), on, shared);
    return {this->order(), following<clusters>(shared), before_first()};
  }
#endif
};

}}}  // namespace heddle::HEDDLE_ABI::detail::schedule
