#pragma once

#include <heddle/config.hpp>

#if !defined(__CUDACC_RTC__)

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::order {

/// A weight per number, sorted on the host. It includes no header of the standard library: `order.hpp` stays short.
template <class Weight>
class heaviest_first {
 public:
  struct item {
    Weight weight;
    int number;
  };

  explicit heaviest_first(int size)
      : items_(new item[2 * static_cast<decltype(sizeof 0)>(size) + 1]), spare_(items_ + size) {}
  heaviest_first(const heaviest_first&) = delete;
  ~heaviest_first() { delete[] items_; }

  item& operator[](int i) { return items_[i]; }

  /// Puts the heaviest of the items [begin, end) first. Items of equal weight keep their order.
  void sort(int begin, int end) {
    if (end - begin < 2) return;
    const int middle = begin + (end - begin) / 2;
    sort(begin, middle);
    sort(middle, end);
    for (int i = begin; i < middle; ++i) spare_[i] = items_[i];
    for (int left = begin, right = middle, to = begin; left < middle; ++to) {
      const bool takes_right = right < end && items_[right].weight > spare_[left].weight;
      items_[to] = takes_right ? items_[right++] : spare_[left++];
    }
  }

 private:
  item *const items_, *const spare_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::order

#endif
