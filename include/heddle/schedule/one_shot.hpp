#pragma once

#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle::inline HEDDLE_ABI {

/// A tile a block, and as many blocks as tiles: what a kernel does that has no scheduler.
///
///   tiles     0 1 2 3 4 5 6
///   blocks    0 1 2 3 4 5 6
///
/// **Offers** `tiles(smem)`, a range for all threads of the block together; `start(smem, followers)`, `lead(smem)` and
/// `follow(smem)` for roles that walk it at their own pace; `grid(kernel, threads, dynamic_smem)`, the launch; and
/// `order()`.
template <tile_order Order>
class one_shot : public detail::schedule::known_to_all<one_shot<Order>, Order> {
 public:
  using detail::schedule::known_to_all<one_shot<Order>, Order>::known_to_all;

  static constexpr bool persistent = false;

  template <class Machine>
  class draws {
   public:
    template <class Storage>
    HEDDLE_FN draws(const one_shot&, Machine machine, Storage&) : machine_(machine) {}

    HEDDLE_FN unsigned first() const { return machine_.worker(); }
    HEDDLE_FN unsigned next(unsigned) const { return detail::schedule::no_tile; }

   private:
    Machine machine_;
  };
};

template <class Order>
one_shot(Order) -> one_shot<detail::as_tile_order<Order>>;

static_assert(tile_scheduler<one_shot<row_major>>);

}  // namespace heddle::inline HEDDLE_ABI
