#pragma once

#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Persistent and static: each block takes a contiguous run of the order, none more than one tile longer
/// than another.
///
///   tiles     0 1 2 3 4 5 6
///   blocks    0 0 0 1 1 2 2
///
/// **Offers** `tiles(smem)`, a range for all threads of the block together; `start(smem, followers)`, `lead(smem)` and
/// `follow(smem)` for roles that walk it at their own pace; `grid(kernel, threads, dynamic_smem, cap)`, the launch; and
/// `order()`.
template <tile_order Order>
class chunked : public detail::schedule::known_to_all<chunked<Order>, Order> {
 public:
  using detail::schedule::known_to_all<chunked<Order>, Order>::known_to_all;

  static constexpr bool persistent = true;

  template <class Machine>
  class draws {
   public:
    template <class Storage>
    HEDDLE_FN draws(const chunked& scheduler, Machine machine, Storage&)
        : machine_(machine), size_(static_cast<unsigned>(scheduler.order().size())) {}

    HEDDLE_FN unsigned first() {
      const unsigned worker = machine_.worker(), workers = machine_.workers();
      const unsigned share = size_ / workers, longer = size_ % workers;  // so many have one tile more
      const unsigned begin = worker * share + (worker < longer ? worker : longer);
      end_ = begin + share + (worker < longer ? 1 : 0);
      return begin < end_ ? begin : detail::schedule::no_tile;
    }

    HEDDLE_FN unsigned next(unsigned index) const { return index + 1 < end_ ? index + 1 : detail::schedule::no_tile; }

   private:
    Machine machine_;
    unsigned size_, end_ = 0;
  };
};

template <class Order>
chunked(Order) -> chunked<detail::as_tile_order<Order>>;

static_assert(tile_scheduler<chunked<row_major>>);

}  // namespace heddle::inline HEDDLE_ABI
