#pragma once

#include <vector>

#include <heddle/order/grouped.hpp>

namespace heddle_test {

using namespace heddle;

/// A state that the host prepares in its own memory.
class groups_on_host {
 public:
  template <class Weights = decltype(nullptr)>
  groups_on_host(group_shape shape, const std::vector<int>& ends, long long width, axis along, group_sequence sequence,
                 const Weights& weights = {})
      : groups_on_host(shape, ends.data(), width, along, sequence, weights) {}
  template <class Rows, class Weights = decltype(nullptr)>
  groups_on_host(group_shape shape, const Rows& rows, long long width, axis along, group_sequence sequence,
                 const Weights& weights = {})
      : words_(grouped::state_bytes(shape) / 8 + 2, 0xa5a5a5a5a5a5a5a5),
        order_(grouped(shape, words_.data(), width, along, sequence).on_host(rows, weights)) {}
  groups_on_host(const groups_on_host&) = delete;  // the order points to the words

  const grouped& order() const { return order_; }
  prepared_groups found() const { return *reinterpret_cast<const prepared_groups*>(words_.data()); }

 private:
  std::vector<unsigned long long> words_;
  grouped order_;
};

}  // namespace heddle_test
