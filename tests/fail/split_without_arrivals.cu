// expect: counts_arrivals

#include <heddle/schedule/stream_k.hpp>

struct without_arrivals : heddle::stream_k<heddle::row_major> {
  using heddle::stream_k<heddle::row_major>::stream_k;
  int enter() const;
};

void test() {
  without_arrivals scheduler{heddle::row_major{{1, 1}}, 8, 0, nullptr};
  [[maybe_unused]] heddle::split_scheduler auto& checked = scheduler;
}
