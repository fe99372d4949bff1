// A unit with checks, linked with one without: each has its own functions, and states have the same layout.

#define HEDDLE_CHECKS 1
#include <heddle/expand.hpp>
#include <heddle/order/hilbert.hpp>
#include <heddle/schedule.hpp>

template <class Scheduler>
__global__ void walk(const __grid_constant__ Scheduler scheduler, int* visits) {
  __shared__ typename Scheduler::storage smem;
  for (const auto [row, col] : scheduler.tiles(smem)) atomicAdd(visits, row + col);
}

unsigned long long checked_bytes() {
  static_cast<void>(walk<heddle::ticket<heddle::hilbert>>);
  return heddle::ticket<>::state_bytes() + heddle::seats::state_bytes() + heddle::stream_k<>::state_bytes() +
         sizeof(heddle::packed_prefix::storage) + sizeof(heddle::scanned::push_storage);
}
