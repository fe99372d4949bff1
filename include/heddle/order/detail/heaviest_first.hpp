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
      : size_(size), items_(new item[2 * static_cast<decltype(sizeof 0)>(size) + 1]), sorted_(items_) {}
  heaviest_first(const heaviest_first&) = delete;
  ~heaviest_first() { delete[] items_; }

  item& operator[](int i) { return sorted_[i]; }

  /// Puts the heaviest items first within sections of `section` items. Items of equal weight keep their order.
  void sort(long long section = 0x7fffffff) {
    item* spare = items_ + size_;
    for (long long width = 1; width < size_ && width < section; width *= 2) {
      for (long long first = 0; first < size_; first += section) {
        const long long last = first + section < size_ ? first + section : size_;
        const auto within = [&](long long at) { return static_cast<int>(at < last ? at : last); };
        for (long long begin = first; begin < last; begin += 2 * width) {
          merge(spare, static_cast<int>(begin), within(begin + width), within(begin + 2 * width));
        }
      }
      item* const other = sorted_;
      sorted_ = spare;
      spare = other;
    }
  }

 private:
  /// Merges two sorted stretches into `to`.
  void merge(item* to, int begin, int middle, int end) const {
    for (int at = begin, left = begin, right = middle; at < end; ++at) {
      const bool takes_right = left == middle || (right < end && sorted_[right].weight > sorted_[left].weight);
      to[at] = sorted_[takes_right ? right++ : left++];
    }
  }

  int size_;
  item* const items_;
  item* sorted_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::order

#endif
