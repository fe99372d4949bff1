// expect: heddle: roles (start, lead, follow) of a scheduler that draws need sm_80 or newer
// options: -arch=compute_75

#include <heddle/schedule/ticket.hpp>

using scheduler = heddle::ticket<heddle::row_major>;

__global__ void kernel(const __grid_constant__ scheduler tickets, int* visits) {
  __shared__ scheduler::storage smem;
  if (threadIdx.x == 0) tickets.start(smem, 32);
  __syncthreads();
  if (threadIdx.x == 32) {
    for (const auto [row, col] : tickets.lead(smem)) visits[row] = col;
  } else if (threadIdx.x < 32) {
    for (const auto [row, col] : tickets.follow(smem)) visits[row] = col;
  }
}
