#pragma once

#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Persistent and static: of G blocks, block b takes the tiles b, b + G, b + 2G ...
///
///   tiles     0 1 2 3 4 5 6
///   blocks    0 1 2 0 1 2 0
///
/// **Offers** `tiles(smem)`, a range for all threads of the block together; `start(smem, followers)`, `lead(smem)` and
/// `follow(smem)` for roles that walk it at their own pace; `grid(kernel, threads, dynamic_smem, cap)`, the launch; and
/// `order()`.
template <tile_order Order>
class strided : public detail::schedule::known_to_all<strided<Order>, Order> {
 public:
  using detail::schedule::known_to_all<strided<Order>, Order>::known_to_all;

  static constexpr bool persistent = true;

  template <class Machine>
  class draws {
   public:
    template <class Storage>
    HEDDLE_FN draws(const strided&, Machine machine, Storage&) : machine_(machine) {}

    HEDDLE_FN unsigned first() const { return machine_.worker(); }
    HEDDLE_FN unsigned next(unsigned index) const { return index + machine_.workers(); }  // below 2^32

   private:
    Machine machine_;
  };
};

template <class Order>
strided(Order) -> strided<detail::as_tile_order<Order>>;

static_assert(tile_scheduler<strided<row_major>>);

}  // namespace heddle::inline HEDDLE_ABI
