// expect: counts_arrivals

#include <heddle/schedule/stream_k.hpp>

struct without_arrivals : heddle::stream_k<heddle::row_major> {
  using heddle::stream_k<heddle::row_major>::stream_k;
  int enter() const;
};

template <heddle::split_scheduler Scheduler>
struct kernel_of {};

kernel_of<without_arrivals> kernel;
