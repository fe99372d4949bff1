#pragma once

#include <vector>

#include <heddle/order/grouped.hpp>

namespace demo {

/// The state of an order of groups, in memory of the host.
class group_state {
 public:
  explicit group_state(heddle::group_shape shape) : words_(heddle::grouped::state_bytes(shape) / sizeof(word) + 1) {}
  void* data() { return words_.data(); }

 private:
  struct alignas(16) word {
    char bytes[16];
  };
  std::vector<word> words_;
};

/// Orders groups of a few sizes, prepared in memory of the host, for pictures.
class few_groups {
 public:
  explicit few_groups(heddle::group_sequence sequence)
      : state_(shape),
        order_(heddle::grouped{shape, state_.data(), /*width*/ 3, heddle::axis::y, sequence}.on_host(ends)) {}

  const heddle::grouped& order() const { return order_; }

 private:
  static constexpr int ends[] = {230, 310, 310, 700};  // groups of 230, 80, 0 and 390 rows
  static constexpr heddle::group_shape shape{.rows = 700, .groups = 4, .tile_rows = 64, .cols = 4};

  group_state state_;
  heddle::grouped order_;
};

}  // namespace demo
