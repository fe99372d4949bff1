// A unit without checks that includes everything among names that are macros, linked with one that has checks.

#define HEDDLE_CHECKS 0
#include "../headers/poison.hpp"
#include <heddle/heddle.hpp>

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
  return bytes == checked_bytes() ? 0 : 1;
}
