// A user's law in a CUDA file: nvcc has no warning about it.

#include <heddle/laws.hpp>
#include <heddle/order.hpp>
#include <heddle/schedule.hpp>

int main() {
  const heddle::row_major order{{3, 4}};
  static unsigned long long states[3][1 << 16];
  const auto is_right = [](const auto& scheduler) {
    return !!heddle::laws::check_schedule(scheduler, {.workers = 12});
  };
  const bool all = is_right(heddle::one_shot{order}) && is_right(heddle::strided{order}) &&
                   is_right(heddle::chunked{order}) && is_right(heddle::cluster_launch{order}) &&
                   is_right(heddle::ticket{order, states[0]}) && is_right(heddle::sm_affine{order, states[1], 2}) &&
                   is_right(heddle::work_stealing{order, states[2]}) &&
                   is_right(heddle::draws_late{heddle::ticket{order, states[0]}});
  return all && heddle::laws::check_order(order) ? 0 : 1;
}
