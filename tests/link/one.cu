#define HEDDLE_CHECKS 0
#include <heddle/heddle.hpp>

int sum_of_rows(const heddle::hilbert& order);
unsigned long long checked_bytes();

template <class Scheduler>
__global__ void walk(const __grid_constant__ Scheduler scheduler, int* visits) {
  __shared__ typename Scheduler::storage smem;
  for (const auto [row, col] : scheduler.tiles(smem)) atomicAdd(visits, row + col);
}

int main() {
  static_cast<void>(walk<heddle::ticket<heddle::hilbert>>);
  const unsigned long long bytes = heddle::ticket<>::state_bytes() + heddle::seats::state_bytes() +
                                   heddle::stream_k<>::state_bytes() + sizeof(heddle::packed_prefix::storage) +
                                   sizeof(heddle::scanned::push_storage);
  if (bytes != checked_bytes()) return 2;
  const heddle::hilbert order{{3, 5}};
  int sum = 0;
  for (int i = 0; i < order.size(); ++i) sum += order(i).row;
  return sum == sum_of_rows(order) ? 0 : 1;
}
